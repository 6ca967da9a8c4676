#pragma once

#include "base/stop.hpp"
#include "workbench/space/configuration_space.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::workbench::space {

/// A condition on configurations, as a value.
struct SpaceCondition {
    /// Whether it holds in a work-group; `element`: its number.
    using InGroup = std::function<bool(const GroupChoice& group, std::int64_t element)>;

    std::string text = {}; ///< what counts and messages call it
    /// Keys of the parts that it looks at; it is given no numbers then. Empty: it looks at elements
    /// whole, and at what somebody knows of them by their number.
    std::string parts = {};
    /// Of a kernel. Asked once, with any group, where parts are named and neither W nor G is among
    /// them.
    std::function<InGroup(const KernelChoice& choice, std::size_t kernel)> holds;
    bool always = false; ///< of whole elements: asked even where an earlier one does not hold
};
/// One that has no need of the work-group.
[[nodiscard]] SpaceCondition condition_on_kernels(std::string parts,
                                                  std::function<bool(const KernelChoice&)> holds);

/// What conditions leave of one space, or of several together.
struct SpaceCounts {
    struct Condition {
        std::string text;
        std::int64_t excluded = 0; ///< elements for which it is the first that does not hold
        std::int64_t alone = 0;    ///< where it is always asked: for which it does not hold
    };
    std::int64_t size = 0; ///< without conditions
    std::int64_t kept = 0;
    /// In the order given; what they exclude and `kept` make up `size`.
    std::vector<Condition> conditions;

    [[nodiscard]] std::int64_t excluded() const { return size - kept; }
    /// Of another space under the same conditions.
    SpaceCounts& operator+=(const SpaceCounts& other);
};

struct Narrowed {
    ConfigurationSpace space; ///< the elements for which all conditions hold
    SpaceCounts counts;
    /// By number, which those are; of conditions on whole elements alone.
    std::vector<bool> kept = {};
};

/// The one way to leave something out of a space. A condition is asked only where those before it
/// hold, but for those that always are. What becomes of the space:
///
/// - by conditions on parts, only factors that a condition ties together are listed: what it does
///   not name stays a factor, or in the list, as it was; where it leaves all, so does everything.
///   Elements are not looked at one by one, and may come in another order.
/// - by conditions on whole elements, kernels stay as they are, some with fewer work-groups.
///
/// Throws bad_input where a condition ties a million kernels together, what the conditions throw
/// (`what` names the space in the message of one that has a text), and Interrupted where `stop`
/// answers true.
[[nodiscard]] Narrowed narrowed(ConfigurationSpace space,
                                const std::vector<SpaceCondition>& conditions,
                                const std::string& what = {}, const StopToken& stop = {});

/// How many kernels a condition on those parts ties together, so that they are listed.
[[nodiscard]] std::size_t tied_kernels(const ConfigurationSpace& space, const std::string& parts);

} // namespace texelscope::workbench::space
