#include "gui/ranking/space_pruning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace texelscope::gui {

std::string to_string_of_criteria(CriteriaSet criteria)
{
    std::vector<std::string> names;
    for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
        if ((criteria >> c & 1U) != 0) {
            names.push_back(to_string(all_pruning_criteria[c]));
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

SpacePruning::SpacePruning(const Operator& op, std::shared_ptr<const ConfigurationSpace> space,
                           const DeviceProfile& device, const std::function<void(double)>& progress,
                           const StopToken& stop)
    : space_(std::move(space)), footprints_(op, *space_, progress, stop), limits_(pruning_limits(device)),
      off_(switched_off(limits_, {}))
{
    excluded_.reserve(static_cast<std::size_t>(space_->size()));
    for (std::size_t k = 0; k < space_->kernels().size(); ++k) {
        const std::int32_t split = space_->kernels()[k].split;
        for (const GroupChoice& choice : space_->groups(k)) {
            const KernelFootprint& footprint = footprints_.of(k, choice.group);
            unsigned found = 0;
            for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
                const bool excluded = violates(all_pruning_criteria[c], footprint, choice.group, split, limits_, {});
                found |= (excluded ? 1U : 0U) << c;
            }
            excluded_.push_back(static_cast<CriteriaSet>(found));
        }
    }
}

std::vector<std::string> SpacePruning::reasons(std::int64_t index) const
{
    const ConfigurationSpace::Place place = space_->place(index);
    const Dim3& group = space_->groups(place.kernel)[place.group].group;
    const KernelFootprint& footprint = footprints_.of(place.kernel, group);
    std::vector<std::string> lines;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        PruningOptions alone;
        alone.criteria = {criterion};
        if (const auto rejection = prune(footprint, group, space_->kernels()[place.kernel].split, limits_, alone)) {
            lines.push_back(to_string(criterion) + ": " + rejection->reason);
        }
    }
    return lines;
}

} // namespace texelscope::gui
