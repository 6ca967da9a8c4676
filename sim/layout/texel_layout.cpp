// The address of every texel of an image under a layout.
//
// In: a layout as a value (LayoutSpec), the image's size, bytes per texel. Out: offset() and
// period(). The constructor brings the layout into one of three forms, of which the first two need
// only tables over x and over y:
//   sum           by_x[x] + by_y[y]
//   exclusive_or  (by_x[x] xor by_y[y]) * bytes per texel + row_of_tiles[y]
//   general       evaluated level by level (Hilbert curves)

#include "sim/layout/texel_layout.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "sim/layout/named_layouts.hpp"

#include <algorithm>
#include <bit>

namespace texelscope::sim {
namespace {

/// A lone word that is no order of the outermost level.
NamedLayout parse_name(const std::string& name, const std::string& where)
{
    const auto& known = named_layouts();
    if (std::any_of(known.begin(), known.end(),
                    [&](const auto& layout) { return layout.name == name; })) {
        return {name};
    }
    std::vector<std::string> words{"row", "column"};
    std::string list = "row, column";
    for (const NamedLayoutInfo& layout : known) {
        words.push_back(layout.name);
        list += ", " + layout.name;
    }
    const auto nearest =
        std::min_element(words.begin(), words.end(), [&](const auto& a, const auto& b) {
            return edit_distance(a, name) < edit_distance(b, name);
        });
    constexpr std::size_t likely_slip = 3;
    throw bad_input("there is no layout of that name", where,
                    !name.empty() && name.size() <= 100 &&
                            edit_distance(*nearest, name) <= likely_slip
                        ? "did you mean '" + *nearest + "'?"
                        : "give levels (4x4:row,row), bits (bits:2x2:x0,y0) or one of " + list);
}

std::string where_of(const LayoutSpec& spec)
{
    return "layout '" + to_string(spec) + "'";
}

/// Width times height times bytes per texel, where that is not beyond all bounds.
Bytes stored_size(std::int64_t width, std::int64_t height, std::int64_t bytes_per_texel,
                  const LayoutSpec& spec)
{
    // Checked in floating point, where the product cannot overflow.
    constexpr double most = 4.6e18; // 2^62
    if (static_cast<double>(width) * static_cast<double>(height) *
            static_cast<double>(bytes_per_texel) >
        most) {
        throw bad_input("the image takes more bytes than can be numbered", where_of(spec),
                        "use smaller images");
    }
    return Bytes{width * height * bytes_per_texel};
}

/// The part in a place in the tile of each value of one coordinate, from 0: the xor of the parts of
/// its bits. `mask` gives the bits of the coordinate that take part in an index bit.
template <class Mask>
std::vector<std::int64_t> places(const BitLayout& layout, std::int32_t count, const Mask& mask)
{
    std::vector<std::int64_t> part_of_bit;
    for (int k = 0; k < 31; ++k) {
        std::int64_t part = 0;
        for (std::size_t i = 0; i < layout.bits.size(); ++i) {
            part |= std::int64_t{mask(layout.bits[i]) >> k & 1U} << i;
        }
        part_of_bit.push_back(part);
    }
    std::vector<std::int64_t> parts(static_cast<std::size_t>(count), 0);
    for (std::size_t v = 1; v < parts.size(); ++v) {
        // v & (v - 1) is v without its lowest bit, so every value costs one xor.
        parts[v] = parts[v & (v - 1)] ^ part_of_bit[static_cast<std::size_t>(std::countr_zero(v))];
    }
    return parts;
}

/// f(0), ..., f(count - 1) of an f with f(v + period) = f(v) + f(period), f(0) = 0, which is asked
/// for one period only.
template <class F>
std::vector<std::int64_t> repeated(std::int32_t count, std::int64_t period, const F& f)
{
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(count));
    const auto first = static_cast<std::int32_t>(std::min<std::int64_t>(count, period));
    for (std::int32_t v = 0; v < first; ++v) {
        values.push_back(f(v));
    }
    const std::int64_t step = first < count ? f(first) : 0;
    for (std::int32_t v = first; v < count; ++v) {
        values.push_back(values[static_cast<std::size_t>(v - first)] + step);
    }
    return values;
}

/// Bits in which the values differ.
std::int64_t varying(const std::vector<std::int64_t>& values)
{
    std::int64_t bits = 0;
    for (const std::int64_t value : values) {
        bits |= value ^ values.front();
    }
    return bits;
}

/// Smallest shift of (own[i] xor any of the other side's values) * scale + added[i].
std::int32_t smallest_xored_shift(const std::vector<std::int64_t>& own,
                                  const std::vector<std::int64_t>& other, std::int64_t scale,
                                  const std::vector<std::int64_t>& added)
{
    // Where a bit differs between two of our values and the other side flips it, their distance
    // changes by twice that bit's weight; distinct powers of two never cancel. So the bits that
    // vary on the other side must repeat as they are, and the rest is a sum.
    const std::int64_t shared = varying(other);
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> repeated;
    for (std::size_t i = 0; i < own.size(); ++i) {
        values.push_back(((own[i] ^ other.front()) & ~shared) * scale +
                         (added.empty() ? 0 : added[i]));
        repeated.push_back(own[i] & shared);
    }
    return smallest_shift(values, repeated);
}

} // namespace

