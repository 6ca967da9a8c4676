#pragma once

#include "devices/profile/device_profile.hpp"
#include "experiments/judges/judge_agreement.hpp"
#include "experiments/shared/experiment_result.hpp"
#include "workbench/store/shipped_measurements.hpp"
#include "workbench/study/prediction.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// The judges that are compared with measured kernels: the simulator, then judged_variants in their
/// order.
inline constexpr std::array measured_judges{"simulator", "bottleneck", "literal", "refined",
                                            "reuse-aware"};

/// The measured kernels of one operator and shape.
struct JudgedShape {
    std::string profile;
    bool fitted_on = false; ///< whether values of the profile were fitted to its kernels
    std::string op, shape;
    std::vector<double> measured_ns;
    std::array<std::vector<double>, measured_judges.size()> judged_ns; ///< by judge, of each

    [[nodiscard]] Agreement agreement(std::size_t judge) const
    {
        return agreement_of(judged_ns[judge], measured_ns);
    }
    /// Measured time of the kernel that the simulator takes from the bottleneck model's first
    /// `count`, over the best measured time; nothing where there are no more than `count` kernels.
    [[nodiscard]] std::optional<double> shortlist(std::size_t count) const;
};

struct MeasuredOptions {
    std::size_t most_kernels = 0;         ///< of a shape, drawn at random with the seed; 0: all
    std::size_t every = 1;                ///< only every so many-th shape is looked at
    std::int64_t sample = 20'000;         ///< warp accesses of each simulated time (sampled_time())
    std::int64_t longest_sample = 80'000; ///< kernels that cannot be cut to as few are left out
    std::uint64_t seed = 3;
};

struct JudgedMeasurements {
    std::vector<JudgedShape> shapes; ///< those fitted on first
    std::int64_t kernels = 0;        ///< of these
    std::int64_t too_long = 0;       ///< kernels that were left out for the length of their samples
    std::int64_t left_out = 0;       ///< shapes of which fewer than four kernels were left
};

/// Asks every judge about kernels that were measured on the device. Uses all cores of this machine.
/// Throws Interrupted.
[[nodiscard]] JudgedMeasurements
judged_measurements(const TuningMeasurements& tuning, const DeviceProfile& device,
                    const Calibration& calibration, const MeasuredOptions& options,
                    const Progress& progress = {}, const StopToken& stop = {});

} // namespace texelscope::experiments
