#include "gui/heat_map/first_view.hpp"
#include "gui/heat_map/heat_map_panel.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QComboBox>
#include <cmath>
#include <map>
#include <random>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

HeatMap one_colour(Extent2D extent, std::int64_t value)
{
    return {extent, std::vector<std::int64_t>(static_cast<std::size_t>(extent.area()), value)};
}

/// A launch whose images are of one colour in every quantity.
LaunchResult even_launch(std::size_t images, Extent2D extent)
{
    LaunchResult launch;
    for (std::size_t i = 0; i < images; ++i) {
        StudyImage& image = launch.images.emplace_back();
        image.image.extent = extent;
        image.heat.assign(all_heat_quantities.size(), one_colour(extent, 3));
    }
    return launch;
}

HeatMap& map_of(LaunchResult& launch, std::size_t image, HeatQuantity quantity)
{
    return launch.images[image].heat[static_cast<std::size_t>(quantity)];
}

/// `colours` values, each of as many texels where that comes out even.
void colour(HeatMap& map, std::int64_t colours)
{
    for (std::size_t i = 0; i < map.counts.size(); ++i) {
        map.counts[i] = static_cast<std::int64_t>(i) % colours;
    }
}

} // namespace

TEST_CASE("the entropy of a map is that of its values' shares")
{
    CHECK(entropy(one_colour({7, 5}, 4)) == 0);
    CHECK_FALSE(std::signbit(entropy(one_colour({7, 5}, 0))));
    for (const int bits : {1, 2, 3, 6}) {
        HeatMap even = one_colour({8, 8}, 0);
        colour(even, std::int64_t{1} << bits);
        CHECK(entropy(even) == Approx(bits));
    }
    // One texel of four.
    CHECK(entropy(HeatMap{{4, 1}, {9, 0, 0, 0}}) == Approx(2 - 0.75 * std::log2(3)));
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        std::mt19937_64 random(seed);
        HeatMap map = one_colour({static_cast<std::int32_t>(1 + random() % 40),
                                  static_cast<std::int32_t>(1 + random() % 40)},
                                 0);
        std::map<std::int64_t, int> texels;
        for (std::int64_t& value : map.counts) {
            value = static_cast<std::int64_t>(random() % 9) - 4;
            ++texels[value];
        }
        // log2 n - (1/n) sum of c log2 c
        const auto n = static_cast<double>(map.counts.size());
        double expected = std::log2(n);
        for (const auto& [value, count] : texels) {
            expected -= count * std::log2(count) / n;
        }
        CHECK(entropy(map) == Approx(expected).margin(1e-12));
    }
}

TEST_CASE("the first view is the quantity that varies most, of the first image where one does")
{
    LaunchResult launch = even_launch(3, {16, 16});
    CHECK(first_view(launch) == FirstView{0, HeatChoice::reads}); // where nothing varies
    colour(map_of(launch, 1, HeatQuantity::capacity), 4);
    colour(map_of(launch, 2, HeatQuantity::misses), 8);
    // an image before one that varies more
    CHECK(first_view(launch) == FirstView{1, HeatChoice::capacity});
    colour(map_of(launch, 1, HeatQuantity::misses), 2);
    CHECK(first_view(launch) == FirstView{1, HeatChoice::capacity});
    colour(map_of(launch, 1, HeatQuantity::misses), 4);
    CHECK(first_view(launch) == FirstView{1, HeatChoice::misses}); // of equal ones the first

    SECTION("a single texel among many is no reason to stop at an image")
    {
        map_of(launch, 0, HeatQuantity::evictions).counts[77] = 5;
        CHECK(first_view(launch) == FirstView{1, HeatChoice::misses});
        LaunchResult alone = even_launch(1, {16, 16});
        map_of(alone, 0, HeatQuantity::evictions).counts[77] = 5;
        CHECK(first_view(alone) == FirstView{0, HeatChoice::evictions}); // but better than nothing
    }
}

TEST_CASE("a comb of texels that are smaller than pixels is of one colour, and not shown first")
{
    LaunchResult launch = even_launch(1, {1024, 1024});
    colour(map_of(launch, 0, HeatQuantity::compulsory), 2); // every other texel
    for (std::size_t i = 0; i < 1024 * 256; ++i) {
        map_of(launch, 0, HeatQuantity::evictions).counts[i] = 0; // the upper quarter
    }
    CHECK(first_view(launch) == FirstView{0, HeatChoice::evictions});
    LaunchResult small = even_launch(1, {64, 64});
    colour(map_of(small, 0, HeatQuantity::compulsory), 2);
    CHECK(first_view(small) == FirstView{0, HeatChoice::compulsory});
}

TEST_CASE("a launch without images has a first view of nothing")
{
    CHECK(first_view(LaunchResult{}) == FirstView{});
}

TEST_CASE("each study opens on its first view until an image or a quantity is chosen")
{
    const auto launch_that_varies = [](std::size_t image, HeatQuantity quantity) {
        auto launch = std::make_shared<LaunchResult>(*test::small_study());
        for (StudyImage& each : launch->images) {
            for (HeatMap& map : each.heat) {
                map = one_colour(map.extent, 1);
            }
        }
        colour(map_of(*launch, image, quantity), 4);
        return launch;
    };
    HeatMapPanel panel;
    panel.show_study(launch_that_varies(0, HeatQuantity::evictions));
    CHECK(panel.image() == 0);
    CHECK(panel.quantity() == HeatChoice::evictions);
    panel.show_study(launch_that_varies(1, HeatQuantity::misses));
    CHECK(panel.image() == 1);
    CHECK(panel.quantity() == HeatChoice::misses);
    CHECK(panel.view().picture()->image == 1);
    auto& by_hand = test::find<QComboBox>(panel, GENERATE("image", "quantity"));
    by_hand.setCurrentIndex(0);
    const std::size_t image = panel.image();
    const HeatChoice quantity = panel.quantity();
    panel.show_study(launch_that_varies(1, HeatQuantity::conflict));
    CHECK(panel.image() == image);
    CHECK(panel.quantity() == quantity);
}
