#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/layernorm.hpp"
#include "codegen/operators/softmax.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

namespace {

/// An operator of this file's kind, and how often each input is read.
struct RowCase {
    Operator (*make)(std::int64_t, std::int64_t);
    bool owns_rows = true; ///< a work-item owns rows, else columns
    std::vector<int> passes;
};

const std::vector<RowCase>& row_cases()
{
    static const std::vector<RowCase> all{{softmax, true, {3}},
                                          {softmax_dx, true, {2, 2}},
                                          {layernorm, true, {3, 1, 1}},
                                          {layernorm_dx, true, {4, 2, 2}},
                                          {layernorm_dgamma, false, {1, 1, 1, 1}},
                                          {layernorm_dbeta, false, {1}}};
    return all;
}

Schedule random_row_schedule(test::Random& random, const Operator& op)
{
    const std::vector<AccessPattern> patterns(all_access_patterns.begin(),
                                              all_access_patterns.end());
    Schedule schedule;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        schedule.patterns.push_back(random.pick(patterns));
    }
    schedule.tile = {random.pick(std::vector<std::int32_t>{4, 8, 12, 16}), random.small(1, 4)};
    schedule.split = random.one_in(2) ? 1 : random.pick(std::vector<std::int32_t>{2, 3, 4, 8});
    schedule.eliminate_addresses = random.one_in(2);
    do {
        schedule.warp = {random.small(1, 4), random.small(1, 4)};
        schedule.group = {schedule.warp[0] * random.small(1, 3),
                          schedule.warp[1] * random.small(1, 3), random.one_in(4) ? 2 : 1};
    } while (schedule.group[0] * schedule.group[1] * schedule.group[2] > 64);
    return schedule;
}

/// Where a texel comes from: a line and a place along it, both counted in texels or rows.
struct LineTexel {
    std::int64_t line = 0;
    std::int64_t place = 0;

    auto operator<=>(const LineTexel&) const = default;
};

/// The texels of an input that hold elements.
std::map<Texel, LineTexel> texels_of(const Operand& operand, bool owns_rows)
{
    const auto& shape = operand.tensor.shape;
    const bool matrix = shape.size() == 2;
    std::map<Texel, LineTexel> texels;
    for (std::int64_t e = 0; e < operand.tensor.size(); ++e) {
        const std::int64_t row = matrix ? e / shape[1] : 0;
        const std::int64_t column = matrix ? e % shape[1] : e;
        const std::vector<std::int64_t> index = matrix ? std::vector{row, column} : std::vector{e};
        const Texel texel{static_cast<std::int32_t>(operand.x.evaluate(index)),
                          static_cast<std::int32_t>(operand.y.evaluate(index))};
        texels[texel] = matrix
                            ? (owns_rows ? LineTexel{row, column / 4} : LineTexel{column / 4, row})
                            : LineTexel{0, owns_rows ? e / 4 : e};
    }
    return texels;
}

} // namespace

TEST_CASE("Packing and unpacking the tensors of row operators gives them back, and padding is zero")
{
    test::Random random(101);
    for (int i = 0; i < 90; ++i) {
        const Operator op =
            random.pick(row_cases()).make(random.between(1, 20), random.between(1, 20));
        Schedule schedule = random_row_schedule(random, op);
        if (random.one_in(2)) {
            schedule.memory.assign(op.inputs.size() + 1, Memory::buffer);
        }
        const LoopNest nest = loop_nest(op, schedule);
        std::vector<Operand> operands = nest.inputs;
        operands.push_back(nest.output);
        for (const Operand& operand : operands) {
            std::vector<float> values(static_cast<std::size_t>(operand.tensor.size()));
            for (std::size_t e = 0; e < values.size(); ++e) {
                values[e] = static_cast<float>(e + 1);
            }
            CAPTURE(nest.operator_text, nest.schedule_text, operand.image.name);
            const std::vector<float> texels = pack(operand, values);
            CHECK(unpack(operand, texels) == values);
            const std::multiset<float> stored(texels.begin(), texels.end());
            CHECK(stored.size() - stored.count(0.0F) == values.size());
        }
    }
}

