// Each criterion of pruning on nests whose numbers are worked out by hand.

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "codegen/passes/pruning.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <set>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

std::optional<Rejection> check(const Operator& op, const std::string& config,
                               PruningCriterion criterion, const PruningLimits& limits,
                               LoadCounting counting = LoadCounting::each_item, double alpha = 3)
{
    const Schedule schedule = parse_schedule(config);
    return prune(loop_nest(op, schedule), schedule, limits, {{criterion}, alpha, counting});
}

} // namespace

TEST_CASE("L1: the texels of one iteration of the innermost loop, times the work-items, against "
          "the capacity")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    // Tile 4x4: an iteration takes four values of k. Each of the four rows of A is one texel of
    // them; B has four rows of k, in each one texel of four columns: 8 texels, 128 B. An 8x8 group
    // has 64 work-items: 8192 B.
    const std::string config = "A=row,column;T=4x4;G=8x8";
    PruningLimits limits;
    limits.l1_bytes = 8192;
    CHECK_FALSE(check(op, config, PruningCriterion::l1, limits));
    limits.l1_bytes = 8191;
    const auto rejection = check(op, config, PruningCriterion::l1, limits);
    REQUIRE(rejection);
    CHECK(rejection->criterion == PruningCriterion::l1);
    CHECK_THAT(rejection->reason, Contains("64 work-items load 8192 B") && Contains("8191 B"));
    // Half the bytes of a texel.
    limits.l1_bytes = 4096;
    CHECK_FALSE(check(op, config + ";P=fp16", PruningCriterion::l1, limits));
    limits.l1_bytes = 4095;
    CHECK(check(op, config + ";P=fp16", PruningCriterion::l1, limits));
    // Shared: the eight work-items along x read the same texels of A, those along y the same of B:
    // (4 * 8 + 4 * 8) * 16 B.
    limits.l1_bytes = 1024;
    CHECK_FALSE(check(op, config, PruningCriterion::l1, limits, LoadCounting::shared_once));
    limits.l1_bytes = 1023;
    CHECK(check(op, config, PruningCriterion::l1, limits, LoadCounting::shared_once));
    // In an 16x2 group it is (4 * 2 + 4 * 16) * 16 B = 1152 B.
    limits.l1_bytes = 1151;
    CHECK_THAT(check(op, "A=row,column;T=4x4;G=16x2", PruningCriterion::l1, limits,
                     LoadCounting::shared_once)
                   ->reason,
               Contains("32 work-items load 1152 B"));
    // Two parts of a reduction read different texels: twice as many.
    limits.l1_bytes = 2303;
    CHECK_THAT(check(op, "A=row,column;T=4x4;G=16x2;R=2", PruningCriterion::l1, limits,
                     LoadCounting::shared_once)
                   ->reason,
               Contains("64 work-items load 2304 B"));
}

TEST_CASE("L1: a loop that is written out makes the iteration of the loop around it larger")
{
    // One output of each work-item: over four input channels a texel of X, and one of W for each of
    // the four.
    const Operator op = parse_operator("conv2d", "1,8,8,8,8,3,3,1");
    const auto texels = [&](const std::string& config) {
        std::vector<std::int64_t> counts;
        for (const auto& input : kernel_footprint(loop_nest(op, parse_schedule(config))).inputs) {
            counts.push_back(input.texels);
        }
        return counts;
    };
    CHECK(texels("A=row,column;T=4x1;G=2x8") == std::vector<std::int64_t>{1, 4});
    CHECK(texels("A=row,column;T=4x1;G=2x8;L=ci,kh,kw;U=kw") == std::vector<std::int64_t>{3, 12});
    CHECK(texels("A=row,column;T=4x1;G=2x8;U=kh,kw") == std::vector<std::int64_t>{1, 4});
    CHECK(texels("A=row,column;T=4x1;G=2x8;L=ci,kh,kw;U=kh,kw") ==
          std::vector<std::int64_t>{9, 36});
    // Neighbours along y share the columns of the window: 6 columns in 3 rows, not 2 * 9.
    CHECK(texels("A=row,column;T=4x2;G=2x4;L=ci,kh,kw;U=kh,kw") ==
          std::vector<std::int64_t>{12, 36});
    // Without any loop the whole kernel is one iteration: two texels of channels, nine taps.
    CHECK(texels("A=row,column;T=4x1;G=2x8;U=kh,kw,ci") == std::vector<std::int64_t>{18, 72});
}

