#pragma once

#include "networks/graph/graph.hpp"

#include <cstdint>

namespace texelscope::networks::test {

/// A small network of convolutions with padding and strides, pools, sums, and concatenations, some
/// of whose values are read long after they were made: random shapes, most of them no multiple of
/// four.
[[nodiscard]] Graph random_network(std::uint64_t seed);

} // namespace texelscope::networks::test
