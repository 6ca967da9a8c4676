#include "workbench/plots/heat_map_file.hpp"

#include "base/error.hpp"
#include "base/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace texelscope::workbench::plots {
namespace {

/// Appends elements of eight bytes in little-endian order, whatever this machine has.
template <class T>
void append_little_endian(std::string& bytes, const std::vector<T>& elements)
{
    bytes.reserve(bytes.size() + elements.size() * 8);
    for (const T element : elements) {
        const auto bits = std::bit_cast<std::uint64_t>(element);
        for (unsigned shift = 0; shift < 64; shift += 8) {
            bytes.push_back(static_cast<char>(bits >> shift & 0xFFU));
        }
    }
}

/// The columns that tell a cell: x and y, for lines their number too, for blocks their sides, which
/// are cut at the image's edge.
std::string cell_columns(const TexelCells& cells, HeatResolution::Kind kind, std::int64_t number)
{
    const TexelCells::Cell& cell = cells.cells()[static_cast<std::size_t>(number)];
    if (kind == HeatResolution::Kind::texel) {
        return fmt::format("{},{}", cell.first.x, cell.first.y);
    }
    if (kind == HeatResolution::Kind::line) {
        return fmt::format("{},{},{},{}", cell.line, cell.first.x, cell.first.y, cell.texels);
    }
    const Extent2D block = cells.rectangle().value();
    return fmt::format("{},{},{},{}", cell.first.x, cell.first.y,
                       std::min(block.width, cells.image().width - cell.first.x),
                       std::min(block.height, cells.image().height - cell.first.y));
}

} // namespace

// Sums and counts are added up by cell before means are taken.
HeatTable::HeatTable(const HeatMaps& maps, int image, const HeatValue& value, TexelCells cells,
                     HeatResolution::Kind kind)
    : cells_(std::move(cells)), kind_(kind), value_(value),
      sums_(cells_.sums(maps.map(image, value.sum)))
{
    if (value_.count) {
        counts_ = cells_.sums(maps.map(image, *value_.count));
    }
}

Picture HeatTable::picture(const std::string& title, ColourScale scale, int largest) const
{
    return value_.count ? heat_map_picture(
                              HeatMeans{cells_.image(), cells_.on_texels(means(sums_, counts_))},
                              title, scale, largest)
                        : heat_map_picture(HeatMap{cells_.image(), cells_.on_texels(sums_)}, title,
                                           scale, largest);
}

std::string HeatTable::csv() const
{
    std::string text = kind_ == HeatResolution::Kind::texel  ? "x,y"
                       : kind_ == HeatResolution::Kind::line ? "line,x,y,texels"
                                                             : "x,y,width,height";
    text += value_.count ? ",mean,count\n" : ",count\n";
    for (std::int64_t i = 0; i < cells_.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (value_.count && counts_[at] != 0) {
            fmt::format_to(std::back_inserter(text), "{},{},{}\n", cell_columns(cells_, kind_, i),
                           static_cast<double>(sums_[at]) / static_cast<double>(counts_[at]),
                           counts_[at]);
        } else if (!value_.count && sums_[at] != 0) {
            fmt::format_to(std::back_inserter(text), "{},{}\n", cell_columns(cells_, kind_, i),
                           sums_[at]);
        }
    }
    return text;
}

std::string HeatTable::npy() const
{
    return value_.count
               ? to_npy(HeatMeans{cells_.array_extent(), cells_.as_array(means(sums_, counts_))})
               : to_npy(HeatMap{cells_.array_extent(), cells_.as_array(sums_)});
}

std::string to_csv(const HeatMap& map)
{
    std::string text = "x,y,count\n";
    auto count = map.counts.begin();
    for (int y = 0; y < map.extent.height; ++y) {
        for (int x = 0; x < map.extent.width; ++x, ++count) {
            if (*count != 0) {
                fmt::format_to(std::back_inserter(text), "{},{},{}\n", x, y, *count);
            }
        }
    }
    return text;
}

std::string to_npy(const HeatMap& map)
{
    std::string bytes = npy_header("<i8", {map.extent.height, map.extent.width});
    append_little_endian(bytes, map.counts);
    return bytes;
}

std::string to_npy(const HeatMeans& map)
{
    std::string bytes = npy_header("<f8", {map.extent.height, map.extent.width});
    append_little_endian(bytes, map.values);
    return bytes;
}

} // namespace texelscope::workbench::plots
