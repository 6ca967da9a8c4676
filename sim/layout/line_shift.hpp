#pragma once

#include "base/layers.hpp"
#include "traces/image.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace texelscope::sim {

/// A translation of line numbers: every line of an image moves by the same distance, each image by
/// its own.
class LineShift {
public:
    struct ImageLines {
        /// Line in which the image starts; ascending from image to image.
        std::int64_t first = 0;
        std::int64_t distance = 0; ///< lines
        /// False where nothing reads the image: its lines stay, and do not count for rotation().
        bool moves = true;
    };

    explicit LineShift(std::vector<ImageLines> images) : images_(std::move(images)) {}

    [[nodiscard]] std::int64_t operator()(std::int64_t line) const
    {
        std::size_t image = images_.size() - 1;
        while (image > 0 && images_[image].first > line) {
            --image;
        }
        return line + images_[image].distance;
    }

    /// By how many sets the translation rotates a cache with set = line mod sets, in [0, sets).
    /// nullopt where the images that move would rotate it by different numbers.
    [[nodiscard]] std::optional<std::int64_t> rotation(std::int64_t sets) const
    {
        std::optional<std::int64_t> common;
        for (const ImageLines& image : images_) {
            if (!image.moves) {
                continue;
            }
            const std::int64_t rotation = ((image.distance % sets) + sets) % sets;
            if (common && *common != rotation) {
                return std::nullopt;
            }
            common = rotation;
        }
        return common.value_or(0);
    }

    [[nodiscard]] bool is_identity() const
    {
        return std::all_of(images_.begin(), images_.end(),
                           [](const ImageLines& image) { return image.distance == 0; });
    }

private:
    std::vector<ImageLines> images_;
};

/// How a layout repeats itself over an image: `x_bytes` lie between any two texels of the image
/// that are `texels.width` apart in a row, and `y_bytes` between any two that are `texels.height`
/// apart in a column. Where a side is the image's own, no two texels of the image are that far
/// apart, and the bytes are 0.
struct Translation {
    Extent2D texels;
    std::int64_t x_bytes = 0;
    std::int64_t y_bytes = 0;

    bool operator==(const Translation&) const = default;
};

/// Smallest p >= 1 such that values[i + p] - values[i] is the same, and repeated[i + p] is
/// repeated[i], wherever both exist; so at most the size. `repeated` has as many elements as
/// `values`, or none. Takes O(size log size).
[[nodiscard]] std::int32_t smallest_shift(std::span<const std::int64_t> values,
                                          std::span<const std::int64_t> repeated = {});

} // namespace texelscope::sim
