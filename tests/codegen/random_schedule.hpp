#pragma once

#include "codegen/operators/matmul.hpp"
#include "tests/traces/random.hpp"

namespace texelscope::test {

/// Any legal schedule of a matrix product: tiles that are and are not multiples of four, odd work-groups, warp shapes
/// that tile them.
inline Schedule random_matmul_schedule(Random& random, int most_items = 256)
{
    const std::vector<AccessPattern> patterns(all_access_patterns.begin(), all_access_patterns.end());
    const std::vector<std::int32_t> tiles{1, 2, 3, 4, 5, 8, 12};
    Schedule schedule;
    schedule.patterns = {random.pick(patterns), random.pick(patterns)};
    schedule.tile = {random.pick(tiles), random.pick(tiles)};
    do {
        schedule.warp = {random.small(1, 8), random.small(1, 8)};
        schedule.group = {schedule.warp[0] * random.small(1, 4), schedule.warp[1] * random.small(1, 4),
                          random.one_in(5) ? 2 : 1};
    } while (schedule.group[0] * schedule.group[1] * schedule.group[2] > most_items);
    return schedule;
}

inline Operator random_matmul(Random& random, int largest = 40)
{
    const std::int64_t m = random.between(1, largest);
    const std::int64_t n = random.between(1, largest);
    return matmul(m, n, random.between(1, largest));
}

} // namespace texelscope::test
