#include "base/error.hpp"
#include "workbench/plots/drawing.hpp"
#include "workbench/plots/heat_map_file.hpp"

#include <catch2/catch.hpp>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace texelscope::workbench::plots;

namespace Catch {
template <>
struct StringMaker<Rgb> {
    static std::string convert(const Rgb& c)
    {
        return "(" + std::to_string(c[0]) + ", " + std::to_string(c[1]) + ", " +
               std::to_string(c[2]) + ")";
    }
};
} // namespace Catch

namespace {

Picture decode(const std::string& bytes)
{
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) != 0);
    CHECK(image.format == PNG_FORMAT_RGB);
    image.format = PNG_FORMAT_RGB;
    Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
    picture.pixels.resize(std::size_t{image.width} * image.height);
    REQUIRE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) != 0);
    return picture;
}

Rgb pixel(const Picture& picture, int x, int y)
{
    REQUIRE(x >= 0);
    REQUIRE(y >= 0);
    REQUIRE(x < picture.width);
    REQUIRE(y < picture.height);
    return picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                          static_cast<std::size_t>(x)];
}

HeatMap blank(int width, int height)
{
    return {{width, height},
            std::vector<std::int64_t>(static_cast<std::size_t>(width) *
                                      static_cast<std::size_t>(height))};
}

std::int64_t& at(HeatMap& map, int x, int y)
{
    return map.counts[static_cast<std::size_t>(y) * static_cast<std::size_t>(map.extent.width) +
                      static_cast<std::size_t>(x)];
}

} // namespace

TEST_CASE("viridis has the published colours")
{
    // Entries 0, 32, 100, 128, 200 and 255 of the table of 256 that the authors published.
    const std::vector<std::pair<int, Rgb>> published{{0, {68, 1, 84}},      {32, {71, 45, 123}},
                                                     {100, {42, 118, 142}}, {128, {33, 145, 140}},
                                                     {200, {112, 207, 87}}, {255, {253, 231, 37}}};
    for (const auto& [entry, colour] : published) {
        const Rgb ours = viridis(entry / 255.0);
        for (std::size_t channel = 0; channel < 3; ++channel) {
            CAPTURE(entry, channel);
            CHECK(std::abs(int{ours[channel]} - int{colour[channel]}) <= 2);
        }
    }
    CHECK(viridis(-1) == viridis(0));
    CHECK(viridis(2) == viridis(1));
    CHECK(viridis(std::nan("")) == viridis(0));
    double last = -1;
    for (int i = 0; i <= 100; ++i) { // grows lighter throughout, so that it prints in grey
        const Rgb c = viridis(i / 100.0);
        const double luma = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
        CHECK(luma >= last);
        last = luma;
    }
}

TEST_CASE("scale positions")
{
    CHECK(scale_position(0, 10, ColourScale::linear) == 0);
    CHECK(scale_position(5, 10, ColourScale::linear) == Approx(0.5));
    CHECK(scale_position(10, 10, ColourScale::linear) == 1);
    CHECK(scale_position(0, 15, ColourScale::logarithmic) == 0);
    CHECK(scale_position(3, 15, ColourScale::logarithmic) == Approx(0.5)); // log 4 / log 16
    CHECK(scale_position(15, 15, ColourScale::logarithmic) == 1);
    for (const ColourScale scale : {ColourScale::linear, ColourScale::logarithmic}) {
        CHECK(scale_position(0, 0, scale) == 0);
        CHECK(scale_position(20, 10, scale) == 1);
    }
}

