#pragma once

#include "workbench/space/configuration_space.hpp"

#include <cstddef>
#include <functional>
#include <string>

namespace texelscope::workbench::space {

/// A condition on configurations that looks at some parts of a schedule alone.
struct SpaceCondition {
    std::string parts; ///< their letters
    /// Of a kernel: whether it holds in a work-group. Asked once, with any group, where neither W
    /// nor G is among the parts.
    std::function<std::function<bool(const GroupChoice&)>(const KernelChoice&)> holds;
};

/// How many kernels a condition on those parts ties together, so that they are listed.
[[nodiscard]] std::size_t tied_kernels(const ConfigurationSpace& space, const std::string& parts);

/// The elements for which it holds. Only factors that the condition ties together are listed: what
/// it does not name stays a factor, or in the list, as it was; where it leaves all, so does
/// everything. Throws bad_input where it ties a million kernels together, and what the condition
/// throws.
[[nodiscard]] ConfigurationSpace restricted(const ConfigurationSpace& space,
                                            const SpaceCondition& condition);

} // namespace texelscope::workbench::space
