// Spaces and their pruning against loops over everything.

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/limits.hpp"
#include "tests/base/random.hpp"
#include "workbench/space/factor_space.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/space/pruning_conditions.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::space;
using test::Random;

namespace {

/// Everything that can be checked of a pruned space, with the nest of every element.
void check_by_brute_force(const Operator& op, const ConfigurationSpace& space,
                          const PruningLimits& limits, const PruningOptions& options)
{
    const SpaceFootprints footprints(op, space);
    const Narrowed left = narrowed(space, pruning_conditions(footprints, limits, options));
    const SpaceCounts& pruned = left.counts;
    std::vector<std::string> texts;
    std::map<PruningCriterion, std::int64_t> first;
    std::map<PruningCriterion, std::int64_t> alone;
    std::int64_t kept = 0;
    REQUIRE(pruned.size == space.size());
    for (std::int64_t i = 0; i < space.size(); ++i) {
        const Schedule schedule = space.at(i);
        const LoopNest nest = loop_nest(op, schedule);
        const auto rejection = prune(nest, schedule, limits, options);
        if (left.kept[static_cast<std::size_t>(i)] != !rejection.has_value()) {
            FAIL(to_string(op) << " " << to_string(schedule));
        }
        if (!rejection) {
            texts.push_back(to_string(schedule));
        }
        kept += rejection ? 0 : 1;
        if (rejection) {
            ++first[rejection->criterion];
        }
        const KernelFootprint footprint = kernel_footprint(nest);
        for (const PruningCriterion criterion : options.criteria) {
            alone[criterion] +=
                violates(criterion, footprint, schedule.group, schedule.split, limits, options) ? 1
                                                                                                : 0;
        }
    }
    CHECK(pruned.kept == kept);
    std::int64_t all = pruned.kept;
    REQUIRE(pruned.conditions.size() == options.criteria.size());
    for (const SpaceCounts::Condition& criterion : pruned.conditions) {
        INFO(criterion.text);
        const PruningCriterion of = parse_pruning_criterion(criterion.text);
        CHECK(criterion.excluded == first[of]);
        CHECK(criterion.alone == alone[of]);
        all += criterion.excluded;
    }
    CHECK(all == pruned.size);
    REQUIRE(left.space.size() == kept);
    CHECK(left.space.kernel_count() == space.kernel_count());
    for (std::int64_t i = 0; i < kept; ++i) {
        CHECK(to_string(left.space.at(i)) == texts[static_cast<std::size_t>(i)]);
    }
}

} // namespace

TEST_CASE("A pruned space is what checking every element leaves, and the counts add up")
{
    const auto seed = Catch::rngSeed();
    CAPTURE(seed);
    Random random(seed);
    for (const char* shape : {"1,4,4,8,8,1,1,1", "2,3,4,4,6,3,3,2", "1,1,2,4,4,1,1,1"}) {
        const Operator op = parse_operator("conv2d", shape);
        const Narrowed factors = factor_space(op, find_profile("adreno-640"), template_knobs(op));
        SpaceOptions small;
        small.patterns = {AccessPattern::row};
        small.tile_sides = {1, 4};
        small.tile_depths = {1, 2};
        small.group_depths = {1, 2};
        small.values['R'] = {"1", "2"};
        small.largest_group = 16;
        small.smallest_group = 8;
        {
            PruningLimits limits;
            limits.l1_bytes = random.between(100, 3000);
            limits.registers = random.between(100, 2000);
            limits.l1_for_textures_only = random.one_in(2);
            limits.alus = random.between(1, 10);
            limits.warp_size = random.small(2, 16);
            limits.registers_per_item = random.small(10, 60);
            PruningOptions options;
            options.counting =
                random.one_in(2) ? LoadCounting::each_item : LoadCounting::shared_once;
            if (random.one_in(2)) {
                options.criteria = {PruningCriterion::warp, PruningCriterion::registers};
            }
            ConfigurationSpace some; // every so many of the kernels
            for (std::size_t k = 0; k < factors.space.kernel_count(); k += 37) {
                const auto groups = factors.space.groups(k);
                some.add_kernel(factors.space.kernel(k),
                                some.add_groups({groups.begin(), groups.end()}));
            }
            check_by_brute_force(op, some, limits, options);
            check_by_brute_force(op, configuration_space(op, find_profile("adreno-640"), small),
                                 limits, options);
        }
    }
}

