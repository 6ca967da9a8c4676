#pragma once

#include "networks/plan/plan.hpp"
#include "tests/base/random.hpp"

#include <optional>
#include <string>

namespace texelscope::networks::test {

/// The network under schedules and in layouts that were drawn all at once; nothing where none of
/// many draws is legal. For a node or two.
[[nodiscard]] std::optional<Plan> drawn_plan(texelscope::test::Random& random, const Graph& graph,
                                             codegen::Storage storage);

/// The same for networks of many kernels, of which hardly any draw goes together: drawn one layout
/// and one schedule after the other. Nothing where less than half of the draws are legal.
[[nodiscard]] std::optional<Plan> varied_plan(texelscope::test::Random& random, const Graph& graph,
                                              codegen::Storage storage);

/// The schedules of a plan's kernels, and their OpenCL: what to print of one that is wrong.
[[nodiscard]] std::string kernels_text(const Plan& plan);

} // namespace texelscope::networks::test
