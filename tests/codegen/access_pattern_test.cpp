#include "base/error.hpp"
#include "codegen/nest/access_pattern.hpp"
#include "codegen/nest/schedule.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace texelscope::codegen;

namespace {

/// Inverse of place(), from the definition of the patterns: the (t, r) stored at a texel.
struct ThreadReduction {
    std::int64_t thread = 0;
    std::int64_t reduction = 0;
};
ThreadReduction stored_at(AccessPattern pattern, Texel texel)
{
    if (pattern == AccessPattern::column) {
        return {texel.x, texel.y};
    }
    const int k = block_rows(pattern);
    return {texel.y / k, std::int64_t{texel.x} * k + texel.y % k};
}

} // namespace

TEST_CASE("A pattern stores every (thread, reduction) at a texel of its own, and stored_at() finds "
          "it back")
{
    for (const AccessPattern pattern : all_access_patterns) {
        for (const std::int64_t threads : {1, 3, 8, 13}) {
            for (const std::int64_t reductions : {1, 2, 7, 16, 19}) {
                const Extent2D extent = packed_extent(pattern, threads, reductions);
                std::set<Texel> texels;
                for (std::int64_t t = 0; t < threads; ++t) {
                    for (std::int64_t r = 0; r < reductions; ++r) {
                        const Placement at = place(pattern, t, r);
                        const Texel texel{static_cast<std::int32_t>(at.x.constant()),
                                          static_cast<std::int32_t>(at.y.constant())};
                        CAPTURE(to_string(pattern), threads, reductions, t, r);
                        CHECK(extent.contains(texel));
                        CHECK(texels.insert(texel).second);
                        const ThreadReduction back = stored_at(pattern, texel);
                        CHECK(back.thread == t);
                        CHECK(back.reduction == r);
                    }
                }
            }
        }
    }
}

TEST_CASE("The patterns are those of TMModel's figure 3")
{
    const Variable t{0, "t", {0, 99}};
    const Variable r{1, "r", {0, 99}};
    const auto text = [&](AccessPattern pattern) {
        const Placement at = place(pattern, IndexExpr(t), IndexExpr(r));
        return at.x.to_opencl() + " | " + at.y.to_opencl();
    };
    CHECK(text(AccessPattern::column) == "t | r");
    CHECK(text(AccessPattern::row) == "r | t");
    CHECK(text(AccessPattern::block4) == "(r / 4) | 4 * t + (r % 4)");
    CHECK(reuse_distance(AccessPattern::column) == 0);
    CHECK(reuse_distance(AccessPattern::row) == 1);
    CHECK(reuse_distance(AccessPattern::block2) == 2);
    CHECK(reuse_distance(AccessPattern::block4) == 4);
    CHECK(reuse_distance(AccessPattern::block8) == 8);
}

TEST_CASE("Pattern names parse back, others are refused")
{
    for (const AccessPattern pattern : all_access_patterns) {
        CHECK(parse_schedule("A=" + to_string(pattern) + ";T=1;G=1").patterns ==
              std::vector{pattern});
    }
    CHECK_THROWS_AS(parse_schedule("A=block3;T=1;G=1"), Error);
    CHECK_THROWS_AS(packed_extent(AccessPattern::block8, std::int64_t{1} << 30, 1), Error);
}
