#pragma once

#include "tests/sim/random_launch.hpp"

namespace texelscope::test {
using namespace sim;

/// Puts work between the reads of a launch, and makes up a compiler for it. All times are multiples
/// of a quarter cycle.
void add_work(Random& random, LaunchCase& c);

} // namespace texelscope::test
