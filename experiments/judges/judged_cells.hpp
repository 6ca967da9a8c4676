#pragma once

#include "devices/profile/device_profile.hpp"
#include "experiments/judges/judge_agreement.hpp"
#include "experiments/shared/experiment_result.hpp"
#include "workbench/study/prediction.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

/// The variants of the model that are compared with the simulator; the first is the one that should
/// agree.
inline constexpr std::array judged_variants{ModelVariant::bottleneck, ModelVariant::literal,
                                            ModelVariant::refined, ModelVariant::reuse_aware};

struct NamedShape {
    std::string op, shape;
};
/// Seven operators, each with a small and a larger shape.
[[nodiscard]] std::vector<NamedShape> judged_shapes();

/// How much is simulated.
struct CellOptions {
    std::vector<NamedShape> shapes = judged_shapes();
    std::size_t kernels = 20;     ///< of a cell
    std::int64_t sample = 20'000; ///< warp accesses of each time (sampled_time())
    std::uint64_t seed = 3;
};

/// Kernels of one operator and shape on one device, as crosscheck() samples them.
struct JudgedCell {
    std::size_t device = 0; ///< place among the devices
    NamedShape shape;
    /// The first half are the bottleneck model's best, the others are drawn at random.
    std::vector<Schedule> schedules;
    std::vector<double> simulated_ns;                                     ///< of each
    std::array<std::vector<double>, judged_variants.size()> predicted_ns; ///< by variant, of each

    [[nodiscard]] Agreement agreement(std::size_t variant) const
    {
        return agreement_of(predicted_ns[variant], simulated_ns);
    }
    /// Simulated time of the best configuration of the first half, over that of the best of all.
    [[nodiscard]] double shortlist() const;
};

/// Judges all shapes on all devices, device by device, each with its own calibration. Uses all
/// cores of this machine. Throws Interrupted.
[[nodiscard]] std::vector<JudgedCell> judged_cells(const std::vector<DeviceProfile>& devices,
                                                   const std::vector<Calibration>& calibrations,
                                                   const CellOptions& options,
                                                   const Progress& progress = {},
                                                   const StopToken& stop = {});

} // namespace texelscope::experiments
