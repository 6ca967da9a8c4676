#pragma once

#include "tests/traces/random.hpp"
#include "traces/trace_record.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::test {

/// A launch with what its groups did, groups ascending, items ascending.
struct RandomLaunch {
    TracedLaunch launch;
    std::vector<std::pair<std::int64_t, std::vector<TracedItem>>> groups;
};

/// Regular stretches, divergence, negative texels, layers, buffers; some items and some groups do nothing.
[[nodiscard]] RandomLaunch random_launch(Random& random);

/// Writes the launches as a native file; with `shuffle`, the groups of each in random order and the items of each group
/// too.
void write_launches(const std::string& path, const std::vector<RandomLaunch>& launches, Random* shuffle = nullptr);

} // namespace texelscope::test
