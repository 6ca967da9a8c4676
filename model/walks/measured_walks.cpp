#include "model/walks/measured_walks.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace texelscope::model {

std::int64_t MeasuredWalks::reads() const
{
    std::int64_t sum = 0;
    for (const TexelWalk& walk : walks) {
        sum += static_cast<std::int64_t>(walk.texels.size());
    }
    return sum;
}

void validate(const TexelWalk& walk, Extent2D extent)
{
    const std::string where = fmt::format("walk {}", walk.number);
    if (walk.texels.empty()) {
        throw bad_input("it has no reads", where);
    }
    const auto outside = std::find_if(walk.texels.begin(), walk.texels.end(),
                                      [&](Texel t) { return !extent.contains(t); });
    if (outside != walk.texels.end()) {
        throw bad_input(fmt::format("the read at ({}, {}) is outside of the image of {}x{} texels",
                                    outside->x, outside->y, extent.width, extent.height),
                        where, "is that the image that was measured?");
    }
}

void validate(const MeasuredWalks& measured)
{
    if (measured.extent.width <= 0 || measured.extent.height <= 0 ||
        measured.bytes_per_texel.value <= 0 ||
        !std::has_single_bit(static_cast<std::uint64_t>(measured.bytes_per_texel.value)) ||
        measured.bytes_per_texel.value > 16) {
        throw bad_input("the image is empty, or its texels are not of 1, 2, 4, 8 or 16 bytes",
                        "walks");
    }
    if (measured.size() < 2) {
        throw bad_input("fewer than two walks with a latency", "walks", "measure more of them");
    }
    if (measured.ns_per_read.size() != measured.size()) {
        throw bad_input("not one latency for each walk", "walks");
    }
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const TexelWalk& walk = measured.walks[i];
        const std::string where = fmt::format("walk {}", walk.number);
        validate(walk, measured.extent);
        if (!(measured.ns_per_read[i] > 0) || !std::isfinite(measured.ns_per_read[i])) {
            throw bad_input(
                fmt::format("its latency of {} ns is not positive", measured.ns_per_read[i]),
                where);
        }
    }
}

} // namespace texelscope::model
