#include "base/error.hpp"
#include "tests/random_cases.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/space/tunable_parameters.hpp"
#include "workbench/space/where.hpp"
#include "workbench/tuning/strategy.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

using namespace texelscope::workbench::tuning;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> schedule_texts_of(const ConfigurationSpace& space)
{
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        texts.push_back(to_string(space.at(i)));
    }
    std::sort(texts.begin(), texts.end()); // conditions may reorder a space
    return texts;
}

using Predicate = std::function<bool(const Schedule&)>;

std::vector<std::string> filtered(const ConfigurationSpace& space, const Predicate& keep)
{
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        if (const Schedule schedule = space.at(i); keep(schedule)) {
            texts.push_back(to_string(schedule));
        }
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

Narrowed constrained(const Operator& op, const ConfigurationSpace& space,
                     const std::vector<std::string>& where)
{
    const std::vector<Constraint> parsed = constraints(where, op);
    Narrowed left = narrowed(space, conditions_of(parsed), "here");
    check_some_left(left.counts, "here");
    return left;
}

} // namespace

TEST_CASE("A constrained space is what a filter leaves of all configurations")
{
    const Operator op = parse_operator("matmul", "24,20,12");
    SpaceOptions options;
    options.values = {{'R', {"1", "4"}},
                      {'M', {"", "image,buffer,image"}},
                      {'P', {"fp32", "fp16"}},
                      {'B', {"auto", "splat"}}};
    const ConfigurationSpace space = configuration_space(op, find_profile("mali-g77"), options);
    const std::vector<std::pair<std::string, Predicate>> cases{
        {"tile_x * tile_y <= 8", [](const Schedule& s) { return s.tile[0] * s.tile[1] <= 8; }},
        {"pattern_1 != 'row' and pattern_2 == pattern_1",
         [](const Schedule& s) {
             return s.patterns[0] != AccessPattern::row && s.patterns[0] == s.patterns[1];
         }},
        {"block_size_x * block_size_y * block_size_z * split == 64",
         [](const Schedule& s) { return s.group[0] * s.group[1] * s.group[2] * s.split == 64; }},
        {"warp_x > warp_y or warp_x % 4 == 0 and not tile_x == 4",
         [](const Schedule& s) {
             return s.warp[0] > s.warp[1] || (s.warp[0] % 4 == 0 && s.tile[0] != 4);
         }},
        {"memory_2 == 'buffer' and memory_1 == 'image' and storage == 'fp16'",
         [](const Schedule& s) {
             return s.memory_of(1) == Memory::buffer && s.memory_of(0) == Memory::image &&
                    s.storage == Storage::fp16;
         }},
        {"splat == 'splat' and block_size_y / 4 == 2",
         [](const Schedule& s) { return s.splat && s.group[1] / 4 == 2; }},
        {"tile_z == 0 and stage == 0 and vector == 4 and order == 'none'",
         [](const Schedule&) { return true; }},
    };
    for (const auto& [text, keep] : cases) {
        CAPTURE(text);
        const Narrowed left = constrained(op, space, {text});
        const auto expected = filtered(space, keep);
        // in brackets: so many texts are not to be printed
        CHECK((schedule_texts_of(left.space) == expected));
        CHECK(left.counts.size == space.size());
        CHECK(left.counts.kept == std::ssize(expected));
        REQUIRE(left.counts.conditions.size() == 1);
        CHECK(left.counts.conditions[0].text == text);
        CHECK(left.counts.conditions[0].excluded == space.size() - std::ssize(expected));
    }
}

TEST_CASE("Values of a space's elements are those of their flat parameters, for every strategy and "
          "operator")
{
    const DeviceProfile device = find_profile("adreno-640");
    int looked_at = 0;
    for (const auto& [name, shape] : std::vector<std::pair<const char*, const char*>>{
             {"matmul", "40,32,24"}, {"conv2d", "1,14,14,16,16,3,3,1"}, {"softmax", "300,70"}}) {
        const Operator op = parse_operator(name, shape);
        for (const Strategy& strategy : all_strategies()) {
            ConfigurationSpace space;
            try {
                space = strategy.space(op, device);
            } catch (const Error&) { // a baseline that has no rule for the operator
                continue;
            }
            CAPTURE(name, strategy.name);
            constexpr std::int64_t few = 60'000; // elements are looked at one by one
            if (texelscope::test::random_cases(0, 1) == 0 && space.size() > few) {
                continue;
            }
            ++looked_at;
            // As many conditions as parameters, each true of one element's value: what is left has
            // all its values.
            const Schedule one = space.at(space.size() / 3);
            std::vector<std::string> where;
            for (const auto& [parameter, value] : all_parameters(one, op.inputs.size() + 1)) {
                const bool word = std::holds_alternative<std::string>(value);
                where.push_back(parameter +
                                " == " + (word ? "'" + to_string(value) + "'" : to_string(value)));
            }
            CHECK((schedule_texts_of(constrained(op, space, where).space) ==
                   filtered(space, [&](const Schedule& schedule) { return schedule == one; })));
        }
    }
    CHECK(looked_at >= 6);
}

