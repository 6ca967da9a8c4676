#include "experiments/experiment.hpp"

#include "experiments/figures/model_accuracy.hpp"
#include "experiments/figures/occupancy_waves.hpp"
#include "experiments/figures/romou_pruning.hpp"
#include "experiments/figures/warp_scaling.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace texelscope {
namespace {

constexpr std::array<Experiment, 4> experiments{{
    {"fig4", "scaling of access patterns with the threads of a warp", "TMModel (ICS 2025), section 3.2.1, figure 4",
     run_warp_scaling},
    {"fig5", "L1 miss rate and time over the warps of a work-group", "TMModel (ICS 2025), section 3.2.2, figure 5",
     run_occupancy_waves},
    {"fig10", "choices of the models against exhaustive search", "TMModel (ICS 2025), section 6.4, figures 9 and 10",
     run_model_accuracy},
    {"romou-pruning", "spaces of two convolutions before and after pruning",
     "Romou (MobiCom 2022), sections 4.2 and 5.3", run_romou_pruning},
}};

struct CsvText {
    std::string operator()(const std::string& word) const { return word; }
    std::string operator()(std::int64_t count) const { return fmt::format("{}", count); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
};

} // namespace

std::string to_string(Verdict verdict)
{
    switch (verdict) {
    case Verdict::holds:
        return "holds";
    case Verdict::does_not_hold:
        return "does not hold";
    case Verdict::not_tested:
        return "not tested";
    }
    return "";
}

std::string to_csv(const ResultTable& table)
{
    std::string out;
    const auto end_line = [&] { out.back() = '\n'; };
    for (const std::string& column : table.columns) {
        out += column + ",";
    }
    end_line();
    for (const auto& row : table.rows) {
        for (const ResultTable::Value& value : row) {
            out += std::visit(CsvText{}, value) + ",";
        }
        end_line();
    }
    return out;
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
    }
    return out;
}

std::span<const Experiment> all_experiments()
{
    return experiments;
}

const Experiment& find_experiment(const std::string& name)
{
    const auto found = std::find_if(experiments.begin(), experiments.end(),
                                    [&](const Experiment& experiment) { return experiment.name == name; });
    if (found != experiments.end()) {
        return *found;
    }
    std::string known;
    for (const Experiment& experiment : experiments) {
        known += (known.empty() ? "" : ", ") + std::string(experiment.name);
    }
    throw bad_input("there is no experiment '" + name + "'", {}, "experiments are " + known);
}

} // namespace texelscope
