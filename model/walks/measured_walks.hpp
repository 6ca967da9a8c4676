#pragma once

#include "traces/image.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::model {

/// One pointer chase through an image: the texels of its dependent reads, in order.
struct TexelWalk {
    std::int64_t number = 0; ///< what files call it
    std::vector<Texel> texels;

    bool operator==(const TexelWalk&) const = default;
};

/// Walks of a single work-item through one image, each a launch of its own that starts with a cold
/// L1 cache and data in the next level, and how long a read took on average.
struct MeasuredWalks {
    Extent2D extent;
    Bytes bytes_per_texel{16};
    std::vector<TexelWalk> walks;
    std::vector<double> ns_per_read; ///< by walk, positive

    [[nodiscard]] std::size_t size() const { return walks.size(); }
    [[nodiscard]] std::int64_t reads() const;
};

/// Throws bad_input for a walk without reads, or with a read outside of the image.
void validate(const TexelWalk& walk, Extent2D extent);

/// Throws bad_input for fewer than two walks, a walk without reads, a read outside of the image, a
/// latency that is not positive, or another number of latencies than walks.
void validate(const MeasuredWalks& measured);

} // namespace texelscope::model
