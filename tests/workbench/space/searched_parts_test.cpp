// Spaces over all parts of a schedule against loops over their values, and descent in them against
// the whole ranking.

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "tests/random_cases.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/space/searched_parts.hpp"
#include "workbench/space/where.hpp"
#include "workbench/tuning/model_descent.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;

namespace {

struct Problem {
    const char* op;
    const char* shape;
};

std::vector<Problem> problems()
{
    return {{"matmul", "12,20,9"},
            {"matmul", "1,40,24"},
            {"conv2d", "1,6,5,4,8,3,2,1"},
            {"dwconv2d", "1,6,6,8,3,3,2"},
            {"conv3d", "1,2,4,4,4,4,2,1,3,1"},
            {"softmax", "12,40"},
            {"layernorm", "8,16"},
            {"deconv2d", "1,4,4,4,4,3,3,2"}};
}

template <class Value>
std::vector<Value> some_of(std::vector<Value> values, std::size_t most, std::mt19937_64& random)
{
    while (values.size() > most) {
        values.erase(values.begin() +
                     static_cast<std::ptrdiff_t>(uniform_below(random, values.size())));
    }
    return values;
}

/// A small space: few values of random parts.
SpaceOptions random_options(const Operator& op, std::mt19937_64& random)
{
    SpaceOptions options;
    options.parts = "";
    for (const char key : parse_parts("all")) {
        if (uniform_below(random, 2) == 0) {
            options.parts += key;
        }
    }
    options.patterns = some_of(options.patterns, 2, random);
    options.tile_sides = some_of(options.tile_sides, 2, random);
    if (op.grid.tile_multiple > 1) {
        options.tile_sides.push_back(op.grid.tile_multiple);
    }
    options.largest_group = 32;
    options.smallest_group = 16;
    for (const char key : options.parts) {
        if (std::string(paper_parts).find(key) == std::string::npos) {
            options.values[key] = some_of(part_values(op, key), 3, random);
        }
    }
    return options;
}

bool has(const std::string& parts, char key)
{
    return parts.find(key) != std::string::npos;
}

/// What the operator takes of every combination, by nested loops: sizes that make no difference are
/// left out as in a space.
std::set<std::string> by_loops(const Operator& op, const DeviceProfile& device,
                               const SpaceOptions& options)
{
    std::vector<Schedule> schedules{op.default_schedule};
    const auto turn = [&](const auto& variants) {
        std::vector<Schedule> longer;
        for (const Schedule& schedule : schedules) {
            variants(schedule, longer);
        }
        schedules = std::move(longer);
    };
    const auto covers = [](std::int64_t side, std::int64_t extent) { return side < 2 * extent; };
    if (has(options.parts, 'A')) {
        for (std::size_t input = 0; input < op.inputs.size(); ++input) {
            turn([&](Schedule schedule, std::vector<Schedule>& to) {
                for (const AccessPattern pattern : options.patterns) {
                    schedule.patterns[input] = pattern;
                    to.push_back(schedule);
                }
            });
        }
    }
    if (has(options.parts, 'T')) {
        const auto extents = op.grid.tiled.empty() ? op.grid.extents : op.grid.tiled;
        turn([&](Schedule schedule, std::vector<Schedule>& to) {
            for (const std::int32_t x :
                 std::set(options.tile_sides.begin(), options.tile_sides.end())) {
                for (const std::int32_t y :
                     std::set(options.tile_sides.begin(), options.tile_sides.end())) {
                    const std::int64_t wide =
                        std::max<std::int64_t>(extents[0], op.grid.tile_multiple);
                    if (covers(x, wide) && covers(y, extents[1]) &&
                        x % op.grid.tile_multiple == 0) {
                        schedule.tile = {x, y};
                        to.push_back(schedule);
                    }
                }
            }
        });
    }
    for (const auto& [key, values] : options.values) {
        turn([&, key = key, values = values](const Schedule& schedule, std::vector<Schedule>& to) {
            for (const std::string& value : values) {
                to.push_back(schedule);
                if (!value.empty()) {
                    schedule_part(key).read(to.back(), value, "here");
                }
            }
        });
    }
    turn([&](Schedule schedule, std::vector<Schedule>& to) {
        const std::int64_t most =
            std::min(options.largest_group, device.limits.work_group_size) / schedule.split;
        const auto& extents = op.grid.extents;
        std::int64_t whole = 1; // work-items of the whole width and height
        for (std::size_t axis = 0; axis < 2; ++axis) {
            for (std::int64_t side = 1; side < extents[axis]; side *= 2) {
                whole *= 2;
            }
        }
        const std::int64_t least =
            std::min({(options.smallest_group + schedule.split - 1) / schedule.split, whole, most});
        for (std::int32_t x = 1; x <= 32; x *= 2) {
            for (std::int32_t y = 1; y <= 32; y *= 2) {
                if (!has(options.parts, 'G')) {
                    const Dim3& group = op.default_schedule.group;
                    if (x == 1 && y == 1 && std::int64_t{group[0]} * group[1] * group[2] <= most) {
                        schedule.group = group;
                        to.push_back(schedule);
                    }
                } else if (covers(x, extents[0]) && covers(y, extents[1]) && least <= x * y &&
                           x * y <= most) {
                    schedule.group = {x, y, 1};
                    to.push_back(schedule);
                }
            }
        }
    });
    turn([&](Schedule schedule, std::vector<Schedule>& to) {
        const auto [bx, by, bz] = schedule.launched_group();
        const std::int32_t lanes = std::min(device.simulation.machine.warp_size, bx * by);
        schedule.warp = {bx, by};
        if (!has(options.parts, 'W')) {
            to.push_back(schedule);
            return;
        }
        for (std::int32_t x = 1; x <= bx; x *= 2) {
            for (std::int32_t y = 1; y <= by; y *= 2) {
                if (x * y == lanes && bx % x == 0 && by % y == 0) {
                    schedule.warp = {x, y};
                    to.push_back(schedule);
                }
            }
        }
    });
    std::set<std::string> texts;
    for (const Schedule& schedule : schedules) {
        if (is_legal(op, schedule)) {
            texts.insert(to_string(schedule));
        }
    }
    return texts;
}

} // namespace

