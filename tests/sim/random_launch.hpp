#pragma once

#include "sim/options/options.hpp"
#include "tests/base/random.hpp"
#include "traces/formats/trace_rows.hpp"
#include "traces/launch.hpp"

#include <string>
#include <vector>

namespace texelscope::test {
using namespace sim;

/// A launch and what it is simulated on.
struct LaunchCase {
    Launch launch;
    SimulationOptions options;
};

/// Small loops over quasi-affine reads of one to three images, some of them partly outside; caches
/// of all kinds, small enough for the loops to come back to the same contents.
LaunchCase random_launch_case(Random& random);

std::string describe(const LaunchCase& c);

/// Every read of a launch, work-item by work-item.
std::vector<TraceRow> rows_of(const Launch& launch);

} // namespace texelscope::test
