// What TVM's UnrollLoop writes out, against a visitor that keeps its state as the pass does.

#include "base/random.hpp"
#include "workbench/kernel_logs/tvm_unroll.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace texelscope::base;
using namespace texelscope::workbench::kernel_logs;

namespace {

/// The pass as it is written: visits the body first, then asks about the loop itself.
struct PlainUnroller {
    std::int64_t most_steps;
    std::int64_t steps = 0;
    int unrolled_depth = 0, normal_depth = 0;
    std::vector<bool> result = {};

    void visit(const std::vector<TvmLoop>& loops, std::size_t outside, std::int64_t stores)
    {
        if (outside == 0) {
            for (std::int64_t store = 0; store < stores; ++store) {
                ++steps;
            }
            return;
        }
        visit(loops, outside - 1, stores);
        const TvmLoop& loop = loops[outside - 1];
        if (loop.extent == 1) { // there is no loop
            result.push_back(false);
            return;
        }
        bool unroll = normal_depth == 0 && unrolled_depth <= 8;
        unroll = unroll && loop.extent * steps <= most_steps;
        unroll = unroll || loop.marked;
        if (unroll) {
            steps *= loop.extent;
            ++unrolled_depth;
        } else {
            ++normal_depth;
        }
        result.push_back(unroll);
    }
};

} // namespace

TEST_CASE("kernel logs: loops are written out as TVM's pass does", "[kernel_logs]")
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 2000; ++round) {
        std::vector<TvmLoop> loops(uniform_below(random, 13));
        for (TvmLoop& loop : loops) {
            loop = {1 + static_cast<std::int64_t>(uniform_below(random, 5)),
                    uniform_below(random, 8) == 0};
        }
        const auto stores = 1 + static_cast<std::int64_t>(uniform_below(random, 12));
        const std::int64_t most = std::array{0, 16, 512, 1500}[uniform_below(random, 4)];
        PlainUnroller plain{most};
        plain.visit(loops, loops.size(), stores);
        INFO("round " << round);
        REQUIRE(written_out(loops, stores, most) == plain.result);
    }
}

TEST_CASE("kernel logs: a worked example of what is written out", "[kernel_logs]")
{
    // 6 stores, a texel's 4 channels, kw 3, kh 3, ci 16: 24, 72, 216, 3456 stores.
    const std::vector<TvmLoop> loops{{4, true}, {3}, {3}, {16}};
    CHECK(written_out(loops, 6, 512) == std::vector<bool>{true, true, true, false});
    CHECK(written_out(loops, 6, 71) == std::vector<bool>{true, false, false, false});
    CHECK(written_out(loops, 6, 0) == std::vector<bool>{true, false, false, false});
}