TEST_CASE("A space over any parts is what loops over their values leave, and its conditions what a "
          "filter leaves")
{
    const auto most = static_cast<std::size_t>(texelscope::test::random_cases(20'000, 60'000));
    int constrained = 0;
    for (int seed = 1; seed <= texelscope::test::random_cases(3, 8); ++seed) {
        std::mt19937_64 random(static_cast<std::uint64_t>(seed));
        for (const Problem& problem : problems()) {
            const Operator op = parse_operator(problem.op, problem.shape);
            DeviceProfile device = find_profile(seed % 2 == 0 ? "mali-g77" : "adreno-740");
            const SpaceOptions options = random_options(op, random);
            const std::set<std::string> expected = by_loops(op, device, options);
            if (expected.size() > most) {
                continue;
            }
            CAPTURE(seed, problem.op, problem.shape, options.parts, expected.size());
            ConfigurationSpace space;
            try {
                space = configuration_space(op, device, options);
            } catch (const Error&) {
                CHECK(expected.empty());
                continue;
            }
            std::set<std::string> found;
            std::vector<Schedule> all;
            for (std::int64_t i = 0; i < space.size(); ++i) {
                const Schedule schedule = space.at(i);
                const ConfigurationSpace::Place place = space.place(i);
                CHECK((space.first(place.kernel) + static_cast<std::int64_t>(place.group)) == i);
                if (is_legal(op, schedule)) {
                    CHECK(found.insert(to_string(schedule)).second);
                    all.push_back(schedule);
                } else {
                    CHECK(schedule.stage > 0); // all else is known before
                }
            }
            CHECK((found == expected));
            if (all.empty()) {
                continue;
            }
            // A condition on two parameters of what one element has.
            const std::size_t memories = op.inputs.size() + 1;
            const Schedule one = all[uniform_below(random, all.size())];
            const ParameterValues values = all_parameters(one, memories);
            const std::size_t a = uniform_below(random, values.size());
            const std::size_t b = uniform_below(random, values.size());
            const auto is = [&](std::size_t i) {
                const bool word = std::holds_alternative<std::string>(values[i].second);
                return values[i].first + " == " +
                       (word ? "'" + to_string(values[i].second) + "'"
                             : to_string(values[i].second));
            };
            const std::string text = is(a) + " and " + is(b);
            const std::vector<Constraint> where = constraints({text}, op);
            const Narrowed left = narrowed(space, conditions_of(where), "here");
            std::set<std::string> filtered;
            for (const Schedule& schedule : all) {
                const ParameterValues other = all_parameters(schedule, memories);
                if (other[a] == values[a] && other[b] == values[b]) {
                    filtered.insert(to_string(schedule));
                }
            }
            std::set<std::string> kept;
            for (std::int64_t i = 0; i < left.space.size(); ++i) {
                if (const Schedule schedule = left.space.at(i); is_legal(op, schedule)) {
                    kept.insert(to_string(schedule));
                }
            }
            CAPTURE(text);
            CHECK((kept == filtered));
            CHECK(left.counts.size == space.size());
            CHECK(left.counts.kept == left.space.size());
            CHECK(left.counts.conditions[0].excluded == space.size() - left.space.size());
            ++constrained;
        }
    }
    CHECK(constrained > texelscope::test::random_cases(10, 20));
}

