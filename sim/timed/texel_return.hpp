#pragma once

#include "sim/options/machine.hpp"
#include "traces/image.hpp"
#include "traces/trace_source.hpp"

#include <cstdint>
#include <span>

namespace texelscope::sim {

/// Cycles in which the texture unit hands back to each lane of a warp what it has read, whether
/// lanes share a texel or not: texture.return, and buffers.return for buffers.
class TexelReturn {
public:
    /// `images` must outlive this.
    TexelReturn(std::span<const Image> images, const Machine& machine)
        : images_(images), of_image_(cycles_per_byte(machine.service_of(false).returned)),
          of_buffer_(cycles_per_byte(machine.service_of(true).returned))
    {}

    /// Of a number of lanes that all read this image.
    [[nodiscard]] double of(std::size_t image, std::int64_t lanes) const
    {
        const auto bytes = static_cast<double>(lanes * images_[image].bytes_per_texel.value);
        return bytes * (images_[image].buffer ? of_buffer_ : of_image_);
    }
    [[nodiscard]] double of(std::span<const LaneRead> lanes) const
    {
        if (of_image_ == 0 && of_buffer_ == 0) {
            return 0;
        }
        std::int64_t bytes = 0;
        std::int64_t of_buffers = 0;
        for (const LaneRead& lane : lanes) {
            const Image& image = images_[lane.image];
            (image.buffer ? of_buffers : bytes) += image.bytes_per_texel.value;
        }
        return static_cast<double>(bytes) * of_image_ +
               static_cast<double>(of_buffers) * of_buffer_;
    }

private:
    [[nodiscard]] static double cycles_per_byte(const std::optional<double>& bytes_per_cycle)
    {
        return bytes_per_cycle ? 1 / *bytes_per_cycle : 0;
    }

    std::span<const Image> images_;
    double of_image_, of_buffer_; ///< cycles per byte; 0: no time of its own
};

} // namespace texelscope::sim