TEST_CASE(
    "Every factorisation is in a space of factors once, and what is refused makes up the rest")
{
    const Operator op = parse_operator("conv2d", "1,6,4,8,12,1,1,1"); // grid 12 x 4 x 6
    DeviceProfile device = find_profile("adreno-640");
    device.limits.work_group_size = 20;
    SpaceOptions knobs = template_knobs(op);
    CHECK_FALSE(knobs.values.contains('U')); // one tap: nothing to write out
    CHECK(knobs.values.at('R') == std::vector<std::string>{"", "4", "16", "64"});
    const Narrowed factors = factor_space(op, device, knobs);
    // 12 = 2*2*3 in three factors: 6 * 3 ways; 4: 6; 6: 3 * 3. Memory, splat: 2 each; splits: 4.
    CHECK(factors.counts.size == 18 * 6 * 9 * 2 * 2 * 4);
    std::set<std::string> texts;
    std::int64_t legal = 0;
    for (const std::int32_t split : {1, 4, 16, 64}) {
        for (int tx = 1; tx <= 12; ++tx) {
            for (int ty = 1; ty <= 4; ++ty) {
                for (int tz = 1; tz <= 6; ++tz) {
                    for (int bx = 1; bx <= 12; ++bx) {
                        for (int by = 1; by <= 4; ++by) {
                            for (int bz = 1; bz <= 6; ++bz) {
                                legal += 12 % (tx * bx) == 0 && 4 % (ty * by) == 0 &&
                                                 6 % (tz * bz) == 0 && bx * by * bz * split <= 20
                                             ? 4
                                             : 0;
                            }
                        }
                    }
                }
            }
        }
    }
    CHECK(factors.space.size() == legal);
    for (std::int64_t i = 0; i < factors.space.size(); ++i) {
        const Schedule schedule = factors.space.at(i);
        texts.insert(to_string(schedule));
        if (i % 61 == 0) {
            CHECK_NOTHROW(check_limits(loop_nest(op, schedule), device));
        }
    }
    CHECK(static_cast<std::int64_t>(texts.size()) == legal);
}

TEST_CASE(
    "A space extended along z, by splits, memory and unrolling holds legal elements, each once")
{
    const Operator op = parse_operator("conv2d", "1,5,9,8,8,3,3,1");
    const DeviceProfile device = find_profile("mali-g77");
    SpaceOptions options;
    options.patterns = {AccessPattern::row, AccessPattern::column};
    options.tile_depths = {1, 2};
    options.group_depths = {1, 2, 4};
    options.values = {{'R', {"", "4", "300"}}, // the last is illegal
                      {'U', {"", "kh,kw", "none"}},
                      {'M', {"", "buffer,buffer,image"}},
                      {'B', {"", "splat"}}};
    const ConfigurationSpace space = configuration_space(op, device, options);
    std::set<std::int32_t> depths;
    std::set<std::int32_t> splits;
    std::set<std::string> texts;
    const std::int64_t step = 997;
    for (std::int64_t i = 0; i < space.size(); i += step) {
        const Schedule schedule = space.at(i);
        texts.insert(to_string(schedule));
        depths.insert(schedule.group[2]);
        splits.insert(schedule.split);
        CHECK_NOTHROW(check_limits(loop_nest(op, schedule), device));
    }
    CHECK(static_cast<std::int64_t>(texts.size()) == (space.size() + step - 1) / step);
    CHECK(depths == std::set<std::int32_t>{1, 2, 4});
    CHECK(splits == std::set<std::int32_t>{1, 4});
    // By default: patterns, tiles of two sizes, groups in one plane, as the product of the two.
    const ConfigurationSpace plain = configuration_space(op, device);
    CHECK(plain.kernel_count() == 25 * 4 * 4);
    CHECK(plain.size() == static_cast<std::int64_t>(plain.kernel_count() * plain.groups(0).size()));
}

TEST_CASE("What a profile does not give is not known to the pruning")
{
    const PruningLimits limits = pruning_limits(find_profile("adreno-640"));
    CHECK(limits.l1_bytes == 1024);
    CHECK(limits.registers == 73728);
    CHECK(limits.l1_for_textures_only == true);
    CHECK(limits.alus == 384);
    CHECK(limits.warp_size == 64);
    CHECK(pruning_limits(find_profile("mali-g77")).l1_for_textures_only == false);
    const PruningLimits none = pruning_limits(DeviceProfile{});
    CHECK(switched_off(none, {}).size() == 6);
    DeviceProfile set;
    set.simulation.machine.warp_size = 32;
    CHECK(pruning_limits(set).warp_size == 32);
}
