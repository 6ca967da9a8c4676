#include "sim/options/options.hpp"
#include "workbench/plots/heat_map_file.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace texelscope::workbench::plots;

namespace {

constexpr Extent2D extent{5, 3};

/// Reuse at three texels: 6 / 4 at 0,0; 0 / 2 at 4,0; 9 / 3 at 1,2. Reads 1, 2, 3, ... in memory
/// order.
HeatMaps maps()
{
    const std::vector<Image> images{{"A", extent, Bytes{16}}};
    HeatMaps maps(images, std::vector<HeatQuantity>{HeatQuantity::reads, HeatQuantity::reuses,
                                                    HeatQuantity::reuse_distances});
    maps.count(0, HeatQuantity::reuses, {0, 0}, 4);
    maps.count(0, HeatQuantity::reuse_distances, {0, 0}, 6);
    maps.count(0, HeatQuantity::reuses, {4, 0}, 2);
    maps.count(0, HeatQuantity::reuses, {1, 2}, 3);
    maps.count(0, HeatQuantity::reuse_distances, {1, 2}, 9);
    for (std::int32_t i = 0; i < extent.area(); ++i) {
        maps.count(0, HeatQuantity::reads, {i % extent.width, i / extent.width}, i + 1);
    }
    return maps;
}

const HeatValue reuse{HeatQuantity::reuse_distances, HeatQuantity::reuses};
const HeatValue reads{HeatQuantity::reads, {}};

/// The elements after the header, as 64-bit words.
std::vector<std::uint64_t> words(const std::string& npy)
{
    const std::size_t start =
        10 + static_cast<unsigned char>(npy[8]) + 256U * static_cast<unsigned char>(npy[9]);
    std::vector<std::uint64_t> all;
    for (std::size_t at = start; at < npy.size(); at += 8) {
        std::uint64_t word = 0;
        for (std::size_t b = 8; b-- > 0;) {
            word = word * 256 + static_cast<unsigned char>(npy[at + b]);
        }
        all.push_back(word);
    }
    return all;
}

/// Lines of 64 B over five texels of 16 B in rows: four texels each, running on from row to row.
TexelCells wrapped_lines()
{
    const Image image{"A", extent, Bytes{16}};
    return TexelCells::lines(store_images({&image, 1}, {}).front(), Bytes{64});
}

bool has(const Picture& picture, Rgb colour)
{
    return std::find(picture.pixels.begin(), picture.pixels.end(), colour) != picture.pixels.end();
}

} // namespace

TEST_CASE(
    "a map of means, by texel: no row, no number and a colour of its own where there is nothing")
{
    const HeatTable table(maps(), 0, reuse, TexelCells::single(extent),
                          HeatResolution::Kind::texel);
    CHECK(table.csv() == "x,y,mean,count\n0,0,1.5,4\n4,0,0,2\n1,2,3,3\n");
    const std::string npy = table.npy();
    CHECK_THAT(npy, Catch::Contains("'descr': '<f8'") && Catch::Contains("'shape': (3, 5)"));
    const std::vector<std::uint64_t> values = words(npy);
    REQUIRE(values.size() == 15);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = std::bit_cast<double>(values[i]);
        CAPTURE(i);
        if (i == 0) {
            CHECK(value == 1.5);
        } else if (i == 4) {
            CHECK(value == 0);
        } else if (i == 11) {
            CHECK(value == 3);
        } else {
            CHECK(std::isnan(value));
        }
    }
    const HeatMapPlacement place = heat_map_placement(extent, 100);
    const Picture picture = table.picture("reuse", ColourScale::linear, 100);
    const auto colour = [&](int x, int y) {
        return picture
            .pixels[static_cast<std::size_t>((place.top + y * place.cell_height) * picture.width +
                                             place.left + x * place.cell_width)];
    };
    CHECK(colour(0, 0) == viridis(0.5));
    CHECK(colour(4, 0) == viridis(0)); // a mean of 0 is a value
    CHECK(colour(1, 2) == viridis(1));
    CHECK(colour(2, 1) == untouched_colour);
}

TEST_CASE("a map of means, by block: sums over sums, not means of means")
{
    const HeatTable table(maps(), 0, reuse, TexelCells::blocks(extent, {5, 2}),
                          HeatResolution::Kind::block);
    CHECK(table.csv() == "x,y,width,height,mean,count\n0,0,5,2,1,6\n0,2,5,1,3,3\n");
    CHECK_THAT(table.npy(), Catch::Contains("'shape': (2, 1)"));
    const HeatTable counts(maps(), 0, reads, TexelCells::blocks(extent, {3, 2}),
                           HeatResolution::Kind::block);
    CHECK(counts.csv() ==
          "x,y,width,height,count\n0,0,3,2,27\n3,0,2,2,28\n0,2,3,1,36\n3,2,2,1,29\n");
    CHECK(words(counts.npy()) == std::vector<std::uint64_t>{27, 28, 36, 29});
}

TEST_CASE("a map by lines that are no rectangles: a row a line, and an array of texels that carry "
          "its value")
{
    const HeatTable table(maps(), 0, reads, wrapped_lines(), HeatResolution::Kind::line);
    CHECK(table.csv() == "line,x,y,texels,count\n0,0,0,4,10\n1,4,0,4,26\n2,3,1,4,42\n3,2,2,3,42\n");
    CHECK_THAT(table.npy(),
               Catch::Contains("'descr': '<i8'") && Catch::Contains("'shape': (3, 5)"));
    CHECK(words(table.npy()) ==
          std::vector<std::uint64_t>{10, 10, 10, 10, 26, 26, 26, 26, 42, 42, 42, 42, 42, 42, 42});
}

TEST_CASE("pictures of means of nothing, and of zeros")
{
    const std::vector<Image> images{{"A", extent, Bytes{16}}};
    HeatMaps zero(images,
                  std::vector<HeatQuantity>{HeatQuantity::reuses, HeatQuantity::reuse_distances});
    const auto picture = [&] {
        return HeatTable(zero, 0, reuse, TexelCells::single(extent), HeatResolution::Kind::texel)
            .picture("", ColourScale::linear, 64);
    };
    CHECK_FALSE(has(picture(), viridis(0)));
    zero.count(0, HeatQuantity::reuses, {2, 2});
    CHECK(has(picture(), viridis(0)));
}
