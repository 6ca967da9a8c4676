#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "experiments/phones/phone_agreement.hpp"
#include "experiments/phones/phone_baselines.hpp"
#include "experiments/phones/phone_judges.hpp"
#include "experiments/phones/phone_residuals.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// How well model and simulator foretell kernels that others measured on phones: AutoTVM's logs,
// with a clock for each task, against plain baselines.

struct PhoneOptions {
    PhoneJudges judges;
    std::size_t rows = 200; ///< kernels of a task, drawn with the seed; 0: all
    std::uint64_t seed = 1;
    int threads = 0; ///< 0: all cores
    /// The profile of that name; nothing where there is none.
    std::function<std::optional<DeviceProfile>(const std::string& name)> profile;
};

/// One task whose kernels were judged.
struct PhoneTask {
    std::string device, task, op, dtype;
    workbench::kernel_logs::Clock clock = {};
    std::int64_t measured = 0; ///< kernels at that clock
    std::int64_t rows = 0;     ///< of these, kernels that were judged
    std::optional<PhoneAgreement> model, simulator;
    std::vector<PhoneResidual> model_residuals, simulator_residuals;
    /// Share of the kernels inside of the 80 % interval of the machines that the device can be;
    /// nothing where it has none.
    std::optional<double> coverage;
    std::vector<PhoneBaseline> baselines;
    /// A kernel that was judged: times in ns, the judges' with added_constant(); 0 where not asked.
    struct Point {
        double measured = 0, model = 0, simulator = 0;
    };
    std::vector<Point> points;
};

/// The best kernel of one layer of a network.
struct PhoneLayer {
    std::string device, task, op, dtype;
    double measured_ns = 0;
    PhoneTimes judged;
};

/// How a judge's times of layers, with those of the copies (copies_ns()), are to those measured.
struct PhoneRatios {
    std::string device, judge;
    std::int64_t layers = 0;
    double low = 0, median = 0, high = 0; ///< judged / measured: 10, 50 and 90 %
    double within_twice = 0;              ///< share between one half and two
};

struct MeasuredPhones {
    std::int64_t lines = 0; ///< of all logs
    std::vector<PhoneTask> tasks;
    std::vector<PhoneLayer> layers;
    std::vector<PhoneRatios> ratios;
    std::map<std::string, std::int64_t> left_out; ///< rows by reason; of judges, of those drawn
};

/// Judges tasks and layers. Throws Interrupted.
[[nodiscard]] MeasuredPhones measured_phones(const workbench::kernel_logs::MeasuredTasks& tasks,
                                             const PhoneOptions& options,
                                             const Progress& progress = {},
                                             const StopToken& stop = {});

} // namespace texelscope::experiments
