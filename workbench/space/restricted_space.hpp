#pragma once

#include "workbench/space/configuration_space.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace texelscope::workbench::space {

/// A condition on configurations that depends only on some parts of a schedule.
struct SpaceCondition {
    std::string parts; ///< their letters
    /// Takes a kernel and returns a function that tells whether the condition holds with a
    /// work-group. If neither W nor G is among the parts, it is asked once per kernel, with any
    /// group.
    std::function<std::function<bool(const GroupChoice&)>(const KernelChoice&)> holds;
};

/// How many kernels would have to be listed one by one for a condition on those parts, because it
/// ties factors together.
[[nodiscard]] std::size_t tied_kernels(const ConfigurationSpace& space, const std::string& parts);

/// The space of the elements for which the condition holds. Only the factors that it names are
/// multiplied out into listed kernels; all others stay factors. Where the condition holds for all
/// elements, the space is returned as it was. Throws bad_input where a million kernels would have
/// to be listed, and what the condition throws.
[[nodiscard]] ConfigurationSpace restricted(const ConfigurationSpace& space,
                                            const SpaceCondition& condition);

} // namespace texelscope::workbench::space
