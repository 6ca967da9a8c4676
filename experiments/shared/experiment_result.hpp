#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/plots/result_table.hpp"

#include <string>
#include <utility>
#include <vector>

namespace texelscope::devices {
class Target;
struct DeviceProfile;
} // namespace texelscope::devices

namespace texelscope::experiments {

struct ExperimentDevice;

/// Whether a statement of the paper holds on this device.
enum class Verdict {
    holds,
    does_not_hold,
    /// The data cannot show it, e.g. data of one thread cannot show scaling.
    not_tested,
};
[[nodiscard]] std::string to_string(Verdict verdict);

/// A statement of the paper that the data decide.
struct Finding {
    std::string claim;
    std::string paper; ///< what the paper gives for it, with its section
    std::string ours;  ///< the same from the data
    Verdict verdict = Verdict::not_tested;
    /// Why the statement may not hold on the simulated Adreno 740 or on the device that the
    /// experiment is about, as far as that is known. It is shown only where the statement does not
    /// hold (Experiment::explained()). It begins with where the cause lies: "simulator", "profile",
    /// "wording", "set-up" or "model", with "probably" where no further experiment has confirmed
    /// it.
    std::string explanation = {};
};
[[nodiscard]] constexpr Verdict verdict_of(bool holds)
{
    return holds ? Verdict::holds : Verdict::does_not_hold;
}

/// An experiment's answer, ready to print and draw.
struct ExperimentResult {
    /// What was run: name and value.
    using Conditions = std::vector<std::pair<std::string, std::string>>;
    Conditions conditions;
    ResultTable table;
    std::vector<Finding> findings;
    PanelPlot plot;
    /// A further table, of experiments whose rows are of several kinds.
    struct FurtherTable {
        std::string name; ///< of its file and member, in the manner of "farthest"
        std::string title;
        ResultTable table;
    };
    std::vector<FurtherTable> further = {};
    /// The device of `--on`, whose times count; empty: the simulated device of the profile. It is
    /// filled in where the experiment is run (Experiment::run_on()).
    std::string measured_on = {};
};
/// A ratio as tables have it: rounded to thousandths.
[[nodiscard]] double thousandths(double value);

/// Conditions and findings as lines of plain text, for a file beside the plot.
[[nodiscard]] std::string findings_text(const ExperimentResult& result);

/// A function that runs an experiment on a simulated device or, where there is one, on a real one.
using DeviceExperiment = ExperimentResult(const ExperimentDevice& device, const Progress& progress,
                                          const StopToken& stop);
/// A function that runs an experiment on a target, real or simulated, that the profile describes.
using MeasuredExperiment = ExperimentResult(Target& target, const DeviceProfile& device,
                                            const Progress& progress, const StopToken& stop);
/// A function that runs an experiment on several simulated devices.
using SurveyExperiment = ExperimentResult(const std::vector<DeviceProfile>& devices,
                                          const Progress& progress, const StopToken& stop);

} // namespace texelscope::experiments
