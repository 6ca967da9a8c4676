#include "gui/heat_map/overlays.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace texelscope::gui;

namespace {

StoredImage stored(const char* layout, Extent2D extent)
{
    SimulationOptions options;
    options.machine.layout = parse_layout(layout);
    Image image;
    image.name = "A";
    image.extent = extent;
    return store_images({&image, 1}, options).front();
}

} // namespace

TEST_CASE("the curve of texels joins those that follow each other in memory, and no others")
{
    for (const char* layout :
         {"row", "column", "4x4:row,row", "8x8:morton,row", "8x8:hilbert,row"}) {
        CAPTURE(layout);
        StoredImage image = [&] {
            try {
                return stored(layout, {16, 24});
            } catch (const std::exception& error) {
                FAIL(error.what());
                throw;
            }
        }();
        const TexelRange range{3, 13, 2, 20};
        std::map<std::int64_t, QPointF> by_place;
        for (std::int32_t y = range.y0; y < range.y1; ++y) {
            for (std::int32_t x = range.x0; x < range.x1; ++x) {
                by_place[image.layout.offset({x, y}) / image.bytes_per_texel] = {x + 0.5, y + 0.5};
            }
        }
        std::set<std::pair<std::pair<double, double>, std::pair<double, double>>> expected;
        for (const auto& [place, at] : by_place) {
            if (const auto next = by_place.find(place + 1); next != by_place.end()) {
                expected.insert({{at.x(), at.y()}, {next->second.x(), next->second.y()}});
            }
        }
        std::set<std::pair<std::pair<double, double>, std::pair<double, double>>> found;
        for (const QLineF& line : storage_curve(image, range, 1000)) {
            found.insert({{line.x1(), line.y1()}, {line.x2(), line.y2()}});
        }
        CHECK(!expected.empty());
        CHECK(found == expected);
    }
}

TEST_CASE("too many texels become blocks, and too many blocks nothing")
{
    const StoredImage image = stored("4x4:row,row", {64, 64});
    const QList<QLineF> blocks = storage_curve(image, {0, 64, 0, 64}, 256);
    CHECK(blocks.size() == 255); // 16 rows of 16 blocks, one after the other
    CHECK(blocks.front() == QLineF(2, 2, 6, 2));
    CHECK(storage_curve(image, {0, 64, 0, 64}, 255).empty());
    CHECK(storage_curve(image, {5, 5, 0, 64}, 255).empty());
}
