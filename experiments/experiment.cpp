#include "experiments/experiment.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/targets/simulated_target.hpp"
#include "experiments/judges/judges.hpp"
#include "experiments/judges/register_estimates.hpp"
#include "experiments/romou/kernel_forms.hpp"
#include "experiments/romou/romou_breakdown.hpp"
#include "experiments/romou/romou_chase.hpp"
#include "experiments/romou/romou_operators.hpp"
#include "experiments/romou/romou_pruning.hpp"
#include "experiments/romou/romou_registers.hpp"
#include "experiments/romou/romou_roofline.hpp"
#include "experiments/romou/romou_search_cost.hpp"
#include "experiments/romou/romou_warp.hpp"
#include "experiments/search/searches.hpp"
#include "experiments/shared/experiment_device.hpp"
#include "experiments/tmmodel/gain_breakdown.hpp"
#include "experiments/tmmodel/kernel_speedups.hpp"
#include "experiments/tmmodel/measured_choices.hpp"
#include "experiments/tmmodel/model_accuracy.hpp"
#include "experiments/tmmodel/model_readings.hpp"
#include "experiments/tmmodel/network_inference.hpp"
#include "experiments/tmmodel/network_kernels.hpp"
#include "experiments/tmmodel/occupancy_waves.hpp"
#include "experiments/tmmodel/pattern_map.hpp"
#include "experiments/tmmodel/stride_regression.hpp"
#include "experiments/tmmodel/training_times.hpp"
#include "experiments/tmmodel/tuning_cost.hpp"
#include "experiments/tmmodel/warp_scaling.hpp"
#include "experiments/training/training_copies.hpp"
#include "experiments/training/training_matmul.hpp"
#include "experiments/work_groups/work_group_distribution.hpp"
#include "experiments/work_groups/work_group_networks.hpp"
#include "experiments/work_groups/work_group_scores.hpp"
#include "experiments/work_groups/work_group_utilisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope::experiments {
// The table of all experiments. The command line, the window, the documents and Python go by its
// rows. `processor_seconds` is what a run takes on this project's machine, to tell before it
// starts.
namespace {

constexpr std::string_view of_shipped_kernels =
    "it is of kernels that were measured before; experiments/measurements/tune_shapes.sh measures "
    "these on a device";

constexpr std::string_view of_dense_kernels =
    "it is of kernels that were measured before; experiments/measurements/tune_dense.sh measures "
    "these on a device";

constexpr auto experiments = std::to_array<Experiment>({
    {.name = "fig2",
     .title = "latency of random walks by their cross-block strides",
     .source = "TMModel (ICS 2025), section 3.1, figure 2",
     .processor_seconds = 1,
     .function = run_stride_regression},
    {.name = "fig4",
     .title = "scaling of access patterns with the threads of a warp",
     .source = "TMModel (ICS 2025), section 3.2.1, figure 4",
     .processor_seconds = 1,
     .function = run_warp_scaling},
    {.name = "fig5",
     .title = "L1 miss rate and time over the warps of a work-group",
     .source = "TMModel (ICS 2025), section 3.2.2, figure 5",
     .processor_seconds = 1,
     .function = run_occupancy_waves,
     .not_on_devices =
         "its kernels have chosen registers and reads under way, which a compiler would choose, "
         "and it is of L1 misses, which a device does not tell"},
    {.name = "table3",
     .title = "speed-up of our choices over those of frameworks",
     .source = "TMModel (ICS 2025), section 6.2, table 3",
     .processor_seconds = 85,
     .function = run_kernel_speedups},
    {.name = "fig8",
     .title = "best access patterns over the output's shape",
     .source = "TMModel (ICS 2025), section 6.2, figure 8",
     .processor_seconds = 28,
     .function = run_pattern_map},
    {.name = "fig9",
     .title = "gain of tiles and of patterns, against exhaustive search",
     .source = "TMModel (ICS 2025), section 6.4, figure 9",
     .processor_seconds = 66,
     .function = run_gain_breakdown},
    {.name = "fig10",
     .title = "choices of the models against exhaustive search",
     .source = "TMModel (ICS 2025), section 6.4, figures 9 and 10",
     .processor_seconds = 170,
     .function = run_model_accuracy},
    {.name = "readings",
     .title = "choices of the model by what its symbols are taken to mean",
     .source = "TMModel (ICS 2025), section 4",
     .processor_seconds = 66,
     .function = run_model_readings},
    {.name = "measured",
     .title = "choices of the models among kernels measured on an NVIDIA H200",
     .source = "TMModel (ICS 2025), section 6.4, figures 9 and 10",
     .processor_seconds = 26,
     .function = run_measured_h200,
     .only_device = "nvidia-h200",
     .not_on_devices = of_shipped_kernels},
    {.name = "measured-h100",
     .title = "choices of the models among kernels measured on an NVIDIA H100",
     .source = "TMModel (ICS 2025), section 6.4, figures 9 and 10",
     .processor_seconds = 35,
     .function = run_measured_h100,
     .only_device = "nvidia-h100",
     .not_on_devices = of_shipped_kernels},
    {.name = "search",
     .title = "runs that searches take to the best kernel, on an NVIDIA H200's",
     .source = "aims of ours",
     .processor_seconds = 300,
     .function = run_searches,
     .only_device = "nvidia-h200",
     .not_on_devices = of_dense_kernels},
    {.name = "table5",
     .title = "time that tuning takes",
     .source = "TMModel (ICS 2025), section 6.5, table 5",
     .processor_seconds = 89,
     .function = run_tuning_cost},
    {.name = "table6",
     .title = "choices for kernels of two networks on another architecture",
     .source = "TMModel (ICS 2025), section 6.5, table 6",
     .processor_seconds = 76,
     .function = run_network_kernels},
    {.name = "tmmodel-table4",
     .title = "training of four networks, planned in five ways",
     .source = "TMModel (ICS 2025), section 6.3, table 4",
     .processor_seconds = 900,
     .function = run_training_table4},
    {.name = "tmmodel-table6",
     .title = "training of two networks on another architecture, planned in five ways",
     .source = "TMModel (ICS 2025), section 6.5, table 6",
     .processor_seconds = 700,
     .function = run_training_table6,
     .paper_device = "mali-g77"},
    {.name = "tmmodel-table7",
     .title = "inference of two networks, planned in three ways",
     .source = "TMModel (ICS 2025), section 6.5, table 7",
     .processor_seconds = 140,
     .function = run_network_inference},
    {.name = "romou-fig5",
     .title = "time of a work-group over registers and work-items",
     .source = "Romou (MobiCom 2022), section 3.1, figure 5",
     .processor_seconds = 1,
     .function = run_romou_registers,
     .paper_device = "adreno-640"},
    {.name = "romou-fig6",
     .title = "latency of a read over data range and stride",
     .source = "Romou (MobiCom 2022), section 3.1, figure 6",
     .processor_seconds = 1,
     .function = run_romou_chase,
     .paper_device = "adreno-640"},
    {.name = "romou-fig7",
     .title = "time of arithmetic over the work-items of a group",
     .source = "Romou (MobiCom 2022), section 3.1, figure 7",
     .processor_seconds = 1,
     .function = run_romou_warp,
     .paper_device = "adreno-640"},
    {.name = "romou-fig11",
     .title = "rooflines with 1x1 convolutions",
     .source = "Romou (MobiCom 2022), section 3.2, figure 11",
     .processor_seconds = 7,
     .function = run_romou_roofline,
     .paper_device = "adreno-640"},
    {.name = "romou-pruning",
     .title = "spaces of two convolutions before and after pruning",
     .source = "Romou (MobiCom 2022), sections 4.2 and 5.3",
     .processor_seconds = 1,
     .function = run_romou_pruning,
     .paper_device = "adreno-640",
     .not_on_devices = "it counts the configurations of spaces, and runs none"},
    {.name = "romou-fig13",
     .title = "operators of four networks against TVM and TFLite",
     .source = "Romou (MobiCom 2022), sections 5.2 and 5.3, figures 13 to 16",
     .processor_seconds = 330,
     .function = run_romou_operators,
     .paper_device = "adreno-640"},
    {.name = "romou-fig17",
     .title = "1x1 convolutions in buffers and in images",
     .source = "Romou (MobiCom 2022), section 5.3, figure 17",
     .processor_seconds = 10,
     .function = run_romou_breakdown,
     .paper_device = "adreno-640"},
    {.name = "romou-fig18",
     .title = "fastest kernel over the runs of a search, with and without pruning",
     .source = "Romou (MobiCom 2022), section 5.3, figure 18",
     .processor_seconds = 37,
     .function = run_romou_search_cost,
     .paper_device = "adreno-640"},
    {.name = "workgroup-fig4",
     .title = "ALU utilisation and latency over work-group sizes",
     .source = "Jiang et al. (APSys 2020), section 3.2, figure 4",
     .processor_seconds = 22,
     .function = run_work_group_utilisation,
     .paper_device = "adreno-630"},
    {.name = "workgroup-fig5",
     .title = "latencies of all work-group sizes",
     .source = "Jiang et al. (APSys 2020), section 4.1, figure 5",
     .processor_seconds = 26,
     .function = run_work_group_distribution,
     .paper_device = "adreno-630"},
    {.name = "workgroup-table3",
     .title = "importance scores of the work-group rules",
     .source = "Jiang et al. (APSys 2020), section 4.1, table 3",
     .processor_seconds = 54,
     .function = run_work_group_scores,
     .paper_device = "adreno-640"},
    {.name = "workgroup-fig6",
     .title = "networks with work-groups of TFLite and of the rules",
     .source = "Jiang et al. (APSys 2020), sections 3.2 and 4.2, figures 3 and 6, table 2",
     .processor_seconds = 830,
     .function = run_work_group_networks,
     .paper_device = "adreno-630"},
    {.name = "forms",
     .title = "kernels with and without what is said to make them faster",
     .source = "Romou (MobiCom 2022), sections 4.1 and 5.3; phone-training study (PerCom workshops "
               "2022), section III-A",
     .processor_seconds = 18,
     .function = run_kernel_forms,
     .paper_device = "adreno-640"},
    {.name = "training-fig3",
     .title = "matrix products of the study of training on phones",
     .source = "phone-training study (PerCom workshops 2022), section IV-A, figure 3",
     .processor_seconds = 2,
     .function = run_training_matmul,
     .paper_device = "adreno-650"},
    {.name = "percom-fig4",
     .title = "computing and copies of training steps of small networks",
     .source = "phone-training study (PerCom workshops 2022), sections IV-B and IV-C, figure 4",
     .processor_seconds = 30,
     .function = run_training_copies,
     .paper_device = "adreno-650"},
    {.name = "registers",
     .title = "registers as they are estimated and as real compilers take them",
     .source = "Mesa 26.1.6, freedreno and panfrost",
     .processor_seconds = 4,
     .function = run_register_estimates,
     .not_on_devices = "it is of registers that compilers take, whatever the device"},
    {.name = "judges",
     .title = "how far model, simulator and measured kernels agree",
     .source = "TMModel (ICS 2025), section 6.4; aims of ours",
     .processor_seconds = 720,
     .function = run_judges,
     .not_on_devices =
         "it compares models with the simulator on several simulated devices; crosscheck --on "
         "compares them with a device"},
});

/// Clears explanations, except those of findings that do not hold, and these too unless `shown`.
ExperimentResult with_explanations(ExperimentResult result, bool shown)
{
    for (Finding& finding : result.findings) {
        if (!shown || finding.verdict != Verdict::does_not_hold) {
            finding.explanation.clear();
        }
    }
    return result;
}

} // namespace