LayoutSpec parse_layout(const std::string& text)
{
    const std::string where = "layout '" + text + "'";
    const std::string bits = "bits:";
    if (text.starts_with(bits)) {
        return parse_bit_layout(text.substr(bits.size()), where);
    }
    const bool order = text == "row" || text == "column" || text == "morton" || text == "hilbert";
    if (!order && text.find_first_of(":,") == std::string::npos) {
        return parse_name(text, where);
    }
    return parse_nested_layout(text, where);
}

std::string to_string(const LayoutSpec& spec)
{
    if (const auto* named = std::get_if<NamedLayout>(&spec)) {
        return named->name;
    }
    if (const auto* bits = std::get_if<BitLayout>(&spec)) {
        return to_string(*bits);
    }
    return to_string(std::get<NestedLayout>(spec));
}

TexelLayout::TexelLayout(LayoutSpec spec, Extent2D extent, Bytes bytes_per_texel)
    : spec_(std::move(spec)), extent_(extent), bytes_per_texel_(bytes_per_texel.value)
{
    if (const auto* nested = std::get_if<NestedLayout>(&spec_)) {
        lay_out(*nested, extent);
    } else if (const auto* bits = std::get_if<BitLayout>(&spec_)) {
        lay_out(*bits, extent);
    } else {
        lay_out(named_layout(std::get<NamedLayout>(spec_).name, extent, bytes_per_texel), extent);
    }
}

void TexelLayout::lay_out(const NestedLayout& layout, Extent2D extent)
{
    check(layout, where_of(spec_));
    nested_ = layout;
    std::int64_t block_width = 1;
    std::int64_t block_height = 1;
    bool hilbert = false;
    for (const BlockLevel& level : layout.levels) {
        block_width *= level.width;
        block_height *= level.height;
        hilbert = hilbert || (level.order == StorageOrder::hilbert && level.width > 1);
        if (block_width > (1 << 20) || block_height > (1 << 20)) {
            throw bad_input("the blocks are larger than any image", where_of(spec_),
                            "use fewer levels");
        }
        blocks_.push_back(
            {static_cast<std::int32_t>(block_width), static_cast<std::int32_t>(block_height)});
    }
    const std::int64_t across = (extent.width + block_width - 1) / block_width;
    const std::int64_t down = (extent.height + block_height - 1) / block_height;
    outer_stride_ = layout.outer == StorageOrder::row ? across : down;
    size_ = stored_size(across * block_width, down * block_height, bytes_per_texel_, spec_);
    if (hilbert) {
        form_ = Form::general;
        return;
    }
    // Every other order is a sum of one term over x and one over y; offset(0, 0) = 0.
    form_ = Form::sum;
    by_x_ = repeated(extent.width, block_width, [this](std::int32_t x) {
        return nested_offset({x, 0});
    });
    by_y_ = repeated(extent.height, block_height, [this](std::int32_t y) {
        return nested_offset({0, y});
    });
}

