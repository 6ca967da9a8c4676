#pragma once

#include "experiments/space/pruned_space.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::gui {

/// A set of criteria: bit c stands for all_pruning_criteria[c].
using CriteriaSet = std::uint8_t;
inline constexpr CriteriaSet every_criterion = (1U << all_pruning_criteria.size()) - 1U;
/// Their names in the order of the criteria, joined by ", "; empty for none.
[[nodiscard]] std::string to_string_of_criteria(CriteriaSet criteria);

/// Which of Romou's criteria exclude each element of a space, and why.
class SpacePruning {
public:
    SpacePruning(const Operator& op, std::shared_ptr<const ConfigurationSpace> space, const DeviceProfile& device,
                 const std::function<void(double)>& progress = {}, const StopToken& stop = {});

    /// All that exclude the element, not only the first.
    [[nodiscard]] CriteriaSet criteria(std::int64_t index) const { return excluded_[static_cast<std::size_t>(index)]; }
    /// A line for each of them, with the numbers that it compares: "l1: 64 work-items load 4096 B ...".
    [[nodiscard]] std::vector<std::string> reasons(std::int64_t index) const;
    /// Criteria that are off because the profile does not give what they need, each as "NAME: what is missing".
    [[nodiscard]] const std::vector<std::string>& off() const { return off_; }

private:
    std::shared_ptr<const ConfigurationSpace> space_;
    SpaceFootprints footprints_;
    PruningLimits limits_;
    std::vector<CriteriaSet> excluded_; ///< by number in the space
    std::vector<std::string> off_;
};

} // namespace texelscope::gui
