#pragma once

#include "tests/sim/random_case.hpp"
#include "tests/sim/random_launch.hpp"

#include <cstdint>
#include <string>

namespace texelscope::test {
using namespace sim;

/// What the simulator counts and reports otherwise than the plain second simulator, in words; empty
/// where it agrees.
std::string differences(const SimulationCase& c);

/// A launch, simulated in every way there is: against the plain second simulator, the reads of the
/// launch as a trace, the launch access by access under an observer, without jumps, and with jumps.
struct LaunchComparison {
    std::string differences; ///< in words; empty where all agree
    std::int64_t steps = 0;
    std::int64_t simulated_steps = 0; ///< of the simulation that jumps
};
LaunchComparison compare(const LaunchCase& c);

/// The case with as few rows as still differ: parts are left out while that keeps a difference.
SimulationCase shrunk(SimulationCase c);

} // namespace texelscope::test
