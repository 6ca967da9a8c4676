// The table of pointer chases of ArchProbe as walks.

#include "base/error.hpp"
#include "model/walks/archprobe_table.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace texelscope::model;
using Catch::Matchers::Contains;

namespace {

const std::string table_head = "range (byte),stride (byte),niter,t (us)\n";

std::vector<PointerChase> chases_of(const std::string& rows)
{
    std::istringstream in(table_head + rows);
    return parse_archprobe_table(in, "t.csv");
}

/// A line image of RGBA float32.
Image line_image(std::int32_t width)
{
    return {.name = "line", .extent = {width, 1}};
}

} // namespace

TEST_CASE("rows of ArchProbe's table are chases, with six digits of each number")
{
    CHECK(chases_of("16,16,100,16\n1040,32,32768,4260.99\n") ==
          std::vector<PointerChase>{{1, 1, 100, 160}, {65, 2, 32768, 4260.99 * 1000 / 32768}});
    // 1,048,576 bytes.
    CHECK(chases_of("1.04858e+06,1.04858e+06,131072,8000\n").at(0).texels == 65536);
    CHECK(chases_of("1.04858e+06,16,131072,8000\n").at(0).texels == 65536);
    CHECK(chases_of("").empty());
    for (const std::string row :
         {"16,16,100", "16,16,100,16,1", "16,16,100,x", "16,16,0,16", "16,16,100,0", "16,16,100,-1",
          "16,16,100,nan", "16,16,100,inf", "16,16,1e12,5", "a,16,100,5", "16 ,16,100,5"}) {
        CAPTURE(row);
        CHECK_THROWS_WITH(chases_of("16,16,100,16\n" + row + "\n"),
                          Contains("t.csv:3") && Contains("not a range, a stride"));
    }
    for (const std::string row : {"17,16,100,5", "16,8,100,5", "0,16,100,5", "1e300,16,100,5",
                                  "-16,16,100,5", "nan,16,100,5", "1.04857e+06,16,100,5"}) {
        CAPTURE(row);
        CHECK_THROWS_WITH(chases_of(row + "\n"), Contains("t.csv:2") && Contains("no multiple"));
    }
    std::istringstream other("walk,step,x,y\n");
    CHECK_THROWS_WITH(parse_archprobe_table(other, "w.csv"),
                      Contains("w.csv:1") && Contains("--latencies"));
}

TEST_CASE("a chase goes round and round over its range")
{
    const ArchProbeWalks walks =
        archprobe_walks({{5, 2, 8, 3}, {4, 4, 8, 4}, {5, 2, 7, 9}}, {}, "t.csv");
    CHECK(walks.measured.extent == Extent2D{5, 1});
    CHECK(walks.measured.bytes_per_texel.value == 16);
    REQUIRE(walks.measured.size() == 2); // the one of fewer reads is a trial
    const std::vector<int> places{0, 2, 4, 1, 3, 0, 2, 4};
    for (std::size_t i = 0; i < places.size(); ++i) {
        CHECK(walks.measured.walks[0].texels.at(i) == Texel{places[i], 0});
        CHECK(walks.measured.walks[1].texels.at(i) == Texel{0, 0});
    }
    CHECK(walks.measured.ns_per_read == std::vector<double>{3, 4});
    CHECK_THAT(walks.chosen, Contains("2 of 3 chases in t.csv, over at most 5 texels"));
}

TEST_CASE("many chases are thinned by equal ratios, and those beyond the image are left out")
{
    // Times tell which chase a walk is of.
    std::vector<PointerChase> chases;
    for (std::int64_t texels = 4000; texels >= 1; --texels) {
        chases.push_back({texels, 1, 10, static_cast<double>(texels)});
    }
    for (std::int64_t stride = 2; stride <= 300; ++stride) {
        chases.push_back({1000, stride, 10, 10'000 + static_cast<double>(stride)});
    }
    const MeasuredWalks all = archprobe_walks(chases, {}, "t.csv").measured;
    CHECK(all.extent.width == 4000);
    std::vector<double> ranges;
    std::vector<double> strides;
    for (const double ns : all.ns_per_read) {
        (ns > 10'000 ? strides : ranges).push_back(ns > 10'000 ? ns - 10'000 : ns);
    }
    CHECK((ranges.size() > 45 && ranges.size() <= 64));
    CHECK((strides.size() > 20 && strides.size() <= 32));
    for (const std::vector<double>& sizes : {ranges, strides}) {
        for (std::size_t i = 1; i < sizes.size(); ++i) {
            CAPTURE(sizes[i - 1], sizes[i]);
            CHECK(sizes[i] > sizes[i - 1]);
            CHECK(sizes[i] <= std::max(sizes[i - 1] + 1, 1.35 * sizes[i - 1]));
        }
    }
    CHECK(ranges.front() == 1);
    CHECK(ranges.back() > 3000);
    const MeasuredWalks half = archprobe_walks(chases, line_image(500), "t.csv").measured;
    CHECK(half.extent.width == 500);
    CHECK(std::ranges::max(half.ns_per_read) <= 500); // the strides are over 1,000 texels
    CHECK_THROWS_WITH(archprobe_walks(chases, Image{.name = "i", .extent = {500, 2}}, "t.csv"),
                      Contains("WIDTHx1x16"));
    CHECK_THROWS_WITH(archprobe_walks({{4, 1, 10, 1}, {8, 1, 10, 1}}, line_image(4), "t.csv"),
                      Contains("t.csv") && Contains("1 chases of 10 reads"));
    CHECK_THROWS_WITH(archprobe_walks({}, {}, "t.csv"), Contains("0 chases"));
    CHECK_THROWS_WITH(archprobe_walks({{4, 1, 1 << 29, 1}, {8, 1, 1 << 29, 1}}, {}, "t.csv"),
                      Contains("too many"));
}
