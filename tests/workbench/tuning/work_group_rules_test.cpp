// Rules I-V of Jiang et al. (APSys 2020) on numbers worked out by hand.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/limits.hpp"
#include "workbench/tuning/work_group_rules.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace texelscope::workbench::tuning;

namespace {

std::vector<bool> rules_followed(const RuleTerms& terms)
{
    std::vector<bool> followed;
    for (const WorkGroupRule rule : all_work_group_rules) {
        followed.push_back(follows(rule, terms));
    }
    return followed;
}

/// 24 x 16 x 8 in groups of 4 x 4 x 8: 24 groups of 128 on 12 cores of 32 work-items; 4 x 32 B are
/// two lines of 64 B.
RuleTerms example()
{
    return {.problem = {24, 16, 8},
            .group = {4, 4, 8},
            .cores = 12,
            .simultaneous = 32,
            .block_bytes = 32,
            .line_bytes = 64,
            .most_items = 1024,
            .kind = RuleTerms::Kind::convolution};
}

} // namespace

TEST_CASE("Rules I to V, each broken in turn")
{
    RuleTerms terms = example();
    CHECK(rules_followed(terms) == std::vector{true, true, true, true, true}); // V: 4 * 4 = 2 * 8
    terms.cores = 5;                                                           // 24 groups
    CHECK(rules_followed(terms) == std::vector{false, true, true, true, true});
    terms = example();
    terms.simultaneous = 48; // 128 work-items
    CHECK(rules_followed(terms) == std::vector{true, false, true, true, true});
    terms = example();
    terms.line_bytes = 256; // 128 B
    CHECK(rules_followed(terms) == std::vector{true, true, false, true, true});
    terms = example();
    terms.problem = {23, 15, 8}; // 6 x 4 groups still
    CHECK(rules_followed(terms) == std::vector{true, true, true, false, true});
    terms = example();
    terms.group = {4, 8, 4}; // 6 x 2 x 2 groups; 32 is not about 8
    CHECK(rules_followed(terms) == std::vector{true, true, true, true, false});
}

TEST_CASE("Rule V: about equal is within the square root of two; depthwise it is the largest plane")
{
    RuleTerms terms = example();
    const auto follows_v = [&](std::array<std::int64_t, 3> group) {
        terms.group = group;
        return follows(WorkGroupRule::accesses, terms);
    };
    CHECK(follows_v({5, 2, 5}));
    CHECK_FALSE(follows_v({7, 1, 5})); // 10 / 7 = 1.43
    CHECK_FALSE(follows_v({1, 1, 1}));
    CHECK(follows_v({2, 1, 1}));
    terms.kind = RuleTerms::Kind::depthwise; // min(24 * 16, 1024) = 384
    CHECK(follows_v({24, 16, 1}));
    CHECK(follows_v({24, 12, 1})); // 288 of 384
    CHECK_FALSE(follows_v({16, 16, 1}));
    terms.most_items = 100; // min(24 * 16, 100)
    CHECK(follows_v({10, 10, 1}));
    CHECK(follows_v({8, 9, 1})); // 72
    CHECK_FALSE(follows_v({7, 10, 1}));
    terms.kind = RuleTerms::Kind::other;
    CHECK(follows_v({1, 1, 1}));
}

TEST_CASE("The terms of a convolution: width, height and channels of the paper are y, z and x here")
{
    // 12 cores of 12 ALUs, warps of 4, lines of 64 B, 384 items
    const DeviceProfile device = find_profile("mali-g72");
    // 2 images of 14 x 20, 32 -> 64 channels
    const Operator conv = parse_operator("conv2d", "2,14,20,32,64,3,3,1");
    const RuleTerms terms =
        rule_terms(conv, parse_schedule("A=column,row;T=4x2x2;G=8x5x3"), device, 0);
    CHECK(terms.problem == std::array<std::int64_t, 3>{10, 14, 16}); // 20 / 2, 14 / 2 twice, 64 / 4
    CHECK(terms.group == std::array<std::int64_t, 3>{5, 3, 8});
    CHECK(terms.cores == 12);
    CHECK(terms.simultaneous == 12);
    // two outputs along the width, of a texel each: the paper's d_x = 8, U = 4
    CHECK(terms.block_bytes == 32);
    CHECK(terms.line_bytes == 64);
    CHECK(terms.most_items == 384);
    CHECK(terms.kind == RuleTerms::Kind::convolution);
    CHECK(rule_terms(conv, parse_schedule("A=column,row;T=4x2x2;G=8x5x3;P=fp16"), device, 0)
              .block_bytes == 16);
    CHECK(rule_terms(parse_operator("dwconv2d", "1,14,20,32,3,3,1"),
                     parse_schedule("A=row,row;T=4x1x1;G=8x5x1"), device, 0)
              .kind == RuleTerms::Kind::depthwise);

    // A core's registers bound what runs at once: as many of 12 as fit, in warps of 4. A Mali's
    // thread takes 64 for 40.
    DeviceProfile few = device;
    few.simulation.machine.registers_per_core = 2 * 4 * 64;
    CHECK(rule_terms(conv, parse_schedule("A=column,row;T=4x2x2;G=8x5x3"), few, 40).simultaneous ==
          8);
    few.simulation.machine.timing.alu_lanes = {}; // not known
    CHECK(rule_terms(conv, parse_schedule("A=column,row;T=4x2x2;G=8x5x3"), few, 40).simultaneous ==
          4);

    const RuleTerms product = rule_terms(parse_operator("matmul", "100,60,7"),
                                         parse_schedule("A=row,column;T=8x2;G=4x16"), device, 0);
    CHECK(product.problem == std::array<std::int64_t, 3>{50, 1, 8});
    CHECK(product.group == std::array<std::int64_t, 3>{16, 1, 4});
    const RuleTerms rows = rule_terms(parse_operator("softmax", "300,70"),
                                      parse_schedule("A=row;T=8x1;G=1x64"), device, 0);
    CHECK(rows.problem == std::array<std::int64_t, 3>{1, 300, 1}); // a work-item for each row
    CHECK(rows.block_bytes == 32);                                 // two texels
    CHECK(rows.kind == RuleTerms::Kind::other);
}

