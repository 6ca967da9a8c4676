#include "tests/base/random.hpp"
#include "traces/capture/spool_format.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace texelscope::traces;
using namespace texelscope::test;

TEST_CASE("an access to a buffer is spooled with its whole size and place")
{
    Random random(31);
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t offset = random.between(0, (std::int64_t{1} << (i % 49)) - 1);
        const std::int64_t bytes = random.between(0, (std::int64_t{1} << (i % 32)) - 1);
        CAPTURE(offset, bytes);
        const auto event = spool::buffer_event(2, 7, static_cast<std::uint64_t>(offset),
                                               static_cast<std::uint64_t>(bytes));
        REQUIRE(event);
        CHECK((event->kind == 2 && event->object == 7));
        CHECK(spool::offset_of(*event) == offset);
        CHECK(event->y == bytes);
    }
    CHECK_FALSE(spool::buffer_event(2, 0, 0, std::uint64_t{1} << 31));
    CHECK_FALSE(spool::buffer_event(2, 0, std::uint64_t{1} << 48, 4));
}
