#pragma once

#include "tests/sim/random_case.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace sim;

/// A random case in timed mode.
SimulationCase timed_case(std::uint64_t seed);

/// One with few accesses and short latencies, all times of which are multiples of a quarter cycle.
SimulationCase quarter_cycle_case(std::uint64_t seed);
/// The same with add_level().
SimulationCase quarter_cycle_case_with_level(std::uint64_t seed);

/// The same with texture.return, buffers and buffers.return, texture.block of 0, banks and
/// channels.
SimulationCase quarter_cycle_case_of_machine_parts(std::uint64_t seed);

/// Single-lane warps of one work-group that make one access each, all resident at once on one core;
/// texel i of a row of the 64x4 image is in line i of L1. No L2, hits take 70 cycles and misses
/// 310, bandwidths do not limit.
SimulationCase burst(const std::vector<Texel>& texels);

/// (0, 0), (1, 0), ...
std::vector<Texel> row_of(std::int32_t count);

std::int64_t cycles_of(const SimulationCase& c);

} // namespace texelscope::test
