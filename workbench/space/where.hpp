#pragma once

#include "codegen/operators/operator.hpp"
#include "workbench/space/constraint.hpp"
#include "workbench/space/narrowed.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// Numbers that somebody has found out about elements of a space. Conditions may name them like the
/// parameters of a schedule.
struct FoundNumbers {
    std::vector<std::string> names;
    /// Of an element, by its number, in the order of the names; none where nothing was found out
    /// about it.
    std::function<std::vector<std::int64_t>(std::int64_t index)> of;
};

/// Conditions on the configurations of an operator: over all_parameters() of a schedule, and what
/// is found out beside them, by name. Throws bad_input, naming the operator, for a text that is
/// none.
[[nodiscard]] std::vector<Constraint> constraints(const std::vector<std::string>& texts,
                                                  const Operator& op,
                                                  const std::vector<std::string>& found = {});

/// As conditions on a space: on the parts whose parameters they name. They refer to `where`.
[[nodiscard]] std::vector<SpaceCondition> conditions_of(const std::vector<Constraint>& where);
/// The same, on whole elements: those that name what was found out hold for no element of which
/// that is not known. They refer to `where` and `found`.
[[nodiscard]] std::vector<SpaceCondition> conditions_of(const std::vector<Constraint>& where,
                                                        const FoundNumbers& found);

/// Throws bad_input where the conditions left nothing; `what` names the space, e.g. "matmul
/// 64,64,64 on adreno-740".
void check_some_left(const SpaceCounts& counts, const std::string& what);

} // namespace texelscope::workbench::space
