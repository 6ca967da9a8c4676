#pragma once

#include "sim/simulate.hpp"

#include <string>

namespace texelscope::test {
using namespace sim;

/// A line for each value in which two results differ; empty where they are the same.
std::string result_difference(const SimulationResult& want, const SimulationResult& got);

/// The same for the counters of one cache.
std::string statistics_difference(const std::string& name, const CacheStatistics& want,
                                  const CacheStatistics& got);

} // namespace texelscope::test
