#include "experiments/papers/experiment.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "devices/targets/simulated_target.hpp"
#include "experiments/papers/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace texelscope::experiments {
namespace {

constexpr auto experiments = std::to_array<Experiment>({
    {"fig2", "latency of random walks by their cross-block strides", "TMModel (ICS 2025), section 3.1, figure 2",
     run_stride_regression},
    {"fig4", "scaling of access patterns with the threads of a warp", "TMModel (ICS 2025), section 3.2.1, figure 4",
     run_warp_scaling},
    {"fig5", "L1 miss rate and time over the warps of a work-group", "TMModel (ICS 2025), section 3.2.2, figure 5",
     run_occupancy_waves},
    {"table3", "speed-up of our choices over those of frameworks", "TMModel (ICS 2025), section 6.2, table 3",
     run_kernel_speedups},
    {"fig8", "best access patterns over the output's shape", "TMModel (ICS 2025), section 6.2, figure 8",
     run_pattern_map},
    {"fig9", "gain of tiles and of patterns, against exhaustive search", "TMModel (ICS 2025), section 6.4, figure 9",
     run_gain_breakdown},
    {"fig10", "choices of the models against exhaustive search", "TMModel (ICS 2025), section 6.4, figures 9 and 10",
     run_model_accuracy},
    {"readings", "choices of the model by what its symbols are taken to mean", "TMModel (ICS 2025), section 4",
     run_model_readings},
    {"measured", "choices of the models among kernels measured on an NVIDIA H200",
     "TMModel (ICS 2025), section 6.4, figures 9 and 10", run_measured_h200, "nvidia-h200"},
    {"measured-h100", "choices of the models among kernels measured on an NVIDIA H100",
     "TMModel (ICS 2025), section 6.4, figures 9 and 10", run_measured_h100, "nvidia-h100"},
    {"table5", "time that tuning takes", "TMModel (ICS 2025), section 6.5, table 5", run_tuning_cost},
    {"table6", "choices for kernels of two networks on another architecture",
     "TMModel (ICS 2025), section 6.5, table 6", run_network_kernels},
    {"romou-fig5",
     "time of a work-group over registers and work-items",
     "Romou (MobiCom 2022), section 3.1, figure 5",
     nullptr,
     {},
     run_romou_registers,
     "adreno-640"},
    {"romou-fig6",
     "latency of a read over data range and stride",
     "Romou (MobiCom 2022), section 3.1, figure 6",
     run_romou_chase,
     {},
     nullptr,
     "adreno-640"},
    {"romou-fig7",
     "time of arithmetic over the work-items of a group",
     "Romou (MobiCom 2022), section 3.1, figure 7",
     nullptr,
     {},
     run_romou_warp,
     "adreno-640"},
    {"romou-fig11",
     "rooflines with simulated 1x1 convolutions",
     "Romou (MobiCom 2022), section 3.2, figure 11",
     run_romou_roofline,
     {},
     nullptr,
     "adreno-640"},
    {"romou-pruning", "spaces of two convolutions before and after pruning",
     "Romou (MobiCom 2022), sections 4.2 and 5.3", run_romou_pruning},
    {"romou-fig17", "1x1 convolutions in buffers and in images", "Romou (MobiCom 2022), section 5.3, figure 17",
     run_romou_breakdown},
    {"romou-fig18", "fastest kernel over the runs of a search, with and without pruning",
     "Romou (MobiCom 2022), section 5.3, figure 18", run_romou_search_cost},
    {"workgroup-fig4", "ALU utilisation and latency over work-group sizes",
     "Jiang et al. (APSys 2020), section 3.2, figure 4", run_work_group_utilisation},
    {"workgroup-fig5", "latencies of all work-group sizes", "Jiang et al. (APSys 2020), section 4.1, figure 5",
     run_work_group_distribution},
    {"workgroup-table3", "importance scores of the work-group rules", "Jiang et al. (APSys 2020), section 4.1, table 3",
     run_work_group_scores},
    {.name = "forms",
     .title = "kernels with and without what is said to make them faster",
     .source =
         "Romou (MobiCom 2022), sections 4.1 and 5.3; phone-training study (PerCom workshops 2022), section III-A",
     .paper_device = "adreno-640",
     .kernels = run_kernel_forms},
    {.name = "training-fig3",
     .title = "matrix products of the study of training on phones",
     .source = "phone-training study (PerCom workshops 2022), section IV-A, figure 3",
     .kernels = run_training_matmul},
    {"registers", "registers as they are estimated and as real compilers take them",
     "Mesa 26.1.6, freedreno and panfrost", run_register_estimates},
    {.name = "judges",
     .title = "how far model, simulator and measured kernels agree",
     .source = "TMModel (ICS 2025), section 6.4; aims of ours",
     .survey = run_judges},
});

} // namespace

std::string to_string(Verdict verdict)
{
    constexpr std::array names{"holds", "does not hold", "not tested"};
    return names[static_cast<std::size_t>(verdict)];
}

std::string findings_text(const ExperimentResult& result)
{
    std::string out = result.plot.title + "\n\n";
    for (const auto& [name, value] : result.conditions) {
        out += fmt::format("{}: {}\n", name, value);
    }
    for (const Finding& finding : result.findings) {
        out += fmt::format("\n{}: {}\n    paper: {}\n    here:  {}\n", to_string(finding.verdict), finding.claim,
                           finding.paper, finding.ours);
        if (!finding.explanation.empty()) {
            out += fmt::format("    why:   {}\n", finding.explanation);
        }
    }
    return out;
}

std::span<const Experiment> all_experiments()
{
    return experiments;
}

ExperimentResult Experiment::run(const DeviceProfile& device, const Progress& progress, const StopToken& stop) const
{
    if (survey != nullptr) {
        return run(std::vector{device}, progress, stop);
    }
    if (kernels != nullptr) {
        return explained(kernels(nullptr, device, progress, stop), device);
    }
    SimulatedTarget target(device, 0, 1, stop); // without noise
    return explained(measure == nullptr ? simulate(device, progress, stop) : measure(target, device, progress, stop),
                     device);
}

ExperimentResult Experiment::run(const std::vector<DeviceProfile>& devices, const Progress& progress,
                                 const StopToken& stop) const
{
    ExperimentResult result = survey(devices, progress, stop);
    for (Finding& finding : result.findings) {
        if (finding.verdict == Verdict::does_not_hold && finding.explanation.empty()) {
            finding.explanation = explanation_of(name, finding.claim);
        }
    }
    return result;
}

ExperimentResult Experiment::explained(ExperimentResult result, const DeviceProfile& device) const
{
    if (device.name == "adreno-740" || device.name == only_device || device.name == paper_device) {
        for (Finding& finding : result.findings) {
            if (finding.verdict == Verdict::does_not_hold) {
                finding.explanation = explanation_of(name, finding.claim);
            }
        }
    }
    return result;
}

const Experiment& find_experiment(const std::string& name)
{
    const auto found = std::ranges::find(experiments, name, &Experiment::name);
    if (found == experiments.end()) {
        throw bad_input("there is no experiment '" + name + "'", {},
                        "experiments are " + joined(experiments, &Experiment::name));
    }
    return *found;
}

} // namespace texelscope::experiments
