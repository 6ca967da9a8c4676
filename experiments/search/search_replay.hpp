#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/store/stored_result.hpp"
#include "workbench/tuning/measured_correction.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Searches on kernels that were measured before, as if they were run now.
//
// What goes in: measured kernels of one device (measured_spaces()). What comes out: what a strategy
// has found after each run (replayed()). What always holds: a search sees the time of a kernel only
// when it asks for it, and nothing of its shape beforehand; a kernel that could not run costs a
// run.

/// All measured kernels of one operator and shape: a space whose times are known.
struct MeasuredSpace {
    Operator op;
    std::vector<Schedule> schedules;               ///< each once
    std::vector<std::optional<Nanoseconds>> times; ///< of each; nothing: it could not run
    Nanoseconds best{0};
    Nanoseconds worst{0};
};
/// Of each operator and shape, in the order of their appearance; of a kernel that is there twice
/// the last counts. Throws bad_input where no kernel of a shape ran, or a text is malformed.
[[nodiscard]] std::vector<MeasuredSpace> measured_spaces(const std::vector<StoredResult>& results);

/// Best of the first n runs over the best that is known, by n - 1. While nothing could run, the
/// worst time counts.
using FoundAfter = std::vector<double>;

/// A strategy's search of so many runs at most. After its end what it found stays, so the result
/// has as many elements as there are runs, or kernels if these are fewer. Throws Interrupted.
[[nodiscard]] FoundAfter replayed(const std::string& strategy, const MeasuredSpace& measured,
                                  const DeviceProfile& device, std::int64_t runs,
                                  std::uint64_t seed, const MeasuredCorrection* others = nullptr,
                                  const StopToken& stop = {});

/// The first run after which a search has come within that share of the best, or nothing.
[[nodiscard]] std::optional<std::int64_t> runs_within(const FoundAfter& found, double share);

} // namespace texelscope::experiments
