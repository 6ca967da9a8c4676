#include "gui/heat_map/storage_curve.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace texelscope::gui {
namespace {

struct Cell {
    std::int64_t place = 0; ///< in memory, counted in cells
    QPointF middle;
};

std::optional<Extent2D> cells_within(const StoredImage& image, const TexelRange& range, std::int64_t most)
{
    std::vector<Extent2D> sizes{{1, 1}};
    sizes.insert(sizes.end(), image.layout.blocks().begin(), image.layout.blocks().end());
    const auto few = std::find_if(sizes.begin(), sizes.end(), [&](Extent2D size) {
        const std::int64_t columns = (range.x1 - 1) / size.width - range.x0 / size.width + 1;
        const std::int64_t rows = (range.y1 - 1) / size.height - range.y0 / size.height + 1;
        return columns * rows <= most;
    });
    return few == sizes.end() ? std::nullopt : std::optional(*few);
}

} // namespace

QList<QLineF> storage_curve(const StoredImage& image, const TexelRange& range, std::int64_t most)
{
    if (range.x0 >= range.x1 || range.y0 >= range.y1) {
        return {};
    }
    const std::optional<Extent2D> size = cells_within(image, range, most);
    if (!size) {
        return {};
    }
    const std::int64_t bytes = size->area() * image.bytes_per_texel;
    std::vector<Cell> cells;
    for (std::int32_t y = range.y0 / size->height * size->height; y < range.y1; y += size->height) {
        for (std::int32_t x = range.x0 / size->width * size->width; x < range.x1; x += size->width) {
            // Blocks are cut off at the edges of the image.
            const std::int32_t right = std::min(x + size->width, image.extent.width);
            const std::int32_t bottom = std::min(y + size->height, image.extent.height);
            cells.push_back({image.layout.offset({x, y}) / bytes, {(x + right) / 2.0, (y + bottom) / 2.0}});
        }
    }
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.place < b.place; });
    QList<QLineF> lines;
    for (std::size_t i = 1; i < cells.size(); ++i) {
        if (cells[i].place - cells[i - 1].place <= 1) {
            lines << QLineF(cells[i - 1].middle, cells[i].middle);
        }
    }
    return lines;
}

} // namespace texelscope::gui
