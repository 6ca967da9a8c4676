#pragma once

#include "base/units.hpp"
#include "experiments/shared/experiment_device.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::experiments {

// Romou, section 3.1 with listing 2 and figure 6: a pointer chase round and round over an image of
// one row, in strides. The range from which on a read takes longer is the capacity of the L1;
// beyond it, the stride from which on every read misses is its line.

struct StridedChase {
    struct Point {
        std::int64_t range = 0; ///< in elements
        Nanoseconds latency{0}; ///< of a read, once the caches have seen the range
    };
    struct Series {
        std::int64_t stride = 1; ///< in elements
        std::vector<Point> points;
    };
    /// One RGBA texel of 8 bits, as the paper counts in 4 B; of 32-bit floats on a real device,
    /// whose texels hold the place of the next.
    Bytes element{4};
    std::vector<Series> series; ///< by stride, ascending; the same ranges in each
};

/// On the simulated device, ranges from half to one and a half of its L1 in 32 steps, strides from
/// an eighth of a line to two lines, but at least one element. The image lies in one row of memory,
/// as one-dimensional images do.
[[nodiscard]] StridedChase measure_strided_chase(const DeviceProfile& device,
                                                 const Progress& progress = {},
                                                 const StopToken& stop = {});

/// The same on a real device, whose image is one row of texels of 16 B; its layout is the device's.
/// The L1 is the profile's. Throws missing where the device has no image that is so wide.
[[nodiscard]] StridedChase measure_strided_chase(Target& target, const DeviceProfile& device,
                                                 const Progress& progress = {},
                                                 const StopToken& stop = {});

/// The largest range of a series that is still read as fast as the smallest one; nothing where all
/// are.
[[nodiscard]] std::optional<std::int64_t> last_hit_range(const StridedChase::Series& series);

/// The smallest stride, in elements, whose reads at the largest range take as long as those of any
/// stride: every read then brings another line. Nothing where no stride is slower than the smallest
/// range.
[[nodiscard]] std::optional<std::int64_t> line_stride(const StridedChase& data);

/// What the paper says of figure 6, decided by the data.
[[nodiscard]] std::vector<Finding> romou_chase_findings(const StridedChase& data);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_romou_chase;

} // namespace texelscope::experiments
