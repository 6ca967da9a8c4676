#include "base/error.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>

#include <map>

using namespace texelscope;
using namespace texelscope::codegen;
using Catch::Matchers::Contains;

TEST_CASE("A schedule prints and parses back")
{
    test::Random random(7);
    for (int i = 0; i < 200; ++i) {
        const Schedule schedule = test::random_matmul_schedule(random);
        CAPTURE(to_string(schedule));
        CHECK(parse_schedule(to_string(schedule)) == schedule);
    }
    CHECK(to_string(parse_schedule("G=16x8;T=4x4;A=block4,column")) ==
          "A=block4,column;T=4x4;W=16x8;G=16x8x1");
}

TEST_CASE("Each part of a schedule is written by the row that reads it, and only it changes")
{
    const Schedule plain = parse_schedule("A=row,row;T=4x4;W=8x8;G=8x8x1");
    const std::map<char, std::string> others{
        {'D', "2x4"},     {'K', "4x2"},           {'N', "yzx"},    {'F', "tvm,mnn,own"},
        {'C', "fp32"},    {'A', "block2,column"}, {'T', "8x2x2"},  {'W', "4x16"},
        {'G', "16x16x2"}, {'L', "ci,kh"},         {'U', "kh"},     {'R', "3"},
        {'S', "16"},      {'M', "image,buffer"},  {'O', "block4"}, {'P', "fp16"},
        {'V', "8"},       {'B', "splat"},         {'E', "off"}};
    REQUIRE(schedule_parts().size() == others.size());
    for (const SchedulePart& part : schedule_parts()) {
        CAPTURE(part.key);
        CHECK_FALSE(part.about.empty());
        CHECK(part.shown(plain) == part.always);
        Schedule changed = plain;
        part.read(changed, others.at(part.key), "");
        CHECK(part.write(changed) == others.at(part.key));
        CHECK(part.shown(changed));
        CHECK(parse_schedule(to_string(changed)) == changed);
        for (const SchedulePart& other : schedule_parts()) {
            CHECK((other.write(changed) == other.write(plain)) == (other.key != part.key));
        }
    }
}

TEST_CASE("Configuration text that is wrong is refused, and the line says what")
{
    const auto refused = [](const char* text, const char* because) {
        CAPTURE(text);
        CHECK_THROWS_WITH(parse_schedule(text), Contains(because));
        CHECK_THROWS_AS(parse_schedule(text), Error);
    };
    refused("", "is not a part");
    refused("A=row,row;T=4x4", "'G' is missing");
    refused("A=row,row;G=4x4", "'T' is missing");
    refused("T=4x4;G=4x4", "'A' is missing");
    refused("A=row,row;T=4x4;G=4x4;T=1x1", "occurs twice");
    refused("A=row,diag;T=4x4;G=4x4", "'diag'");
    refused("A=row,row;T=4x0;G=4x4", "'0' is not a size");
    refused("A=row,row;T=4xx4;G=4x4", "'' is not a size");
    refused("A=row,row;T=-4x4;G=4x4", "'-4' is not a size");
    refused("A=row,row;T=4x4;G=4x4x1x1", "4 sizes");
    refused("A=row,row;T=4x4;W=8;G=8x8", "1 sizes");
    refused("A=row,row;T=4x4;G=99999999999x1", "is not a size");
    refused("A=row,row;Q=1;T=4x4;G=4x4", "'Q=1' is not a part");
    refused("A=row,row;T=4x4;G=4x4;", "'' is not a part");
}
