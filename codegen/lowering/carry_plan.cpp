#include "codegen/lowering/carry_plan.hpp"

#include <algorithm>

namespace texelscope::codegen {
namespace {

/// The largest divisor of a number that is not above a limit.
std::int64_t largest_divisor(std::int64_t number, std::int64_t most)
{
    std::int64_t divisor = std::clamp<std::int64_t>(most, 1, number);
    while (number % divisor != 0) {
        --divisor;
    }
    return divisor;
}

} // namespace

CarryPlan carry_plan(const ContractionLayout& layout, Sums sums)
{
    CarryPlan plan;
    plan.level = layout.loops.size();
    std::int64_t parts = 1;
    // Terms that one iteration of the loop at hand adds, those of all loops inside of it included.
    std::int64_t terms = 1;
    for (const ContractionLayout::Loop& loop : layout.loops) {
        terms *= loop.texel;
        parts *= loop.parts;
    }
    plan.sums.terms = terms;
    for (std::size_t level = layout.loops.size(); level-- > 0;) {
        const ContractionLayout::Loop& loop = layout.loops[level];
        const std::int64_t all = terms * loop.iterations;
        if (sums != Sums::fp16 && terms <= HalfSums::most_terms && all > HalfSums::most_terms) {
            const std::int64_t most = HalfSums::most_terms / terms;
            plan.level = level;
            // A block in local memory is copied as a whole, so that sums are carried behind all of
            // its iterations or behind each of them, not behind some.
            plan.every = loop.block == 0      ? largest_divisor(loop.iterations, most)
                         : loop.block <= most ? loop.block
                                              : 1;
            plan.sums.terms = plan.every * terms;
        }
        terms = all;
    }
    if (plan.level == layout.loops.size()) {
        plan.sums.terms = terms;
    }
    plan.sums.all_terms = terms * parts;
    plan.sums.numbers = layout.tile.vector;
    plan.sums.carried = plan.level < layout.loops.size() || parts > 1;
    return plan;
}

} // namespace texelscope::codegen
