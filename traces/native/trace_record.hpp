#pragma once

#include "traces/image.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::traces {

/// Kinds of images, as OpenCL has them (image1d_t, image1d_buffer_t, image1d_array_t ...).
enum class ImageKind { one, one_buffer, one_array, two, two_array, three };
/// By number: in files and in output.
inline constexpr std::array<const char*, 6> image_kind_names{"1D", "1D-buffer", "1D-array",
                                                             "2D", "2D-array",  "3D"};
[[nodiscard]] inline const char* to_string(ImageKind kind)
{
    return image_kind_names[static_cast<std::size_t>(kind)];
}
/// Nothing for another name.
[[nodiscard]] std::optional<ImageKind> image_kind(std::string_view name);

/// An image argument of a recorded launch.
struct TracedImage {
    std::string name;
    std::int32_t width = 1;
    std::int32_t height = 1;
    /// Slices of a 3D image, layers of an array; 1: the image has two dimensions.
    std::int32_t depth = 1;
    /// Channel order and type, such as "RGBA/float"; empty where it is not known.
    std::string format;
    std::int32_t bytes_per_texel = 16;
    std::int32_t argument = -1; ///< number of the kernel's argument; -1 where it is not known
    AddressMode address_mode = AddressMode::border;
    ImageKind kind = ImageKind::two;

    /// Whether its texels lie side by side in memory, whatever the device does with other images:
    /// a row of texels has no tiles.
    [[nodiscard]] bool is_linear() const
    {
        return kind == ImageKind::one || kind == ImageKind::one_buffer ||
               kind == ImageKind::one_array;
    }

    bool operator==(const TracedImage&) const = default;
};

/// A buffer argument of a recorded launch.
struct TracedBuffer {
    std::string name;
    std::int64_t bytes = 0;
    std::int32_t argument = -1;

    bool operator==(const TracedBuffer&) const = default;
};

/// What the work-items of a launch executed. Each element of a vector counts.
struct ExecutedOperations {
    /// Additions, products, multiply-adds, comparisons ... of float and double.
    std::int64_t floats = 0;
    std::int64_t halves = 0;   ///< the same of half
    std::int64_t specials = 0; ///< quotients, roots, exponentials, logarithms, sines ...
    std::int64_t integers = 0; ///< arithmetic and comparisons of whole numbers; conversions
    std::int64_t others = 0;   ///< instructions that compute nothing: loads, moves, branches ...

    ExecutedOperations& operator+=(const ExecutedOperations& other)
    {
        floats += other.floats;
        halves += other.halves;
        specials += other.specials;
        integers += other.integers;
        others += other.others;
        return *this;
    }
    bool operator==(const ExecutedOperations&) const = default;
};

/// "8x4x1".
[[nodiscard]] std::string size_text(const std::array<std::int64_t, 3>& size);

/// A kernel launch as it was recorded. Work-groups are numbered x fastest, then y, then z.
struct TracedLaunch {
    std::string kernel;
    std::array<std::int64_t, 3> global{1, 1, 1}; ///< work-items
    std::array<std::int64_t, 3> local{1, 1, 1};  ///< work-items of a work-group
    std::array<std::int64_t, 3> offset{0, 0, 0}; ///< global offset
    std::vector<TracedImage> images;
    std::vector<TracedBuffer> buffers;
    std::optional<ExecutedOperations> executed = {}; ///< nullopt: not counted

    bool operator==(const TracedLaunch&) const = default;
};

enum class AccessKind : std::uint8_t {
    image_read = 0,
    image_write = 1,
    buffer_read = 2,
    buffer_write = 3
};

/// One access of a work-item. Texels are as the kernel computed them: they may lie outside of the
/// image.
struct TracedAccess {
    AccessKind kind = AccessKind::image_read;
    std::uint16_t object = 0; ///< index into images or buffers of the launch
    std::int32_t x = 0;       ///< images only
    std::int32_t y = 0;
    std::int32_t z = 0;      ///< slice or layer
    std::int32_t bytes = 0;  ///< buffers only
    std::int64_t offset = 0; ///< buffers only; bytes from the buffer's start

    bool operator==(const TracedAccess&) const = default;
};

/// What one work-item did, in program order.
struct TracedItem {
    std::int32_t item = 0; ///< linear number in its work-group, x fastest
    std::vector<TracedAccess> accesses;

    bool operator==(const TracedItem&) const = default;
};

} // namespace texelscope::traces