TEST_CASE(
    "Where the parts of a line meet, the launch has a barrier and what goes through local memory")
{
    test::Random random(104);
    int several_lines = 0;
    for (int i = 0; i < 300; ++i) {
        const Operator op =
            random.pick(row_cases()).make(random.between(1, 30), random.between(1, 40));
        const Schedule schedule = random_row_schedule(random, op);
        const LoopNest nest = loop_nest(op, schedule);
        CAPTURE(nest.operator_text, nest.schedule_text);
        const auto meetings = std::ranges::count_if(nest.body, [](const NestStatement& statement) {
            return std::holds_alternative<NestMeet>(statement);
        });
        CHECK((meetings > 0) == (schedule.split > 1));
        std::int64_t barriers = 0;
        for (const Statement& statement : launch_of(nest).body) {
            if (const auto* work = std::get_if<Work>(&statement);
                work != nullptr && work->barrier) {
                ++barriers;
                CHECK(work->local.value > 0);
                // everybody reads what all have left
                CHECK(work->local.value % (4 * schedule.split) == 0);
            }
        }
        CHECK(barriers == meetings);
        several_lines += meetings > 0 && std::max(schedule.tile[0], schedule.tile[1]) > 1 ? 1 : 0;
    }
    CHECK(several_lines > 20);
}

TEST_CASE("Each texel of a line is read once a pass, by the work-item that owns the line and that "
          "part of it")
{
    test::Random random(103);
    for (int i = 0; i < 150; ++i) {
        const RowCase& tested = random.pick(row_cases());
        const Operator op = tested.make(random.between(1, 30), random.between(1, 40));
        const Schedule schedule = random_row_schedule(random, op);
        const LoopNest nest = loop_nest(op, schedule);
        const Launch launch = launch_of(nest);
        CAPTURE(nest.operator_text, nest.schedule_text);

        const std::int64_t texels_across = (op.shape[1] + 3) / 4;
        const std::int64_t lines = tested.owns_rows ? op.shape[0] : texels_across;
        const std::int64_t places = tested.owns_rows ? texels_across : op.shape[0];
        const std::int64_t own = tested.owns_rows ? schedule.tile[1] : schedule.tile[0] / 4;
        const std::int64_t tiles = (lines + own - 1) / own;
        const std::int64_t tiles_of_group =
            std::int64_t{schedule.group[0]} * schedule.group[1] * schedule.group[2];
        CHECK(launch.group_count() == (tiles + tiles_of_group - 1) / tiles_of_group);
        CHECK(launch.group_size() == tiles_of_group * schedule.split);

        std::vector<std::map<Texel, LineTexel>> texels;
        for (const Operand& input : nest.inputs) {
            texels.push_back(texels_of(input, tested.owns_rows));
        }
        using Reader = std::pair<std::int64_t, std::int64_t>; // tile, part
        std::vector<std::map<LineTexel, std::map<Reader, int>>> readers(texels.size());
        std::map<Reader, std::int64_t> outside;
        std::set<std::int64_t> seen_tiles;
        const auto [bx, by, bz] = launch.local;
        for (int g = 0; g < launch.group_count(); ++g) {
            const Dim3 group{g % launch.groups[0], g / launch.groups[0] % launch.groups[1],
                             g / (launch.groups[0] * launch.groups[1])};
            for (int l = 0; l < launch.group_size(); ++l) {
                const auto reads = item_reads(launch, group, {l % bx, l / bx % by, l / (bx * by)});
                const std::int64_t part = l / tiles_of_group; // parts lie along z, the slowest
                std::optional<std::int64_t> tile;
                std::int64_t missed = 0;
                for (const ItemRead& read : reads) {
                    const auto image = static_cast<std::size_t>(read.image);
                    const auto found = texels[image].find(read.texel);
                    if (found == texels[image].end()) {
                        ++missed;
                    } else if (op.inputs[image].shape.size() == 2) {
                        const std::int64_t at = found->second.line / own;
                        CHECK(tile.value_or(at) == at); // one tile for one work-item
                        tile = at;
                    }
                }
                if (!tile) {
                    continue; // beyond the lines, or its part has no place
                }
                seen_tiles.insert(*tile);
                CHECK(*tile / tiles_of_group == g);
                outside[{*tile, part}] += missed;
                for (const ItemRead& read : reads) {
                    const auto image = static_cast<std::size_t>(read.image);
                    const auto found = texels[image].find(read.texel);
                    if (found != texels[image].end()) {
                        CHECK(found->second.place % schedule.split == part);
                        ++readers[image][found->second][{*tile, part}];
                    }
                }
            }
        }
        CHECK(static_cast<std::int64_t>(seen_tiles.size()) == tiles);
        std::int64_t passes_over_matrices = 0;
        for (std::size_t input = 0; input < texels.size(); ++input) {
            const bool matrix = op.inputs[input].shape.size() == 2;
            passes_over_matrices += matrix ? tested.passes[input] : 0;
            REQUIRE(readers[input].size() == texels[input].size());
            for (const auto& [texel, by_whom] : readers[input]) {
                CHECK(static_cast<std::int64_t>(by_whom.size()) == (matrix ? 1 : tiles));
                for (const auto& [who, times] : by_whom) {
                    CHECK(times == tested.passes[input]);
                    CHECK((!matrix || who.first == texel.line / own));
                }
            }
        }
        if (schedule.split == 1) { // what is read outside is what the last tile lacks in lines
            for (const auto& [who, missed] : outside) {
                const std::int64_t there = std::min(own, lines - who.first * own);
                CHECK(missed == (own - there) * places * passes_over_matrices);
            }
        }
    }
}