void TexelLayout::lay_out(const BitLayout& layout, Extent2D extent)
{
    check(layout, where_of(spec_));
    blocks_.push_back(layout.tile);
    const Extent2D stored = padded(layout, extent);
    size_ = stored_size(stored.width, stored.height, bytes_per_texel_, spec_);
    const auto x_mask = [](const IndexBit& bit) { return bit.x; };
    const auto y_mask = [](const IndexBit& bit) { return bit.y; };
    by_x_ = places(layout, extent.width, x_mask);
    by_y_ = places(layout, extent.height, y_mask);

    std::int64_t constant = 0;
    for (std::size_t i = 0; i < layout.bits.size(); ++i) {
        constant |= std::int64_t{layout.bits[i].inverted} << i;
    }
    std::int64_t used_by_x = 0;
    std::int64_t used_by_y = 0;
    for (std::size_t x = 0; x < by_x_.size(); ++x) {
        by_x_[x] ^= constant;
        used_by_x |= by_x_[x];
        by_x_[x] |= std::int64_t(x >> log2_of(layout.tile.width)) << layout.bits.size();
    }
    const std::int64_t tile_row_bytes =
        std::int64_t{stored.width} * layout.tile.height * bytes_per_texel_;
    row_of_tiles_.reserve(by_y_.size());
    for (std::size_t y = 0; y < by_y_.size(); ++y) {
        used_by_y |= by_y_[y];
        row_of_tiles_.push_back(std::int64_t(y >> log2_of(layout.tile.height)) * tile_row_bytes);
    }
    if ((used_by_x & used_by_y) == 0) { // xor is a sum where no bit is set on both sides
        form_ = Form::sum;
        for (std::int64_t& part : by_x_) {
            part *= bytes_per_texel_;
        }
        for (std::size_t y = 0; y < by_y_.size(); ++y) {
            by_y_[y] = by_y_[y] * bytes_per_texel_ + row_of_tiles_[y];
        }
        row_of_tiles_.clear();
        return;
    }
    form_ = Form::exclusive_or;
}

// The shortest distance along each axis by which the whole pattern of addresses repeats, and how
// many bytes it moves by. Jumps move images by multiples of it.
Translation TexelLayout::period() const
{
    Translation result;
    switch (form_) {
    case Form::sum:
        result.texels = {smallest_shift(by_x_), smallest_shift(by_y_)};
        break;
    case Form::exclusive_or:
        result.texels = {smallest_xored_shift(by_x_, by_y_, bytes_per_texel_, {}),
                         smallest_xored_shift(by_y_, by_x_, bytes_per_texel_, row_of_tiles_)};
        break;
    case Form::general:
        result.texels = {std::min(blocks_.back().width, extent_.width),
                         std::min(blocks_.back().height, extent_.height)};
        break;
    }
    if (result.texels.width < extent_.width) {
        result.x_bytes = offset({result.texels.width, 0}) - offset({0, 0});
    }
    if (result.texels.height < extent_.height) {
        result.y_bytes = offset({0, result.texels.height}) - offset({0, 0});
    }
    return result;
}

std::int64_t TexelLayout::nested_offset(Texel t) const
{
    std::int64_t index = 0;
    std::int64_t cells = 1; // texels of the block of the level below
    for (const BlockLevel& level : nested_.levels) {
        index += cells * cell_index(level, t.x % level.width, t.y % level.height);
        cells *= std::int64_t{level.width} * level.height;
        t = {t.x / level.width, t.y / level.height};
    }
    const bool rows = nested_.outer == StorageOrder::row;
    const std::int64_t fast = rows ? t.x : t.y;
    const std::int64_t slow = rows ? t.y : t.x;
    return (index + cells * (slow * outer_stride_ + fast)) * bytes_per_texel_;
}

} // namespace texelscope::sim
