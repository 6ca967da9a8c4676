// What is left out of a space, against a slow filter over all of its elements.

#include "codegen/nest/schedule_parts.hpp"
#include "tests/base/random.hpp"
#include "workbench/space/narrowed.hpp"
#include "workbench/space/operator_space.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::workbench::space;
using test::Random;

namespace {

/// A condition that is true of some values of some parts, as chance has it.
struct Chance {
    std::string parts;
    std::uint64_t seed;

    [[nodiscard]] bool of(const Schedule& schedule) const
    {
        std::uint64_t hash = seed;
        for (const char key : parts) {
            for (const char letter : schedule_part(key).write(schedule) + ";") {
                hash = (hash ^ static_cast<std::uint64_t>(letter)) * 1'099'511'628'211U;
            }
        }
        return (hash >> 20U) % 4 != 0;
    }
    [[nodiscard]] SpaceCondition condition() const
    {
        return {"chance of " + parts, parts, [this](const KernelChoice& kernel, std::size_t) {
                    return [this, kernel](const GroupChoice& group, std::int64_t) {
                        return of(schedule_of(kernel, group));
                    };
                }};
    }
};

std::vector<std::string> texts_of(const ConfigurationSpace& space)
{
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < space.size(); ++i) {
        texts.push_back(to_string(space.at(i)));
    }
    return texts;
}

ConfigurationSpace random_space(Random& random)
{
    SpaceOptions options;
    options.tile_sides = {1, 4};
    options.smallest_group = 8;
    options.largest_group = random.one_in(2) ? 16 : 32;
    options.patterns = {AccessPattern::row, AccessPattern::column};
    for (const auto& [key, texts] : std::vector<std::pair<char, std::vector<std::string>>>{
             {'R', {"", "4"}}, {'M', {"", "image,buffer,image"}}, {'P', {"fp32", "fp16"}}}) {
        if (random.one_in(2)) {
            options.values[key] = texts;
        }
    }
    return configuration_space(parse_operator("matmul", "16,8,12"), find_profile("adreno-740"),
                               options);
}

} // namespace

TEST_CASE(
    "Conditions leave what a filter over all elements leaves, counted by the first that fails")
{
    const auto seed = Catch::rngSeed();
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 20; ++round) {
        const ConfigurationSpace space = random_space(random);
        std::vector<Chance> chances;
        for (int c = random.small(1, 3); c > 0; --c) {
            std::vector<char> keys{'A', 'T', 'W', 'G', 'R', 'M', 'P'};
            random.shuffle(keys);
            chances.push_back({std::string(keys.begin(), keys.begin() + random.small(1, 3)),
                               static_cast<std::uint64_t>(random.between(1, 1'000'000))});
        }
        std::vector<SpaceCondition> conditions;
        for (const Chance& chance : chances) {
            conditions.push_back(chance.condition());
        }
        std::vector<std::int64_t> excluded(chances.size(), 0);
        std::vector<std::string> expected;
        for (std::int64_t i = 0; i < space.size(); ++i) {
            const Schedule schedule = space.at(i);
            const auto first = std::ranges::find_if(
                chances, [&](const Chance& chance) { return !chance.of(schedule); });
            if (first == chances.end()) {
                expected.push_back(to_string(schedule));
            } else {
                ++excluded[static_cast<std::size_t>(first - chances.begin())];
            }
        }
        const Narrowed left = narrowed(space, conditions);
        std::vector<std::string> found = texts_of(left.space);
        std::ranges::sort(found); // conditions on parts may reorder a space
        std::ranges::sort(expected);
        CHECK((found == expected)); // in brackets: so many texts are not to be printed
        CHECK(left.counts.size == space.size());
        CHECK(left.counts.kept == std::ssize(expected));
        for (std::size_t c = 0; c < chances.size(); ++c) {
            CHECK(left.counts.conditions[c].text == "chance of " + chances[c].parts);
            CHECK(left.counts.conditions[c].excluded == excluded[c]);
        }
    }
}

TEST_CASE("Conditions on whole elements know their numbers, and count what each excludes by itself")
{
    const auto seed = Catch::rngSeed();
    CAPTURE(seed);
    Random random(seed);
    for (int round = 0; round < 10; ++round) {
        const ConfigurationSpace space = random_space(random);
        const std::int64_t a = random.between(2, 9), b = random.between(2, 9);
        const bool always = random.one_in(2);
        const auto unlike = [&](std::int64_t divisor) {
            return SpaceCondition{.text = std::to_string(divisor),
                                  .holds =
                                      [divisor, &space](const KernelChoice&, std::size_t kernel) {
                                          return
                                              [divisor, first = space.first(kernel), &space,
                                               kernel](const GroupChoice&, std::int64_t element) {
                                                  CHECK(space.place(element).kernel == kernel);
                                                  return (element - first) % divisor != 0;
                                              };
                                      },
                                  .always = always};
        };
        const Narrowed left = narrowed(space, {unlike(a), unlike(b)});
        std::int64_t first = 0, second = 0, alone = 0;
        std::vector<std::string> expected;
        for (std::int64_t i = 0; i < space.size(); ++i) {
            const auto place = static_cast<std::int64_t>(space.place(i).group);
            first += place % a == 0 ? 1 : 0;
            second += place % a != 0 && place % b == 0 ? 1 : 0;
            alone += place % b == 0 ? 1 : 0;
            CHECK(left.kept[static_cast<std::size_t>(i)] == (place % a != 0 && place % b != 0));
            if (place % a != 0 && place % b != 0) {
                expected.push_back(to_string(space.at(i)));
            }
        }
        CHECK((texts_of(left.space) == expected)); // in their order
        CHECK(left.counts.conditions[0].excluded == first);
        CHECK(left.counts.conditions[1].excluded == second);
        CHECK(left.counts.conditions[1].alone == (always ? alone : 0));
        CHECK(left.counts.kept + first + second == space.size());
        // A condition on parts after it: of the elements that are left.
        const Narrowed twice =
            narrowed(left.space, {condition_on_kernels("T", [](const KernelChoice& kernel) {
                         return kernel.tile[0] == 4;
                     })});
        CHECK(twice.counts.kept == std::ranges::count_if(expected, [](const std::string& text) {
                  return parse_schedule(text).tile[0] == 4;
              }));
    }
}
