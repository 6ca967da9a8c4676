// Divides an image into cells of which heat maps show sums: single texels, blocks, or the texels of
// a cache line. Under a blocked layout the lines are rectangles, and then are numbered row by row,
// so that sums form an image again.

#include "sim/observers/texel_cells.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace texelscope::sim {
namespace {

std::optional<std::int32_t> positive_number(std::string_view text)
{
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && value > 0
               ? std::optional(value)
               : std::nullopt;
}

template <class Visit>
void for_each_texel(Extent2D image, const Visit& visit)
{
    for (std::int32_t y = 0; y < image.height; ++y) {
        for (std::int32_t x = 0; x < image.width; ++x) {
            visit(Texel{x, y});
        }
    }
}

} // namespace

HeatResolution parse_heat_resolution(const std::string& text)
{
    if (text == "texel") {
        return {};
    }
    if (text == "line") {
        return {HeatResolution::Kind::line, {1, 1}};
    }
    const std::string_view block = "block:";
    const std::size_t by = text.find('x');
    if (text.starts_with(block) && by != std::string::npos) {
        const auto width =
            positive_number(std::string_view(text).substr(block.size(), by - block.size()));
        const auto height = positive_number(std::string_view(text).substr(by + 1));
        if (width && height) {
            return {HeatResolution::Kind::block, {*width, *height}};
        }
    }
    throw bad_input("'" + text + "' is no resolution of a heat map", {},
                    "use texel, line or block:WIDTHxHEIGHT");
}

std::string to_string(const HeatResolution& resolution)
{
    switch (resolution.kind) {
    case HeatResolution::Kind::texel:
        return "texel";
    case HeatResolution::Kind::line:
        return "line";
    case HeatResolution::Kind::block:
        break;
    }
    return "block:" + std::to_string(resolution.block.width) + "x" +
           std::to_string(resolution.block.height);
}

TexelCells TexelCells::blocks(Extent2D image, Extent2D block)
{
    TexelCells cells;
    cells.image_ = image;
    cells.cell_of_.resize(static_cast<std::size_t>(image.area()));
    const std::int32_t columns = (image.width - 1) / block.width + 1;
    const std::int32_t rows = (image.height - 1) / block.height + 1;
    cells.cells_.resize(static_cast<std::size_t>(std::int64_t{columns} * rows));
    cells.rectangle_ = block;
    for_each_texel(image, [&](Texel t) {
        const std::int32_t number = t.y / block.height * columns + t.x / block.width;
        cells.cell_of_[static_cast<std::size_t>(cells.index(t))] = number;
        Cell& cell = cells.cells_[static_cast<std::size_t>(number)];
        cell.first = {t.x / block.width * block.width, t.y / block.height * block.height};
        ++cell.texels;
    });
    return cells;
}

// Lines are those of memory: where the image does not begin at a line, its first line is shared
// with what is before.
TexelCells TexelCells::lines(const StoredImage& image, Bytes line)
{
    TexelCells cells;
    cells.image_ = image.extent;
    cells.cell_of_.resize(static_cast<std::size_t>(image.extent.area()));
    struct Found {
        std::int64_t address = 0; ///< lowest of a texel
        Cell cell;
    };
    std::unordered_map<std::int64_t, Found> found; // by line
    const auto line_of = [&](std::int64_t address) {
        return address / line.value - image.base / line.value;
    };
    for_each_texel(image.extent, [&](Texel t) {
        const std::int64_t address = image.address(t);
        const auto [place, is_new] =
            found.try_emplace(line_of(address), Found{address, {line_of(address), t, 0}});
        Found& one = place->second;
        if (address < one.address) {
            one.address = address;
            one.cell.first = t;
        }
        ++one.cell.texels;
    });
    for (const auto& [number, one] : found) {
        cells.cells_.push_back(one.cell);
    }
    std::sort(cells.cells_.begin(), cells.cells_.end(),
              [](const Cell& a, const Cell& b) { return a.line < b.line; });
    std::unordered_map<std::int64_t, std::int32_t> numbers;
    for (std::size_t i = 0; i < cells.cells_.size(); ++i) {
        numbers.emplace(cells.cells_[i].line, static_cast<std::int32_t>(i));
    }
    for_each_texel(image.extent, [&](Texel t) {
        cells.cell_of_[static_cast<std::size_t>(cells.index(t))] =
            numbers.at(line_of(image.address(t)));
    });
    cells.find_rectangle();
    return cells;
}

void TexelCells::find_rectangle()
{
    // If the cells are rectangles of one size, then that of the first texel has it.
    Extent2D size{1, 1};
    while (size.width < image_.width && cell_of({size.width, 0}) == cell_of({0, 0})) {
        ++size.width;
    }
    while (size.height < image_.height && cell_of({0, size.height}) == cell_of({0, 0})) {
        ++size.height;
    }
    const std::int64_t rectangles =
        std::int64_t{(image_.width - 1) / size.width + 1} * ((image_.height - 1) / size.height + 1);
    if (rectangles != count()) {
        return;
    }
    bool all = true;
    for_each_texel(image_, [&](Texel t) {
        all = all && cell_of(t) ==
                         cell_of({t.x / size.width * size.width, t.y / size.height * size.height});
    });
    if (all) {
        number_row_by_row(size);
    }
}

void TexelCells::number_row_by_row(Extent2D rectangle)
{
    rectangle_ = rectangle;
    const std::int32_t columns = (image_.width - 1) / rectangle.width + 1;
    std::vector<Cell> ordered(cells_.size());
    for_each_texel(image_, [&](Texel t) {
        std::int32_t& number = cell_of_[static_cast<std::size_t>(index(t))];
        const std::int32_t place = t.y / rectangle.height * columns + t.x / rectangle.width;
        ordered[static_cast<std::size_t>(place)] = cells_[static_cast<std::size_t>(number)];
        number = place;
    });
    cells_ = std::move(ordered);
}

std::vector<std::int64_t> TexelCells::sums(const HeatMap& map) const
{
    std::vector<std::int64_t> sums(cells_.size(), 0);
    for (std::size_t i = 0; i < cell_of_.size(); ++i) {
        sums[static_cast<std::size_t>(cell_of_[i])] += map.counts[i];
    }
    return sums;
}

Extent2D TexelCells::array_extent() const
{
    return rectangle_ ? Extent2D{(image_.width - 1) / rectangle_->width + 1,
                                 (image_.height - 1) / rectangle_->height + 1}
                      : image_;
}

} // namespace texelscope::sim
