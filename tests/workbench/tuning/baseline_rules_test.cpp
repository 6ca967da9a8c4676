// The rules of the baselines on shapes whose choices are worked out by hand.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/tuning/baseline_rules.hpp"
#include "workbench/tuning/strategy.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;

namespace {

std::vector<Schedule> tried(Baseline baseline, const std::string& op, const std::string& shape,
                            const std::string& device = "adreno-640")
{
    return baseline_schedules(baseline, parse_operator(op, shape), find_profile(device));
}

std::size_t with_tile(const std::vector<Schedule>& schedules, const std::vector<std::int32_t>& tile)
{
    return static_cast<std::size_t>(std::count_if(
        schedules.begin(), schedules.end(), [&](const Schedule& s) { return s.tile == tile; }));
}

std::vector<std::string> texts(const std::vector<Schedule>& schedules)
{
    std::vector<std::string> all;
    std::transform(schedules.begin(), schedules.end(), std::back_inserter(all),
                   [](const Schedule& s) { return to_string(s); });
    return all;
}

constexpr const char* common = "1,56,56,64,64,3,3,1"; // 56x56, 64 -> 64 channels, 3x3

} // namespace

TEST_CASE("MNN: three tiles for a 3x3 convolution, powers of two up to the grid with at most 1024 "
          "work-items")
{
    const auto schedules = tried(Baseline::mnn, "conv2d", common);
    // c4 w4: grid 16*14 x 56: 8 * 6 pairs, three beyond 1024. c4 h4: 16*56 x 14: 10 * 4, three
    // beyond. c8 h4: 8*56 x 14: 9 * 4, one beyond.
    CHECK(with_tile(schedules, {4, 4, 1}) == 45);
    CHECK(with_tile(schedules, {4, 1, 4}) == 37);
    CHECK(with_tile(schedules, {8, 1, 4}) == 35);
    CHECK(schedules.size() == 45 + 37 + 35);
    // 32 of the first side: two rows of 14 widths, which are two texels of channels.
    CHECK(std::any_of(schedules.begin(), schedules.end(), [](const Schedule& s) {
        return s.tile == std::vector{4, 4, 1} && s.group == Dim3{2, 14, 8} &&
               s.warp == std::array{1, 14};
    }));
    // 1x1: grid 2*1 x 2 with c4 w4, 1*1 x 2 with c8 w4; sizes up to 4 are tried in any case.
    const auto small = tried(Baseline::mnn, "conv2d", "1,2,4,8,8,1,1,1");
    CHECK(with_tile(small, {4, 4, 1}) == 9);
    CHECK(with_tile(small, {8, 4, 1}) == 9);
    CHECK(texts(tried(Baseline::mnn, "matmul", "256,256,256")) ==
          std::vector<std::string>{"A=row,column;T=4x1;W=16x64;G=16x64x1"});
}

TEST_CASE("MACE: the candidates that fit, each once")
{
    // Grid 16 x 12 x 56 (five outputs along the width). Channels 16: z of 4, 1. Channels 4 (a
    // quarter, and as such): z of 7, 14, 8, 4, 1. Channels 2: the same five. Channels 1: 56 too.
    const auto schedules = tried(Baseline::mace, "conv2d", common);
    CHECK(schedules.size() == 18);
    std::set<std::pair<std::int32_t, std::int32_t>> sides;
    for (const Schedule& s : schedules) {
        CHECK(s.tile == std::vector{4, 5, 1});
        CHECK(s.group[1] == 12);
        sides.emplace(s.group[0], s.group[2]);
    }
    const std::set<std::pair<std::int32_t, std::int32_t>> expected{
        {16, 4}, {16, 1}, {4, 7}, {4, 14}, {4, 8}, {4, 4},  {4, 1}, {2, 7}, {2, 14},
        {2, 8},  {2, 4},  {2, 1}, {1, 56}, {1, 7}, {1, 14}, {1, 8}, {1, 4}, {1, 1}};
    CHECK(sides == expected);
    CHECK(tried(Baseline::mace, "conv2d", "1,56,56,64,64,1,1,1").front().tile ==
          std::vector{4, 4, 1});
    const auto product = texts(tried(Baseline::mace, "matmul", "256,256,256"));
    CHECK(product.size() == 10);
    CHECK(product.front() == "A=row,column;T=4x4;W=512x2;G=512x2x1");
    CHECK(product.back() == "A=row,column;T=4x4;W=1x1024;G=1x1024x1");
}

