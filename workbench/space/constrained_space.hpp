#pragma once

#include "codegen/operators/operator.hpp"
#include "sim/simulate.hpp"
#include "workbench/space/configuration_space.hpp"
#include "workbench/space/constraint.hpp"

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

/// What conditions leave of one space, or of several together.
struct ConstraintCounts {
    struct Condition {
        std::string text;
        std::int64_t excluded = 0; ///< elements for which it is the first that does not hold
    };
    std::int64_t size = 0; ///< without conditions
    std::int64_t kept = 0;
    /// In the order given; what they exclude and `kept` add up to `size`.
    std::vector<Condition> conditions;

    /// Of another space under the same conditions.
    ConstraintCounts& operator+=(const ConstraintCounts& other);
};

/// By number, whether all conditions hold for an element of a space.
struct ConstrainedElements {
    std::vector<bool> kept;
    ConstraintCounts counts;
};
/// A condition is asked only where those before it hold. `where`: made for the operator of the
/// space and these numbers; one that names some of them holds for no element of which they are not
/// known. Throws as Constraint::holds() does, and Interrupted where `stop` answers true.
[[nodiscard]] ConstrainedElements constrained_elements(const ConfigurationSpace& space,
                                                       const std::vector<Constraint>& where,
                                                       const StopToken& stop = {},
                                                       const FoundNumbers& found = {});

struct ConstrainedSpace {
    ConfigurationSpace space; ///< the elements for which all conditions hold
    ConstraintCounts counts;
};

/// The elements that constrained_elements() keeps, found without looking at each: a condition is
/// asked about the parts that it names (restricted()). `where` empty: all is kept. Throws bad_input
/// where nothing is left - `what` names the space, e.g. "matmul 64,64,64 on adreno-740" - and as
/// restricted() and Constraint::holds() do.
[[nodiscard]] ConstrainedSpace constrained_space(ConfigurationSpace space,
                                                 const std::vector<Constraint>& where,
                                                 const std::string& what);

} // namespace texelscope::workbench::space
