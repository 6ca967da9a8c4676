#include "base/error.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "workbench/space/tunable_parameters.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope::workbench::space;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const ParameterValues& values)
{
    std::string text;
    for (const auto& [name, value] : values) {
        text += (text.empty() ? "" : " ") + name + "=" + to_string(value);
    }
    return text;
}

} // namespace

TEST_CASE("A schedule as flat parameters")
{
    CHECK(text_of(tunable_parameters(parse_schedule("A=block4,column;T=4x8;W=8x4;G=16x8"))) ==
          "pattern_1=block4 pattern_2=column tile_x=4 tile_y=8 tile_z=0 warp_x=8 warp_y=4 "
          "block_size_x=16 "
          "block_size_y=8 block_size_z=1");
    CHECK(text_of(tunable_parameters(
              parse_schedule("A=row,row;T=4x4x2;W=8x8;G=8x8x1;L=ci,kh;U=kh,kw;R=3;S=8;M=image,"
                             "buffer,image;P=fp16;V=8;B=splat;E=off"))) ==
          "pattern_1=row pattern_2=row tile_x=4 tile_y=4 tile_z=2 warp_x=8 warp_y=8 block_size_x=8 "
          "block_size_y=8 "
          "block_size_z=1 order=ci+kh unroll=kh+kw split=3 stage=8 memory_1=image memory_2=buffer "
          "memory_3=image "
          "storage=fp16 vector=8 splat=splat eliminate_addresses=off");
    CHECK(text_of(tunable_parameters(parse_schedule(
              "A=row,row;T=8x4;D=1x8;K=4;W=4x8;G=8x4x1;N=yxz;F=tvm,tvm,own;C=fp32"))) ==
          "pattern_1=row pattern_2=row tile_x=8 tile_y=4 tile_z=0 turns_x=1 turns_y=8 turns_z=0 "
          "turn_x=4 turn_y=0 turn_z=0 warp_x=4 warp_y=8 block_size_x=8 block_size_y=4 "
          "block_size_z=1 numbering=yxz framework_1=tvm framework_2=tvm framework_3=own sums=fp32");
}

TEST_CASE("Random schedules come back from their parameters, alone and in a table")
{
    const auto seed = GENERATE(range(1, 41));
    CAPTURE(seed);
    Random random(static_cast<std::uint64_t>(seed));
    const Operator op = random_operator(random, random.pick(operator_names()));
    std::vector<Schedule> schedules;
    for (int i = 0; i < 6; ++i) {
        schedules.push_back(random_schedule(random, op));
        CHECK(to_string(schedule_of(tunable_parameters(schedules.back()))) ==
              to_string(schedules.back()));
    }
    const ParameterTable table = parameter_table(schedules);
    CHECK(std::set<std::string>(table.names.begin(), table.names.end()).size() ==
          table.names.size());
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        CHECK(to_string(schedule_of(table.row(i))) == to_string(schedules[i]));
    }
    for (std::size_t column = 0; column < table.names.size(); ++column) {
        const auto values = table.values(column);
        CHECK(std::is_sorted(values.begin(), values.end()));
        for (const auto& row : table.rows) {
            CHECK(std::count(values.begin(), values.end(), row[column]) == 1);
        }
    }
}

TEST_CASE("Parameters that are no schedule are refused")
{
    const ParameterValues good =
        tunable_parameters(parse_schedule("A=row,row;T=4x4;W=8x8;G=8x8x1"));
    const auto with = [&](const std::string& name, const ParameterValue& value) {
        ParameterValues changed = good;
        changed.emplace_back(name, value);
        return changed;
    };
    ParameterValues short_one = good;
    short_one.pop_back();
    CHECK_THROWS_WITH(schedule_of(short_one), Contains("'block_size_z' is missing"));
    CHECK_THROWS_WITH(schedule_of(with("colour", std::int64_t{1})),
                      Contains("'colour' is not known"));
    CHECK_THROWS_WITH(schedule_of(with("tile_x", std::int64_t{1})),
                      Contains("'tile_x' occurs twice"));
    CHECK_THROWS_WITH(schedule_of(with("storage", std::string("int8"))),
                      Contains("'int8' is not known"));
    CHECK_THROWS_WITH(schedule_of(with("split", std::int64_t{-1})), Contains("part R"));
    CHECK_THROWS_AS(schedule_of({}), Error);
    CHECK_THROWS_WITH(parameter_table({parse_schedule("A=row,row;T=4x4;G=8x8"),
                                       parse_schedule("A=row;T=4x4;G=8x8")}),
                      Contains("different numbers of tensors"));
}
