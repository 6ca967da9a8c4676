#pragma once

#include "base/stop.hpp"
#include "sim/observers/cross_block_histogram.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace texelscope::model {

// A read outside of its image touches no memory (border) or reads the nearest texel (edge); the
// sequences below hold the texels that are touched, as the simulator's lookups do.

/// The texels that one work-item touches, in program order, for each image of the source. `item` is
/// its linear number in the group. A work-item that reads nothing has empty sequences. Throws
/// bad_input for a group that the source does not have, or a negative item. Throws Interrupted if
/// `stop`, asked now and then, says so.
[[nodiscard]] std::vector<std::vector<Texel>> item_texels(const TraceSource& source,
                                                          std::int64_t group, std::int32_t item,
                                                          const StopToken& stop = {});

/// The cross-block histograms of all work-items of a source, added up for each image.
struct ItemHistograms {
    /// For each image, the sum over the work-items. There is no stride from one work-item to the
    /// next.
    std::vector<CrossBlockHistogram> total;
    std::int64_t items = 0; ///< work-items that read something

    /// The histogram of the mean work-item, rounded to whole strides.
    [[nodiscard]] CrossBlockHistogram mean(int image) const;
};
/// Computes them. Throws Interrupted if `stop`, asked once for each work-group, says so.
[[nodiscard]] ItemHistograms
item_histograms(const TraceSource& source,
                std::span<const Extent2D> shapes = default_block_shapes(),
                const StopToken& stop = {});

} // namespace texelscope::model
