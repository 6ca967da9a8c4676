#include "sim/cache/cache_statistics.hpp"

#include <catch2/catch.hpp>

using namespace texelscope::sim;

TEST_CASE("cache statistics add and subtract field by field")
{
    const CacheStatistics a{100, 90, 50, 10, 20, 10, 5, Bytes{640}};
    const CacheStatistics b{1, 2, 3, 4, 5, 6, 7, Bytes{8}};
    CHECK(a + b == CacheStatistics{101, 92, 53, 14, 25, 16, 12, Bytes{648}});
    CHECK(a - b == CacheStatistics{99, 88, 47, 6, 15, 4, -2, Bytes{632}});
    CHECK((a + b) - b == a);
    CacheStatistics c = a;
    c += b;
    CHECK(c == a + b);
    CHECK(a.misses() == 40);
    CHECK(a.miss_rate() == Approx(40.0 / 90.0));
    CHECK(CacheStatistics{}.miss_rate() == 0.0);
}