TEST_CASE("TFLite: the tile by waves, work-groups of at least 32 that divide the grid")
{
    // Two cores of 64 lanes: waves = width * height * texels / 128.
    const auto tile_of = [](const std::string& shape) {
        return tried(Baseline::tflite, "conv2d", shape).front().tile;
    };
    CHECK(tile_of("1,16,16,8,12,3,3,1") == std::vector{4, 1, 1}); // 16*16*3/128 = 6
    CHECK(tile_of("1,16,16,8,16,3,3,1") == std::vector{4, 2, 1}); // 8
    CHECK(tile_of("1,16,16,8,24,3,3,1") == std::vector{4, 2, 1}); // 12
    CHECK(tile_of("1,16,16,8,48,3,3,1") == std::vector{8, 2, 1}); // 24
    CHECK(tile_of("1,16,16,8,52,3,3,1") == std::vector{8, 2, 2}); // 26
    // 4x4 outputs of 8 channels, tile one: grid of widths 4, heights 4, texels 2. Divisors 1,2,4 x
    // 1,2,4 x 1,2; 32 is reached by all of them alone.
    CHECK(texts(tried(Baseline::tflite, "conv2d", "1,4,4,8,8,3,3,1")) ==
          std::vector<std::string>{"A=column,row;T=4x1x1;W=1x4;G=2x4x4"});
    // 8x4: 8*4*1, 8*2*2, 8*4*2, 4*4*2.
    CHECK(tried(Baseline::tflite, "conv2d", "1,4,8,8,8,3,3,1").size() == 4);
    // 3x1 outputs of 4 channels: nothing has 32; widths 3, 1 (3/2 rounds to 2, which does not
    // divide; 3/3) and small ones.
    CHECK(texts(tried(Baseline::tflite, "conv2d", "1,1,3,4,4,1,1,1")) ==
          std::vector<std::string>{"A=column,row;T=4x1x1;W=1x3;G=1x3x1",
                                   "A=column,row;T=4x1x1;W=1x1;G=1x1x1"});
    // Mali-G77, nine cores: 64*64*16/9 texels a core are more than 3072, 64*64/9 = 455 are more
    // than 256.
    CHECK(tried(Baseline::tflite, "conv2d", "1,64,64,8,64,3,3,1", "mali-g77").front().tile ==
          std::vector{4, 2, 2});
    CHECK(tried(Baseline::tflite, "conv2d", "1,64,64,8,4,3,3,1", "mali-g77").front().tile ==
          std::vector{4, 2, 1});
    CHECK(tried(Baseline::tflite, "conv2d", "1,16,16,8,4,3,3,1", "mali-g77").front().tile ==
          std::vector{4, 1, 1});
    // A matrix product as one row: 1024 * 256 texels are 2048 waves; 2x2 outputs become 4 rows.
    CHECK(tried(Baseline::tflite, "matmul", "1024,1024,64").front().tile == std::vector{8, 4});
}

TEST_CASE("The base version has no tile and one pattern, the study's product four variants")
{
    for (const Schedule& s : tried(Baseline::vanilla, "matmul", "64,64,64")) {
        CHECK(s.tile == std::vector{1, 1});
        CHECK(s.patterns == std::vector{AccessPattern::row, AccessPattern::row});
        CHECK(s.warp == std::array{s.group[0], s.group[1]});
    }
    // Powers of two up to 64 along both sides, 16 to 1024 work-items: 49 pairs, of which 10 have
    // fewer than 16 and 3 more than 1024.
    CHECK(tried(Baseline::vanilla, "matmul", "64,64,64").size() == 36);
    CHECK(texts(tried(Baseline::sgemm, "matmul", "64,64,64")) ==
          std::vector<std::string>{"A=row,column;T=1x1;W=256x1;G=256x1x1",
                                   "A=row,column;T=4x1;W=256x1;G=256x1x1",
                                   "A=row,column;T=1x1;W=16x16;G=16x16x1;S=16",
                                   "A=row,column;T=4x1;W=16x16;G=16x16x1;S=16"});
}

TEST_CASE("The study's blocks in local memory are left out where nothing can be shared")
{
    for (const char* shape : {"64,1,64", "1,64,64", "64,64,3", "1,1,1"}) {
        const auto schedules = tried(Baseline::sgemm, "matmul", shape);
        CAPTURE(shape);
        CHECK(schedules.size() >= 2);
        const Operator op = parse_operator("matmul", shape);
        for (const Schedule& schedule : schedules) {
            CHECK_NOTHROW(loop_nest(op, schedule));
        }
    }
}

TEST_CASE(
    "Every configuration of a baseline is legal and within the device's limits, and there once")
{
    for (const auto& [baseline, label, rule] : all_baselines()) {
        for (const auto& [name, shape] :
             {std::pair{"matmul", "37,50,29"}, {"conv2d", "2,9,13,6,10,3,3,2"}}) {
            if (baseline == Baseline::sgemm && std::string(name) != "matmul") {
                continue;
            }
            const Operator op = parse_operator(name, shape);
            const DeviceProfile device = find_profile("mali-g77");
            const auto schedules = baseline_schedules(baseline, op, device);
            CAPTURE(to_string(baseline), name);
            REQUIRE_FALSE(schedules.empty());
            const auto all = texts(schedules);
            CHECK(std::set(all.begin(), all.end()).size() == all.size());
            const ConfigurationSpace space = space_of(schedules);
            REQUIRE(space.size() == std::ssize(schedules));
            for (std::int64_t i = 0; i < space.size(); ++i) {
                CHECK(space.at(i) == schedules[static_cast<std::size_t>(i)]);
                CHECK_NOTHROW(check_limits(loop_nest(op, space.at(i)), device));
            }
        }
    }
}

TEST_CASE("A baseline without a rule for the operator says so, and an unknown one is refused")
{
    CHECK_THROWS_WITH(tried(Baseline::mnn, "dwconv2d", "1,8,8,8,3,3,1"),
                      Contains("mnn has no rule for dwconv2d"));
    CHECK_THROWS_WITH(tried(Baseline::sgemm, "conv2d", common),
                      Contains("sgemm has no rule for conv2d"));
    CHECK_THROWS_WITH(parse_strategy("baseline"),
                      Contains("'baseline'") && Contains("mnn, mace, tflite, vanilla, sgemm"));
    for (const auto& [baseline, name, rule] : all_baselines()) {
        CHECK(parse_strategy(to_string(baseline)).name == name);
    }
}