TEST_CASE("Registers: the footprint of all work-items of the group against the core's")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const std::string config = "A=row,column;T=4x4;G=8x8;R=2";
    const int footprint = loop_nest(op, parse_schedule(config)).registers_per_item;
    REQUIRE(footprint > 16);
    PruningLimits limits;
    limits.registers = 128 * footprint;
    CHECK_FALSE(check(op, config, PruningCriterion::registers, limits));
    limits.registers = 128 * footprint - 1;
    CHECK_THAT(check(op, config, PruningCriterion::registers, limits)->reason,
               Contains("128 work-items") && Contains(std::to_string(128 * footprint)));
}

TEST_CASE(
    "Spills: the footprint of a work-item against what it can have, or what a compiler has told")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    const std::string config = "A=row,column;T=8x8;G=8x8";
    const LoopNest nest = loop_nest(op, parse_schedule(config));
    PruningLimits limits;
    limits.registers_per_item = nest.registers_per_item;
    CHECK_FALSE(check(op, config, PruningCriterion::spills, limits));
    limits.registers_per_item = nest.registers_per_item - 1;
    CHECK_THAT(check(op, config, PruningCriterion::spills, limits)->reason,
               Contains(fmt::format("needs {} registers, it can have {}", nest.registers_per_item,
                                    nest.registers_per_item - 1)));
    // In half precision the same tile fits, where the device computes in it.
    CHECK(check(op, config + ";P=fp16", PruningCriterion::spills, limits));
    limits.half = true;
    CHECK_FALSE(check(op, config + ";P=fp16", PruningCriterion::spills, limits));
    CHECK(check(op, config, PruningCriterion::spills, limits));
    // A compiler knows better, in both ways.
    KernelFootprint kernel = kernel_footprint(nest);
    kernel.spilled = 0;
    CHECK_FALSE(spill_reason(kernel, limits));
    kernel.spilled = 12;
    limits.registers_per_item = 1000;
    CHECK_THAT(spill_reason(kernel, limits).value(), Contains("stores and loads 12 registers"));
    CHECK(violates(PruningCriterion::spills, kernel, {8, 8, 1}, 1, limits, {}));
}

TEST_CASE("Buffer: any tensor in a buffer, where the L1 is for textures only")
{
    const Operator op = parse_operator("matmul", "16,16,16");
    PruningLimits limits;
    limits.l1_for_textures_only = true;
    CHECK_FALSE(check(op, "A=row,row;T=4x4;G=4x4", PruningCriterion::buffer, limits));
    CHECK_THAT(
        check(op, "A=row,row;T=4x4;G=4x4;M=image,buffer,image", PruningCriterion::buffer, limits)
            ->reason,
        Contains("B in a buffer"));
    CHECK_THAT(
        check(op, "A=row,row;T=4x4;G=4x4;M=buffer,image,buffer", PruningCriterion::buffer, limits)
            ->reason,
        Contains("A, C in a buffer"));
    limits.l1_for_textures_only = false;
    CHECK_FALSE(check(op, "A=row,row;T=4x4;G=4x4;M=buffer,buffer,buffer", PruningCriterion::buffer,
                      limits));
}

TEST_CASE("Local memory: a split reduction in a group of more than alpha times the ALUs")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    PruningLimits limits;
    limits.alus = 16;
    // 48 = 3 * 16
    CHECK_FALSE(check(op, "A=row,row;T=4x4;G=4x3;R=4", PruningCriterion::local_memory, limits));
    CHECK_THAT(
        check(op, "A=row,row;T=4x4;G=7x1;R=7", PruningCriterion::local_memory, limits)->reason,
        Contains("split into 7") && Contains("49 work-items") && Contains("3 x 16 ALUs"));
    // not split
    CHECK_FALSE(check(op, "A=row,row;T=4x4;G=7x7", PruningCriterion::local_memory, limits));
    CHECK(check(op, "A=row,row;T=4x4;G=4x3;R=4", PruningCriterion::local_memory, limits,
                LoadCounting::each_item, 2));
}