TEST_CASE("every texel of a small map is a square of its colour in the PNG")
{
    std::mt19937_64 random(3);
    for (const ColourScale scale : {ColourScale::linear, ColourScale::logarithmic}) {
        HeatMap map = blank(13, 9);
        for (std::int64_t& count : map.counts) {
            count = static_cast<std::int64_t>(random() % 50);
            if (count < 10) {
                count = 0;
            }
        }
        const std::int64_t max = *std::max_element(map.counts.begin(), map.counts.end());
        const HeatMapPlacement place = heat_map_placement(map.extent, 200);
        CHECK(place.cell_width == 15); // 200 / 13
        CHECK(place.cell_height == 15);
        const Picture picture = decode(to_png(heat_map_picture(map, "A reads", scale, 200)));
        for (int y = 0; y < 9; ++y) {
            for (int x = 0; x < 13; ++x) {
                const std::int64_t count = map.at({x, y});
                const double position = scale == ColourScale::linear
                                            ? static_cast<double>(count) / static_cast<double>(max)
                                            : std::log(1.0 + static_cast<double>(count)) /
                                                  std::log(1.0 + static_cast<double>(max));
                const Rgb expected = count == 0 ? untouched_colour : viridis(position);
                CAPTURE(x, y, count);
                // All four corners of the square.
                for (const int dx : {0, 14}) {
                    for (const int dy : {0, 14}) {
                        CHECK(pixel(picture, place.left + x * 15 + dx, place.top + y * 15 + dy) ==
                              expected);
                    }
                }
            }
        }
        // The colour bar runs from the lightest above to the colour of 1 below: 0 has its own.
        const double lowest = scale == ColourScale::linear
                                  ? 1 / static_cast<double>(max)
                                  : std::log(2.0) / std::log(1.0 + static_cast<double>(max));
        CHECK(std::find(picture.pixels.begin(), picture.pixels.end(), viridis(lowest)) !=
              picture.pixels.end());
        CHECK(std::find(picture.pixels.begin(), picture.pixels.end(), viridis(0)) ==
              picture.pixels.end());
        CHECK(std::find(picture.pixels.begin(), picture.pixels.end(), viridis(1)) !=
              picture.pixels.end());
    }
}

TEST_CASE("untouched is no colour of the map")
{
    for (int i = 0; i <= 1000; ++i) {
        CHECK(viridis(i / 1000.0) != untouched_colour);
    }
}

