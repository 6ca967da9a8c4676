#pragma once

#include "networks/graph/graph.hpp"
#include "tests/base/random.hpp"

#include <string>
#include <vector>

namespace texelscope::networks::test {

/// What random_node() draws from: "conv", "pool", ...
[[nodiscard]] std::vector<std::string> node_kinds();

/// A small network of one node of that kind, now and then with others behind it that its kernel
/// takes in: random shapes, most of them no multiple of four, and random attributes.
[[nodiscard]] Graph random_node(texelscope::test::Random& random, const std::string& kind);

} // namespace texelscope::networks::test