TEST_CASE("A worked example: the groups that rules leave of a small convolution")
{
    // An output of 8 x 8 x 8 channels, a work-item for each texel: (x, y, z) = (8, 8, 2). Two cores
    // of four ALUs, lines of 32 B (two texels), 8 work-items at most. I: an even number of groups.
    // II: 4 or 8 items. III: an even w_x. IV: sides that divide. V: w_x w_y within 1.41 of 2 w_z.
    // Of 4 items: 4x1x1, 2x2x1 (4 to 2, no), 2x1x2 (2 to 4, no); of 8: 4x1x2 and 2x2x2 (4 to 4),
    // 8x1x1, 4x2x1, 2x4x1 (no). I: 4x1x2 are 2 * 8 = 16 groups, 2x2x2 are 4 * 4 = 16.
    DeviceProfile device = find_profile("mali-g72");
    device.simulation.machine.cores = 2;
    device.simulation.machine.timing.alu_lanes = 4;
    device.simulation.machine.registers_per_core = {};
    device.simulation.machine.l2().geometry.line = Bytes{32};
    device.limits.work_group_size = 8;
    const Operator op = parse_operator("conv2d", "1,8,8,8,8,3,3,1");
    std::vector<GroupChoice> groups;
    for (std::int32_t x = 1; x <= 8; ++x) { // ours: x channels, y width, z height
        for (std::int32_t y = 1; y <= 8; ++y) {
            for (std::int32_t z = 1; z <= 8; ++z) {
                if (x <= 2 && x * y * z <= 8) {
                    groups.push_back({{x, y}, {x, y, z}});
                }
            }
        }
    }
    ConfigurationSpace space;
    space.add_kernel({{AccessPattern::column, AccessPattern::row}, {4, 1, 1}},
                     space.add_groups(groups));
    const RuleSelection selection = select_by_rules(op, device, space);
    CHECK(selection.rules == 5);
    std::vector<Dim3> left;
    for (const std::int64_t index : selection.candidates) {
        left.push_back(space.at(index).group);
        for (const WorkGroupRule rule : all_work_group_rules) {
            CHECK(follows(rule, op, space.at(index), device));
        }
    }
    CHECK(left == std::vector<Dim3>{{2, 2, 2}, {2, 4, 1}});
    // II: products of 4 and 8 in (x <= 2, y, z): 4: 1x1x4 1x2x2 1x4x1 2x1x2 2x2x1; 8: 1x1x8 1x2x4
    // 1x4x2 1x8x1 2x1x4 2x2x2 2x4x1.
    CHECK(selection.following[1] == 12);

    // Sides that divide powers of two leave powers of two of groups, which three cores do not share
    // out evenly.
    device.simulation.machine.cores = 3;
    const RuleSelection fewer = select_by_rules(op, device, space);
    CHECK(fewer.rules == 4);
    CHECK(std::includes(fewer.candidates.begin(), fewer.candidates.end(),
                        selection.candidates.begin(), selection.candidates.end()));
}

TEST_CASE("The importance score by hand")
{
    const std::vector<Nanoseconds> times{{10}, {20}, {30}, {50}};
    CHECK(*importance_score(times, {true, false, false, false}) == Approx(1));
    CHECK(*importance_score(times, {false, false, false, true}) == Approx(0));
    CHECK(*importance_score(times, {false, true, true, false}) == Approx((0.75 + 0.5) / 2));
    CHECK(*importance_score(times, {true, true, true, true}) == Approx((1 + 0.75 + 0.5 + 0) / 4));
    CHECK_FALSE(importance_score(times, {false, false, false, false}));
    CHECK_FALSE(importance_score(std::vector<Nanoseconds>{{5}, {5}}, {true, true}));
    CHECK_FALSE(importance_score({}, {}));
    CHECK_THROWS_AS(importance_score(times, {true}), Error);
}

TEST_CASE("Every work-group within the limit is in the rules' space, once")
{
    const DeviceProfile device = find_profile("adreno-640");
    // TFLite's tile of 256 x 256 is 8 x 4 here: 32 x 64 tiles.
    const ConfigurationSpace space =
        work_group_space(parse_operator("matmul", "256,256,256"), device);
    REQUIRE(space.kernel_count() == 1);
    CHECK(space.kernel(0).tile == std::vector{8, 4});
    std::int64_t pairs = 0;
    for (int x = 1; x <= 32; ++x) {
        pairs += std::min(64, 1024 / x);
    }
    CHECK(space.size() == pairs);
    for (const char* shape : {"1,14,14,16,16,3,3,1", "1,5,3,2,7,1,1,1"}) {
        const Operator op = parse_operator("conv2d", shape);
        const ConfigurationSpace groups = work_group_space(op, device);
        const RuleSelection selection = select_by_rules(op, device, groups);
        REQUIRE_FALSE(selection.candidates.empty());
        for (const std::int64_t index : selection.candidates) {
            CHECK_NOTHROW(check_limits(loop_nest(op, groups.at(index)), device));
        }
    }
    const ConfigurationSpace rows = work_group_space(parse_operator("softmax", "300,70"), device);
    CHECK(rows.size() == 300);
}