TEST_CASE("isolated hot texels survive the downscaling, each where it is")
{
    HeatMap map = blank(1000, 700);
    std::mt19937_64 random(11);
    std::vector<std::pair<int, int>> hot;
    for (int i = 0; i < 200; ++i) {
        const int x = static_cast<int>(random() % 1000);
        const int y = static_cast<int>(random() % 700);
        at(map, x, y) = 77;
        hot.emplace_back(x, y);
    }
    const HeatMapPlacement place = heat_map_placement(map.extent, 256);
    CHECK(place.texels_x == 4); // ceil(1000 / 256)
    CHECK(place.texels_y == 4);
    CHECK(place.columns == 250);
    CHECK(place.rows == 175);
    const Picture picture =
        decode(to_png(heat_map_picture(map, "misses", ColourScale::linear, 256)));
    std::vector<bool> expected(250 * 175, false);
    for (const auto& [x, y] : hot) {
        expected[static_cast<std::size_t>(y / 4 * 250 + x / 4)] = true;
    }
    int wrong = 0;
    for (int y = 0; y < 175; ++y) {
        for (int x = 0; x < 250; ++x) {
            const Rgb colour = pixel(picture, place.left + x, place.top + y);
            wrong += colour != (expected[static_cast<std::size_t>(y * 250 + x)] ? viridis(1)
                                                                                : untouched_colour)
                         ? 1
                         : 0;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("maps of any shape can be drawn, and fit")
{
    for (const Extent2D extent :
         {Extent2D{1, 1}, Extent2D{16, 16}, Extent2D{2, 512}, Extent2D{512, 2}, Extent2D{1, 20000},
          Extent2D{20000, 3}, Extent2D{300, 40}, Extent2D{1024, 1024}, Extent2D{1000, 90}}) {
        CAPTURE(extent.width, extent.height);
        HeatMap map = blank(extent.width, extent.height);
        map.counts.back() = 123'456'789;
        const HeatMapPlacement place = heat_map_placement(extent, 128);
        CHECK(std::max(place.columns * place.cell_width, place.rows * place.cell_height) <= 128);
        CHECK(std::max(place.columns * place.cell_width, place.rows * place.cell_height) > 64);
        CHECK(place.columns * place.texels_x >= extent.width);
        CHECK((place.columns - 1) * place.texels_x < extent.width);
        CHECK(place.rows * place.texels_y >= extent.height);
        CHECK((place.rows - 1) * place.texels_y < extent.height);
        const Picture picture = heat_map_picture(map, "B misses", ColourScale::logarithmic, 128);
        CHECK(pixel(picture, place.left + (place.columns - 1) * place.cell_width,
                    place.top + (place.rows - 1) * place.cell_height) == viridis(1));
    }
    // A map without a count, and one whose title is wider than itself.
    const Picture empty =
        heat_map_picture(blank(4, 4), std::string(100, 'w'), ColourScale::linear, 64);
    CHECK(empty.width > text_width(std::string(100, 'w'), 10));
    CHECK(std::find(empty.pixels.begin(), empty.pixels.end(), viridis(1)) == empty.pixels.end());
}

TEST_CASE("what is no heat map or picture is refused")
{
    CHECK_THROWS_AS(heat_map_picture(blank(0, 4), "x", ColourScale::linear), Error);
    CHECK_THROWS_AS(heat_map_picture(blank(4, 4), "x", ColourScale::linear, 3), Error);
    HeatMap short_map = blank(4, 4);
    short_map.counts.pop_back();
    CHECK_THROWS_AS(heat_map_picture(short_map, "x", ColourScale::linear), Error);
    CHECK_THROWS_AS(to_png(Picture{}), Error);
    CHECK_THROWS_AS(to_png(Picture{2, 2, std::vector<Rgb>(3)}), Error);
}

TEST_CASE("every letter is drawn in its box, and clipped at the picture's edge")
{
    const Rgb white{255, 255, 255};
    for (char c = ' '; c <= '~'; ++c) {
        const std::string letter(1, c);
        constexpr double size = 20;
        Drawing drawing{60, 60, {}};
        drawing.shapes.emplace_back(
            DrawnText{{20, 40}, letter, DrawnText::Anchor::start, size, false, Rgb{0, 0, 0}});
        const Picture picture = to_picture(drawing, 1);
        int inked = 0;
        for (int y = 0; y < picture.height; ++y) {
            for (int x = 0; x < picture.width; ++x) {
                if (pixel(picture, x, y) != white) {
                    ++inked;
                    CAPTURE(letter, x, y);
                    CHECK(x >= 18);
                    CHECK(x <= 22 + text_width(letter, size));
                    CHECK(y >= 40 - size);
                    CHECK(y <= 40 + 0.3 * size);
                }
            }
        }
        CHECK((inked > 0) == (c != ' '));
    }
    Drawing small{3, 3, {}};
    small.shapes.emplace_back(
        DrawnText{{-7, 5}, "WWWW", DrawnText::Anchor::start, 14, false, Rgb{0, 0, 0}});
    // nothing but staying inside is asked for; sanitizers watch
    CHECK(to_picture(small, 1).pixels.size() == 9);
    CHECK(text_width("", 3) == 0);
}

TEST_CASE("the CSV export holds every count once")
{
    HeatMap map = blank(40, 30);
    std::mt19937_64 random(5);
    for (int i = 0; i < 300; ++i) {
        at(map, static_cast<int>(random() % 40), static_cast<int>(random() % 30)) +=
            1 + static_cast<int>(random() % 9);
    }
    std::istringstream in(to_csv(map));
    std::string line;
    REQUIRE(std::getline(in, line));
    CHECK(line == "x,y,count");
    HeatMap back = blank(40, 30);
    std::int64_t total = 0;
    while (std::getline(in, line)) {
        int x = -1;
        int y = -1;
        long long count = 0;
        char comma = ' ';
        std::istringstream row(line);
        row >> x >> comma >> y >> comma >> count;
        REQUIRE(row);
        CHECK(count > 0);
        at(back, x, y) += count;
        total += count;
    }
    CHECK(back.counts == map.counts);
    CHECK(total == map.total());
}

TEST_CASE("the NumPy export is an int64 array of the map's shape")
{
    HeatMap map = blank(5, 3);
    at(map, 4, 0) = 1;
    at(map, 0, 2) = (std::int64_t{1} << 40) + 258;
    const std::string bytes = to_npy(map);
    REQUIRE(bytes.size() > 10);
    CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t length =
        static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    const std::size_t start = 10 + length;
    CHECK(start % 64 == 0);
    CHECK_THAT(bytes.substr(10, length),
               Catch::Contains("'descr': '<i8'") && Catch::Contains("'shape': (3, 5)") &&
                   Catch::Contains("'fortran_order': False") && Catch::EndsWith("\n"));
    REQUIRE(bytes.size() == start + 8 * 15);
    for (std::size_t i = 0; i < 15; ++i) {
        std::int64_t value = 0;
        for (std::size_t b = 8; b-- > 0;) {
            value = value * 256 + static_cast<unsigned char>(bytes[start + 8 * i + b]);
        }
        CHECK(value == map.counts[i]);
    }
}