TEST_CASE("Warp: a group smaller than a warp, the parts of a reduction counted")
{
    const Operator op = parse_operator("matmul", "64,64,64");
    PruningLimits limits;
    limits.warp_size = 64;
    CHECK_FALSE(check(op, "A=row,row;T=4x4;G=8x8", PruningCriterion::warp, limits));
    CHECK_THAT(check(op, "A=row,row;T=4x4;G=9x7", PruningCriterion::warp, limits)->reason,
               Contains("63 work-items are fewer than a warp of 64"));
    CHECK_FALSE(check(op, "A=row,row;T=4x4;G=8x4;R=2", PruningCriterion::warp, limits));
}

TEST_CASE("Access width: an input whose texels hold one element")
{
    // dW[kh,kw,c] = sum over n,oh,ow of X dY: with a single channel in a tile, neither packs.
    const Operator op = parse_operator("dwconv2d", "1,8,8,8,3,3,1");
    const auto one = check(op, "A=row,row;T=1x1;G=8x8", PruningCriterion::access_width, {});
    REQUIRE(one);
    CHECK_THAT(one->reason, Contains("X, W read one element at a time"));
    CHECK_FALSE(check(op, "A=row,row;T=4x1;G=2x8", PruningCriterion::access_width, {}));
    // A matrix product has sums over k to pack.
    CHECK_FALSE(check(parse_operator("matmul", "8,8,8"), "A=row,row;T=1x1;G=8x8",
                      PruningCriterion::access_width, {}));
}

TEST_CASE("What is not known of the device switches a criterion off, and is said")
{
    const Operator op = parse_operator("dwconv2d", "1,8,8,8,3,3,1");
    const Schedule schedule = parse_schedule("A=row,row;T=1x1;G=2x2;R=3;M=buffer,buffer,buffer");
    const auto rejection = prune(loop_nest(op, schedule), schedule, {});
    REQUIRE(rejection);
    CHECK(rejection->criterion == PruningCriterion::access_width);
    const auto off = switched_off({}, {});
    REQUIRE(off.size() == 6);
    std::size_t next = 0;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (criterion != PruningCriterion::access_width) { // needs to know nothing
            CHECK_THAT(off[next++], Contains(to_string(criterion) + ": ") && Contains("known"));
        }
    }
    PruningLimits limits;
    limits.warp_size = 64;
    CHECK(switched_off(limits, {{PruningCriterion::warp, PruningCriterion::access_width}}).empty());
    CHECK(prune(loop_nest(op, schedule), schedule, limits, {{PruningCriterion::warp}})->criterion ==
          PruningCriterion::warp);
    CHECK_FALSE(prune(loop_nest(op, schedule), schedule, limits, {{}}));
}

TEST_CASE("The names of the criteria are read back, and another one is refused with their list")
{
    std::set<std::string> names;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        names.insert(to_string(criterion));
        CHECK(parse_pruning_criterion(to_string(criterion)) == criterion);
    }
    CHECK(names.size() == all_pruning_criteria.size());
    CHECK_THROWS_WITH(parse_pruning_criterion("L1"),
                      Contains("'L1'") && Contains("l1, registers, buffer"));
}

TEST_CASE(
    "The bytes of an iteration are those of the reads that the launch makes, over its iterations")
{
    const auto seed = Catch::rngSeed();
    test::Random random(seed);
    for (int round = 0; round < 40; ++round) {
        const Operator op = test::random_matmul(random);
        const Schedule schedule = test::random_matmul_schedule(random, 64);
        CAPTURE(seed, to_string(op), to_string(schedule));
        const LoopNest nest = loop_nest(op, schedule);
        // A matrix product has one loop, or none: every iteration reads the same number of texels.
        const Launch launch = launch_of(nest);
        std::int64_t iterations = 1;
        for (const Statement& statement : launch.body) {
            if (const auto* loop = std::get_if<Loop>(&statement)) {
                iterations = loop->extent();
            }
        }
        std::int64_t texels = 0;
        for (const auto& input : kernel_footprint(nest).inputs) {
            texels += input.texels;
        }
        CHECK(texels * iterations == reads_per_item(launch.body));
    }
}