TEST_CASE("Work-items that share a line meet in local memory, all of them, as often as something "
          "is summed up")
{
    const std::map<std::string, int> meetings{{"softmax", 2},          {"softmax_dx", 1},
                                              {"layernorm", 2},        {"layernorm_dx", 4},
                                              {"layernorm_dgamma", 1}, {"layernorm_dbeta", 1}};
    for (const RowCase& tested : row_cases()) {
        const Operator op = tested.make(10, 30);
        Schedule schedule = op.default_schedule;
        CHECK(loop_nest(op, schedule).local_arrays.empty());
        CHECK_FALSE(loop_nest(op, schedule).collective);
        schedule.split = 4;
        const LoopNest nest = loop_nest(op, schedule);
        CAPTURE(op.name);
        CHECK(nest.collective);
        CHECK(nest.guards.empty());
        REQUIRE(nest.local_arrays.size() == 1);
        CHECK(nest.local_arrays[0].count == 256);
        int meets = 0;
        for (const NestStatement& statement : nest.body) {
            meets += std::holds_alternative<NestMeet>(statement) ? 1 : 0;
        }
        CHECK(meets == meetings.at(op.name));
    }
}

TEST_CASE("Components beyond the last column are left out where they would count, and only there")
{
    const auto is_select = [](const NestStatement& statement) {
        const auto* declare = std::get_if<NestDeclare>(&statement);
        const auto* assign = std::get_if<NestAssign>(&statement);
        const auto* write = std::get_if<NestWrite>(&statement);
        const NumberExpr* value = declare != nullptr  ? &declare->value
                                  : assign != nullptr ? &assign->value
                                  : write != nullptr  ? &write->value
                                                      : nullptr;
        return value != nullptr &&
               std::ranges::any_of(value->nodes(), [](const NumberExpr::Node& node) {
                   return node.kind == NumberExpr::Kind::components_below;
               });
    };
    const auto selects = [&](const LoopNest& nest) {
        for (const NestStatement& statement : nest.body) {
            if (const auto* loop = std::get_if<NestLoop>(&statement)) {
                CHECK(std::ranges::none_of(loop->body, is_select));
            }
        }
        return std::ranges::count_if(nest.body, is_select);
    };
    CHECK(selects(loop_nest(softmax(3, 64), parse_schedule("A=row;T=8x1;G=1x4"))) == 0);
    // maximum, sum, output
    CHECK(selects(loop_nest(softmax(3, 63), parse_schedule("A=row;T=8x1;G=1x4"))) == 3);
    CHECK(selects(loop_nest(softmax(3, 63), parse_schedule("A=row;T=8x2;G=1x4"))) == 6);
    CHECK(selects(loop_nest(softmax(3, 64), parse_schedule("A=row;T=4x1;G=1x4;R=4"))) == 0);
    // 16 texels for 3 parts
    CHECK(selects(loop_nest(softmax(3, 64), parse_schedule("A=row;T=4x1;G=1x4;R=3"))) == 3);
}

TEST_CASE("Illegal shapes and schedules of row operators are refused with a reason")
{
    CHECK_THROWS_WITH(softmax(0, 4), Contains("size 0"));
    CHECK_THROWS_WITH(layernorm(4, -1), Contains("size -1"));
    const Operator op = layernorm(8, 8);
    const auto lower = [&](const std::string& text) {
        return loop_nest(op, parse_schedule("A=row,row,row;" + text));
    };
    CHECK_NOTHROW(lower("T=4x1;G=1x8"));
    CHECK_THROWS_WITH(loop_nest(op, parse_schedule("A=row;T=4x1;G=1x8")),
                      Contains("1 access patterns") && Contains("X, gamma, beta"));
    CHECK_THROWS_WITH(lower("T=2x1;G=1x8"), Contains("multiple of four"));
    CHECK_THROWS_WITH(lower("T=4x1x1;G=1x8"), Contains("tile with 3 sizes"));
    CHECK_THROWS_WITH(lower("T=64x64;G=1x8"), Contains("at most 1024"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;R=257"), Contains("at most 256"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;L=c"), Contains("leave L and U out"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;U=c"), Contains("leave L and U out"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;B=splat"), Contains("B=splat"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;M=buffer,image"), Contains("memory of 2 tensors"));
    CHECK_THROWS_WITH(lower("T=4x1;G=1x8;W=2x1"), Contains("does not tile"));
}
