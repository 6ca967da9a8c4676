#pragma once

#include "tests/base/random.hpp"
#include "traces/native/trace_record.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::test {
using namespace traces;

/// A launch with what its groups did, groups ascending, items ascending.
struct Recording {
    TracedLaunch launch;
    std::vector<std::pair<std::int64_t, std::vector<TracedItem>>> groups;
};

/// Regular stretches, divergence, negative texels, layers, buffers; some items and some groups do
/// nothing.
[[nodiscard]] Recording random_recording(Random& random);

/// Writes the launches as a native file; with `shuffle`, the items of each group in random order.
void write_recordings(const std::string& path, const std::vector<Recording>& launches,
                      Random* shuffle = nullptr);

} // namespace texelscope::test
