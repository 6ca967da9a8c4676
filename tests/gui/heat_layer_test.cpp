#include "gui/heat_map/heat_layer.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

StoredImage stored_image(const LaunchResult& launch, std::size_t image)
{
    std::vector<Image> images;
    for (const StudyImage& each : launch.images) {
        images.push_back(each.image);
    }
    return store_images(images, launch.options)[image];
}

/// The cell of a texel in words, each resolution by itself.
std::string cell_name(HeatResolution::Kind kind, const StoredImage& image, Bytes line, Texel t)
{
    if (kind == HeatResolution::Kind::line) {
        return "line " + std::to_string(image.address(t) / line.value);
    }
    Extent2D block{1, 1};
    for (const Extent2D each : image.layout.blocks()) {
        if (kind == HeatResolution::Kind::block && block.area() == 1) {
            block = each;
        }
    }
    return std::to_string(t.x / block.width) + " " + std::to_string(t.y / block.height);
}

/// The accesses of a simulation, as they come.
struct Accesses : SimulationObserver {
    struct Access {
        std::int64_t group;
        std::int32_t warp;
        std::vector<LaneRead> lanes;
    };
    void on_access(int, std::int64_t group, std::int32_t warp, std::uint32_t, std::int64_t,
                   std::span<const LaneRead> lanes) override
    {
        all.push_back({group, warp, {lanes.begin(), lanes.end()}});
    }
    std::vector<Access> all;
};

template <class Visit>
void each_texel(Extent2D extent, const Visit& visit)
{
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            visit(Texel{x, y});
        }
    }
}

} // namespace

TEST_CASE("each texel carries the sum of its texel, block or line")
{
    const auto study = test::small_study();
    for (std::size_t image = 0; image < study->images.size(); ++image) {
        const StoredImage stored = stored_image(*study, image);
        for (const auto kind : {HeatResolution::Kind::texel, HeatResolution::Kind::block,
                                HeatResolution::Kind::line}) {
            const auto cells = heat_cells(kind, stored, study->options.machine.l1().geometry.line);
            for (const HeatChoice choice :
                 {HeatChoice::reads, HeatChoice::misses, HeatChoice::evictions}) {
                const HeatMap& map = study->images[image].map(*counted(choice));
                std::map<std::string, std::int64_t> sums;
                each_texel(map.extent, [&](Texel t) {
                    sums[cell_name(kind, stored, study->options.machine.l1().geometry.line, t)] +=
                        map.at(t);
                });
                const HeatLayer layer = heat_layer(*study, image, choice, cells, nullptr);
                CHECK(layer.kind == HeatLayer::Kind::counts);
                each_texel(map.extent, [&](Texel t) {
                    REQUIRE(layer.values.at(t) ==
                            sums.at(cell_name(kind, stored,
                                              study->options.machine.l1().geometry.line, t)));
                });
            }
        }
    }
}

TEST_CASE("the last warp of a cell is that of the last access to one of its texels")
{
    const auto study = test::small_study();
    Accesses accesses;
    SimulationObserver* const observers[] = {&accesses};
    SimulationOptions options = study->options;
    options.mode.timed = false;
    (void)simulate(*study->source, options, observers);
    const LateMaps late = late_maps(*study, HeatChoice::last_warp);
    for (std::size_t image = 0; image < study->images.size(); ++image) {
        const StoredImage stored = stored_image(*study, image);
        for (const auto kind : {HeatResolution::Kind::texel, HeatResolution::Kind::block,
                                HeatResolution::Kind::line}) {
            std::map<std::string, std::int64_t> last;
            for (const Accesses::Access& access : accesses.all) {
                for (const LaneRead& read : access.lanes) {
                    if (read.image == image) {
                        last[cell_name(kind, stored, study->options.machine.l1().geometry.line,
                                       read.texel)] = WarpNumber{access.group, access.warp}.code();
                    }
                }
            }
            const auto cells = heat_cells(kind, stored, study->options.machine.l1().geometry.line);
            const HeatLayer layer = heat_layer(*study, image, HeatChoice::last_warp, cells, &late);
            each_texel(layer.values.extent, [&](Texel t) {
                const auto found = last.find(
                    cell_name(kind, stored, study->options.machine.l1().geometry.line, t));
                REQUIRE(layer.values.at(t) == (found == last.end() ? 0 : found->second));
            });
        }
    }
    CHECK(HeatLayer{HeatLayer::Kind::warps, {}, {}}.text(WarpNumber{12, 3}.code()) ==
          "last read by warp 3 of group 12");
}

TEST_CASE(
    "mean reuse distances are the sums over the reuses, in tenths, and say where there is none")
{
    const auto study = test::small_study();
    const LateMaps late = late_maps(*study, HeatChoice::reuse_distance);
    bool some = false;
    for (std::size_t image = 0; image < study->images.size(); ++image) {
        const HeatLayer layer = heat_layer(*study, image, HeatChoice::reuse_distance, {}, &late);
        each_texel(layer.values.extent, [&](Texel t) {
            const auto sum = static_cast<double>(late.reuse_distances[image].at(t));
            const auto count = static_cast<double>(late.reuses[image].at(t));
            if (count == 0) {
                REQUIRE(layer.values.at(t) == 0);
                REQUIRE(layer.text(0) == "never looked up again");
            } else {
                some = true;
                REQUIRE(static_cast<double>(layer.values.at(t) - 1) ==
                        Approx(10 * sum / count).margin(0.5));
            }
        });
    }
    CHECK(some);
    CHECK(HeatLayer{HeatLayer::Kind::means, {}, {}}.text(36) == "mean reuse distance 3.5 lines");
    CHECK_THROWS(heat_layer(*study, 0, HeatChoice::reuse_distance, {}, nullptr));
}

TEST_CASE("a difference is A's count less B's")
{
    const HeatLayer a{HeatLayer::Kind::counts, {{3, 1}, {5, 0, 7}}, "reads"};
    const HeatLayer b{HeatLayer::Kind::counts, {{3, 1}, {1, 4, 7}}, "reads"};
    const HeatLayer difference = difference_layer(a, b);
    CHECK(difference.values.counts == std::vector<std::int64_t>{4, -4, 0});
    CHECK(difference.text(4) == "reads, A − B: +4");
    CHECK(difference.text(-4) == "reads, A − B: -4");
}
