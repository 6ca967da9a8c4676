#pragma once

#include "sim/layout/bit_layout.hpp"
#include "sim/layout/line_shift.hpp"
#include "sim/layout/nested_layout.hpp"
#include "traces/image.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::sim {

/// A published layout by its name, one of named_layouts().
struct NamedLayout {
    std::string name;

    bool operator==(const NamedLayout&) const = default;
};

/// How texels are stored. By default in rows, without padding.
using LayoutSpec = std::variant<NestedLayout, BitLayout, NamedLayout>;

/// Reads any of the three: levels ("4x4:row,row"), bits ("bits:2x2:x0^y0,y0") or a name
/// ("mali-u-interleaved"). Throws bad_input, saying what is wrong in one line, for text that is
/// none of them.
[[nodiscard]] LayoutSpec parse_layout(const std::string& text);
[[nodiscard]] std::string to_string(const LayoutSpec& spec);

/// A layout applied to one image: (x, y) -> byte offset from the image's start. Injective over the
/// image.
class TexelLayout {
public:
    /// Takes O(width + height). Throws bad_input for a layout that is malformed, that does not
    /// exist for this texel size, or that would spread the image over more than 2^62 bytes.
    TexelLayout(LayoutSpec spec, Extent2D extent, Bytes bytes_per_texel);

    /// Offset of the first byte of a texel of the image, which must contain it.
    [[nodiscard]] std::int64_t offset(Texel t) const
    {
        const auto x = static_cast<std::size_t>(t.x);
        const auto y = static_cast<std::size_t>(t.y);
        if (form_ == Form::sum) {
            return by_x_[x] + by_y_[y];
        }
        if (form_ == Form::exclusive_or) {
            return (by_x_[x] ^ by_y_[y]) * bytes_per_texel_ + row_of_tiles_[y];
        }
        return nested_offset(t);
    }

    /// Where every offset is x[t.x] + y[t.y] bytes: the two tables.
    struct Sums {
        std::span<const std::int64_t> x;
        std::span<const std::int64_t> y;
    };
    [[nodiscard]] std::optional<Sums> sums() const
    {
        return form_ == Form::sum ? std::optional(Sums{by_x_, by_y_}) : std::nullopt;
    }

    /// Bytes from the first to past the last stored byte, padding included.
    [[nodiscard]] Bytes size() const { return size_; }
    [[nodiscard]] const LayoutSpec& spec() const { return spec_; }

    /// How the offsets repeat over the image: the smallest shift in each direction; with Hilbert
    /// blocks, the outermost block. Takes O((width + height) log).
    [[nodiscard]] Translation period() const;

    /// Sizes in texels of the blocks that the image is cut into, from inner to outer.
    [[nodiscard]] const std::vector<Extent2D>& blocks() const { return blocks_; }

private:
    enum class Form {
        /// A term of x plus one of y: row, column and Morton orders, bits of x and y apart.
        sum,
        exclusive_or, ///< a term of x xor one of y, plus one of the row of tiles
        general,      ///< with Hilbert blocks
    };

    void lay_out(const NestedLayout& layout, Extent2D extent);
    void lay_out(const BitLayout& layout, Extent2D extent);
    [[nodiscard]] std::int64_t nested_offset(Texel t) const;

    LayoutSpec spec_;
    Extent2D extent_;
    std::int64_t bytes_per_texel_;
    Bytes size_{0};
    Form form_ = Form::sum;
    std::vector<std::int64_t> by_x_;         ///< bytes; texels where xored
    std::vector<std::int64_t> by_y_;         ///< bytes; texels where xored
    std::vector<std::int64_t> row_of_tiles_; ///< by y, bytes; where xored
    NestedLayout nested_;
    std::int64_t outer_stride_ = 1; ///< blocks of the outermost level along its fast direction
    std::vector<Extent2D> blocks_;
};

} // namespace texelscope::sim
