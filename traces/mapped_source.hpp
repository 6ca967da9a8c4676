#pragma once

#include "traces/trace_source.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::traces {

/// An image in place of another one, and where the texels of the other one lie in it.
struct ImageMap {
    Image image;
    /// The place of a texel that lies in the image before. Empty: where it was.
    std::function<Texel(Texel)> place;
};

// What a kernel would read if its data lay otherwise. A read outside of the image before gets its
// nearest texel where its address mode says so, and else stays outside.

[[nodiscard]] ImageMap unchanged(const Image& image);
/// x and y change places.
[[nodiscard]] ImageMap transposed(const Image& image);
/// Rows of `width` texels, of which only those of the image before are read.
[[nodiscard]] ImageMap padded(const Image& image, std::int32_t width);
/// The rows one behind the other in a buffer. Throws bad_input beyond 2^31 - 1 texels.
[[nodiscard]] ImageMap as_buffer(const Image& image);
/// A buffer, which is an image of one row, as an image of rows of `width` texels: number i is at
/// (i % width, i / width).
[[nodiscard]] ImageMap as_image(const Image& buffer, std::int32_t width);

/// The source with other images: by image of `source` what it becomes; nullopt leaves its reads
/// out. The steps that stay keep their numbers. Both can be read by several threads at once.
[[nodiscard]] std::unique_ptr<TraceSource>
mapped_source(std::shared_ptr<const TraceSource> source,
              std::span<const std::optional<ImageMap>> maps);

} // namespace texelscope::traces
