#pragma once

#include "codegen/operator.hpp"
#include "codegen/operators/matmul.hpp"
#include "tests/traces/random.hpp"

#include <algorithm>

namespace texelscope::test {

/// Patterns, tile, warp shape and work-group of a schedule: tiles that are and are not multiples of four, odd
/// work-groups, warp shapes that tile them. `inputs` images.
inline Schedule random_basic_schedule(Random& random, std::size_t inputs, int most_items = 256)
{
    const std::vector<AccessPattern> patterns(all_access_patterns.begin(), all_access_patterns.end());
    const std::vector<std::int32_t> tiles{1, 2, 3, 4, 5, 8, 12};
    Schedule schedule;
    for (std::size_t i = 0; i < inputs; ++i) {
        schedule.patterns.push_back(random.pick(patterns));
    }
    schedule.tile = {random.pick(tiles), random.pick(tiles)};
    do {
        schedule.warp = {random.small(1, 8), random.small(1, 8)};
        schedule.group = {schedule.warp[0] * random.small(1, 4), schedule.warp[1] * random.small(1, 4),
                          random.one_in(5) ? 2 : 1};
    } while (schedule.group[0] * schedule.group[1] * schedule.group[2] > most_items);
    return schedule;
}

inline Schedule random_matmul_schedule(Random& random, int most_items = 256)
{
    return random_basic_schedule(random, 2, most_items);
}

inline Operator random_matmul(Random& random, int largest = 40)
{
    return matmul(random.between(1, largest), random.between(1, largest), random.between(1, largest));
}

} // namespace texelscope::test