TEST_CASE("Several conditions are asked in turn, and counted by the first that does not hold")
{
    const Operator op = parse_operator("matmul", "24,20,12");
    const ConfigurationSpace space = configuration_space(op, find_profile("adreno-740"));
    const Narrowed left =
        constrained(op, space, {"tile_x >= 4", "tile_y == 8 or tile_x == 1", "warp_x != 8"});
    CHECK(schedule_texts_of(left.space) == filtered(space, [](const Schedule& s) {
              return s.tile[0] >= 4 && s.tile[1] == 8 && s.warp[0] != 8;
          }));
    const auto count = [&](const Predicate& keep) { return std::ssize(filtered(space, keep)); };
    CHECK(left.counts.conditions[0].excluded ==
          count([](const Schedule& s) { return s.tile[0] < 4; }));
    CHECK(left.counts.conditions[1].excluded ==
          count([](const Schedule& s) { return s.tile[0] >= 4 && s.tile[1] != 8; }));
    CHECK(left.counts.conditions[2].excluded == count([](const Schedule& s) {
              return s.tile[0] >= 4 && s.tile[1] == 8 && s.warp[0] == 8;
          }));

    // A condition keeps a later one from dividing by zero, as `and` does.
    CHECK(constrained(op, space, {"tile_x > 1", "8 / (tile_x - 1) > 1"}).counts.kept > 0);
    CHECK_THROWS_WITH(constrained(op, space, {"8 / (tile_x - 1) > 1", "tile_x > 1"}),
                      Contains("divides by zero"));

    SpaceCounts both;
    both += left.counts;
    both += left.counts;
    CHECK(both.size == 2 * space.size());
    CHECK(both.kept == 2 * left.counts.kept);
    CHECK(both.conditions[2].excluded == 2 * left.counts.conditions[2].excluded);
}

TEST_CASE("No condition leaves all, and where nothing is left that is said")
{
    const Operator op = parse_operator("matmul", "24,20,12");
    const ConfigurationSpace space = configuration_space(op, find_profile("adreno-740"));
    const Narrowed all = constrained(op, space, {});
    CHECK(all.space.size() == space.size());
    CHECK(all.counts.kept == space.size());
    CHECK(all.counts.conditions.empty());
    CHECK_THROWS_WITH(constrained(op, space, {"tile_x == 3"}),
                      Contains("here: none of ") &&
                          Contains(" configurations is left where \"tile_x == 3\" holds"));
    CHECK_THROWS_WITH(constrained(op, space, {"tile_x == 4", "tile_x == 8"}),
                      Contains("where \"tile_x == 4\" and \"tile_x == 8\" hold;"));
    // softmax has one input.
    CHECK_THROWS_WITH(constraints({"pattern_2 == 'row'"}, parse_operator("softmax", "300,70")),
                      Contains("softmax 300,70: condition") &&
                          Contains("no parameter 'pattern_2'") && Contains("pattern_1, tile_x"));
}

TEST_CASE("Conditions on what was found out hold for no element of which nothing was")
{
    const Operator op = parse_operator("matmul", "24,20,12");
    const ConfigurationSpace space = configuration_space(op, find_profile("mali-g77"));
    const FoundNumbers found{{"spills", "weight"}, [](std::int64_t index) {
                                 return index % 3 == 0
                                            ? std::vector<std::int64_t>{index % 2, -index}
                                            : std::vector<std::int64_t>{};
                             }};
    const auto kept = [&](const std::vector<std::string>& where) {
        const std::vector<Constraint> parsed = constraints(where, op, found.names);
        return narrowed(space, conditions_of(parsed, found));
    };
    const auto expected = [&](const std::function<bool(std::int64_t, const Schedule&)>& keep) {
        std::vector<bool> result;
        for (std::int64_t i = 0; i < space.size(); ++i) {
            result.push_back(keep(i, space.at(i)));
        }
        return result;
    };
    CHECK(kept({"spills == 0"}).kept ==
          expected([](std::int64_t i, const Schedule&) { return i % 6 == 0; }));
    CHECK(kept({"weight < -100 or tile_x == 4"}).kept ==
          expected([](std::int64_t i, const Schedule& schedule) {
              return i % 3 == 0 && (i > 100 || schedule.tile[0] == 4);
          }));
    const Narrowed both = kept({"tile_x == 4", "not spills > 0"});
    CHECK(both.kept == expected([](std::int64_t i, const Schedule& schedule) {
              return i % 6 == 0 && schedule.tile[0] == 4;
          }));
    CHECK(both.counts.kept + both.counts.conditions[0].excluded +
              both.counts.conditions[1].excluded ==
          space.size());
    // One that names none of them is asked of all.
    CHECK(kept({"tile_x == 4"}).kept ==
          expected([](std::int64_t, const Schedule& schedule) { return schedule.tile[0] == 4; }));
    CHECK(constraints({"tile_x == 4 and spills > 0"}, op, found.names)[0].names("spills"));
    CHECK_FALSE(constraints({"tile_x == 4 and spills > 0"}, op, found.names)[0].names("weight"));
    CHECK_THROWS_WITH(constraints({"spills == 0"}, op), Contains("spills"));
}