TEST_CASE("A space of a hundred million configurations is made without listing them")
{
    const Operator op = parse_operator("conv3d", "1,8,16,16,32,32,3,3,3,1");
    const DeviceProfile device = find_profile("adreno-740");
    const ConfigurationSpace space =
        configuration_space(op, device, {.parts = parse_parts("A,T,W,G,L,U,R,S,M,P,V")});
    CHECK(space.size() > 100'000'000);
    CHECK(space.listed().size() < 10'000);
    std::mt19937_64 random(4);
    std::set<std::string> texts;
    int legal = 0;
    for (int i = 0; i < 300; ++i) {
        const Schedule schedule = space.at(static_cast<std::int64_t>(
            uniform_below(random, static_cast<std::uint64_t>(space.size()))));
        texts.insert(to_string(schedule));
        legal += is_legal(op, schedule) ? 1 : 0;
        CHECK((schedule.stage > 0 || is_legal(op, schedule)));
    }
    CHECK(texts.size() > 290);
    CHECK(legal > 200);
    const std::vector<Constraint> where = constraints(
        {"memory_2 == 'buffer'", "order != 'none' and tile_x * block_size_x <= 32"}, op);
    const Narrowed left = narrowed(space, conditions_of(where), "here");
    CHECK(left.counts.conditions[0].excluded * 2 == space.size());
    CHECK(left.counts.kept > 0);
    for (int i = 0; i < 100; ++i) {
        const Schedule schedule = left.space.at(static_cast<std::int64_t>(
            uniform_below(random, static_cast<std::uint64_t>(left.space.size()))));
        CHECK((schedule.memory_of(1) == Memory::buffer && !schedule.order.empty() &&
               schedule.tile[0] * schedule.group[0] <= 32));
    }
    const std::vector<Constraint> tying =
        constraints({"pattern_1 != 'row' or tile_x == warp_x or memory_1 == 'image' or "
                     "storage == 'fp16' or unroll == 'none'"},
                    op);
    CHECK_THROWS_WITH(narrowed(space, conditions_of(tying), "here"),
                      Contains("ties") && Contains("kernels together") && Contains("here"));
}

TEST_CASE(
    "Descent over further parts comes close to the whole ranking, and counts what has no price",
    "[long]")
{
    double worst = 1;
    for (const char* name : {"mali-g710"}) {
        const DeviceProfile device = find_profile(name);
        for (const Problem& problem :
             {Problem{"matmul", "64,48,32"}, Problem{"conv2d", "1,14,14,16,16,3,3,1"},
              Problem{"dwconv2d", "1,20,18,16,3,3,1"}}) {
            const Operator op = parse_operator(problem.op, problem.shape);
            SpaceOptions options{.parts = "ATWGLURSV"};
            options.patterns = {AccessPattern::block4, AccessPattern::row};
            options.values = {{'S', {"", "8"}}, {'R', {"", "4"}}};
            options.tile_sides = {1, 4};
            options.largest_group = 32;
            const ConfigurationSpace space = configuration_space(op, device, options);
            const Calibration none;
            const ModelCosts costs(op, device, space, none, ModelVariant::bottleneck);
            const Ranking whole = rank_by_model(costs, 5);
            const Ranking found = rank_by_descent(costs, 5);
            CAPTURE(name, problem.op, space.size(), whole.not_priced, found.evaluated);
            REQUIRE(whole.best.size() == 5);
            CHECK(whole.evaluated + whole.not_priced == space.size());
            CHECK((whole.not_priced > 0) == !whole.refusal.empty());
            CHECK(found.evaluated < whole.evaluated / 2);
            worst = std::max(worst, found.best.front().cost.value / whole.best.front().cost.value);
        }
    }
    CHECK(worst >= 1);
    CHECK(worst < 1.1);
}

TEST_CASE("Letters of parts are read, and another one is refused with the list of them")
{
    CHECK(parse_parts("A,T,M") == "ATM");
    CHECK(parse_parts("all") == "ATDWGNLURSMFPCV");
    CHECK(parts_text("ATM") == "A,T,M");
    CHECK_THROWS_WITH(parse_parts("A,X"),
                      Contains("'X' is no part") && Contains("M (memory of each input"));
    CHECK_THROWS_WITH(parse_parts("AT"), Contains("'AT' is no part"));
    CHECK_THROWS_WITH(parse_parts("A,,T"), Contains("'' is no part"));
    CHECK_THROWS_WITH(parse_parts("A,T,A"), Contains("twice"));
    CHECK_THROWS_WITH(parse_parts(""), Contains("no part"));
}

TEST_CASE("Without other word a search takes the paper's parts and those that both judges price, "
          "never the storage")
{
    for (const Problem& problem : problems()) {
        const Operator op = parse_operator(problem.op, problem.shape);
        for (const char* name : {"adreno-740", "mali-g77"}) {
            const std::string parts = priced_parts(op, find_profile(name));
            CHECK(parts.starts_with(paper_parts));
            CHECK_FALSE(has(parts, 'P'));
            CHECK(std::set<char>(parts.begin(), parts.end()).size() == parts.size());
        }
    }
}

TEST_CASE("A part is searched without other word only where a value of it is legal somewhere, and "
          "both judges price it")
{
    std::mt19937_64 random(11);
    std::vector<Problem> all = problems();
    all.push_back({"matmul", "1,768,3072"}); // its default configuration takes no S
    for (const Problem& problem : all) {
        const Operator op = parse_operator(problem.op, problem.shape);
        const DeviceProfile device = find_profile("mali-g77");
        const std::string parts = priced_parts(op, device);
        CAPTURE(problem.op, problem.shape, parts);
        for (const char key : std::string("LURSMV")) {
            // Elements in which it is not the default, wherever that is legal.
            SpaceOptions options{.parts = std::string("TG") + key};
            options.tile_sides = {1, 4};
            const ConfigurationSpace some = configuration_space(op, device, options);
            const Calibration none;
            const ModelCosts costs(op, device, some, none, ModelVariant::bottleneck);
            int legal = 0, priced = 0;
            for (int i = 0; i < 400 && priced < 5; ++i) {
                const auto index = static_cast<std::int64_t>(
                    uniform_below(random, static_cast<std::uint64_t>(some.size())));
                const Schedule schedule = some.at(index);
                if (!schedule_part(key).shown(schedule) || !is_legal(op, schedule)) {
                    continue;
                }
                ++legal;
                const ConfigurationSpace::Place place = some.place(index);
                priced += static_cast<int>(
                    costs.of_groups(place.kernel, {&place.group, 1}).priced.size());
            }
            CAPTURE(key, legal, priced);
            if (has(parts, key)) {
                CHECK(priced > 0);
            }
        }
    }
}
