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

/// Further numbers about the elements of a space, beside their parameters, e.g. from a compiler.
/// Conditions may name them like the parameters of a schedule.
struct FoundNumbers {
    std::vector<std::string> names;
    /// The numbers of the element with that number, in the order of `names`; empty where they are
    /// not known for it.
    std::function<std::vector<std::int64_t>(std::int64_t index)> of;
};

/// Parses conditions on the configurations of an operator. They may name all_parameters() of a
/// schedule and the names in `found`. Throws bad_input, naming the operator, for a text that is no
/// condition.
[[nodiscard]] std::vector<Constraint> constraints(const std::vector<std::string>& texts,
                                                  const Operator& op,
                                                  const std::vector<std::string>& found = {});

/// How many elements conditions leave of one space, or of several spaces together.
struct ConstraintCounts {
    struct Condition {
        std::string text;
        /// Elements for which this is the first condition that does not hold.
        std::int64_t excluded = 0;
    };
    std::int64_t size = 0; ///< without conditions
    std::int64_t kept = 0;
    /// In the order given. `kept` and all `excluded` add up to `size`.
    std::vector<Condition> conditions;

    /// Adds the counts of another space under the same conditions.
    ConstraintCounts& operator+=(const ConstraintCounts& other);
};

/// Which elements of a space fulfil all conditions, by number.
struct ConstrainedElements {
    std::vector<bool> kept;
    ConstraintCounts counts;
};
/// Asks the conditions about every element; a condition is asked only where those before it hold.
/// `where`: made by constraints() for the space's operator and the names of `found`. A condition
/// that names a found number does not hold for elements for which that is not known. Throws as
/// Constraint::holds() does, and Interrupted where `stop` answers true.
[[nodiscard]] ConstrainedElements constrained_elements(const ConfigurationSpace& space,
                                                       const std::vector<Constraint>& where,
                                                       const StopToken& stop = {},
                                                       const FoundNumbers& found = {});

struct ConstrainedSpace {
    ConfigurationSpace space; ///< the elements for which all conditions hold
    ConstraintCounts counts;
};

/// The same elements as constrained_elements() keeps, found without looking at each: a condition is
/// asked only about the parts that it names (restricted()). If `where` is empty, all are kept.
/// `what` names the space for messages, e.g. "matmul 64,64,64 on adreno-740". Throws bad_input
/// where nothing is left, and as restricted() and Constraint::holds() do.
[[nodiscard]] ConstrainedSpace constrained_space(ConfigurationSpace space,
                                                 const std::vector<Constraint>& where,
                                                 const std::string& what);

} // namespace texelscope::workbench::space