std::span<const Experiment> all_experiments()
{
    return experiments;
}

void Experiment::check_runs_on_devices() const
{
    if (!runs_on_devices()) {
        throw bad_input("no device can give its figures: " + std::string(not_on_devices),
                        "experiment " + std::string(name) + " --on",
                        "leave --on out; experiment list says which take it");
    }
}

ExperimentResult Experiment::run(const DeviceProfile& device, const Progress& progress,
                                 const StopToken& stop) const
{
    if (surveys()) {
        return run(std::vector{device}, progress, stop);
    }
    if (measures_target()) {
        SimulatedTarget target(device, 0, 1, stop); // no noise
        return explained(std::get<MeasuredExperiment*>(function)(target, device, progress, stop),
                         device);
    }
    return explained(std::get<DeviceExperiment*>(function)({device}, progress, stop), device);
}

ExperimentResult Experiment::run(Target& target, const DeviceProfile& device,
                                 const Progress& progress, const StopToken& stop) const
{
    ExperimentResult result =
        explained(std::get<MeasuredExperiment*>(function)(target, device, progress, stop), device);
    result.measured_on = target.info().name;
    return result;
}

ExperimentResult Experiment::run(const std::vector<DeviceProfile>& devices,
                                 const Progress& progress, const StopToken& stop) const
{
    return with_explanations(std::get<SurveyExperiment*>(function)(devices, progress, stop), true);
}

std::string Experiment::takes() const
{
    constexpr int minute = 60;
    return processor_seconds < 2 * minute
               ? fmt::format("{} s", processor_seconds)
               : fmt::format("{} min", (processor_seconds + minute / 2) / minute);
}

ExperimentResult Experiment::run_on(const std::string& on, const JobRunnerOptions& how,
                                    const DeviceProfile& device, const Progress& progress,
                                    const StopToken& stop) const
{
    check_runs_on_devices();
    const OpenClDevice opened(on, how);
    const ExperimentDevice real{device, &opened};
    if (measures_target()) {
        ExperimentResult result = run(*gpu_target(opened, stop), device, progress, stop);
        result.findings = decided_on(real, std::move(result.findings));
        return result;
    }
    ExperimentResult result =
        explained(std::get<DeviceExperiment*>(function)(real, progress, stop), device);
    result.measured_on = real.name();
    return result;
}

// Explanations were found on the Adreno 740, or on the device that the experiment is about; of any
// other device they would be guesses.
ExperimentResult Experiment::explained(ExperimentResult result, const DeviceProfile& device) const
{
    const bool of_device =
        device.name == "adreno-740" || device.name == only_device || device.name == paper_device;
    return with_explanations(std::move(result), of_device);
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
