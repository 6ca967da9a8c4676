#include "gui/ranking/ranked_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::gui {
namespace {

/// Where the space is known already, it is not made anew.
RankedSpace ranked_space(const StudyRequest& request, const Calibration& calibration, ModelVariant variant,
                         std::shared_ptr<const ConfigurationSpace> space, const Progress& progress,
                         const StopToken& stop)
{
    if (!space) {
        space = std::make_shared<const ConfigurationSpace>(configuration_space(request.op, request.device));
    }
    const ModelCosts costs(request.op, request.device, *space, calibration, variant, stop);
    costs.compile([&](double done) { tell(progress, "compiling the ranking's kernels", done, 1); });
    std::vector<ModelCosts::Cost> all;
    all.reserve(static_cast<std::size_t>(space->size()));
    for (std::size_t kernel = 0; kernel < space->kernel_count(); ++kernel) {
        const std::vector<ModelCosts::Cost> some = costs.of_kernel(kernel).priced;
        all.insert(all.end(), some.begin(), some.end());
        tell(progress, "ranking", kernel + 1, space->kernel_count());
    }
    return {request.op, std::move(space), std::move(all), variant};
}

} // namespace

std::optional<std::int64_t> index_of(const ConfigurationSpace& space, const Schedule& schedule)
{
    const KernelChoice kernel = kernel_of(schedule);
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        if (space.kernel(k) != kernel) {
            continue;
        }
        const auto groups = space.groups(k);
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const GroupChoice& choice) {
            return choice.warp == schedule.warp && choice.group == schedule.group;
        });
        if (group != groups.end()) {
            return space.first(k) + (group - groups.begin());
        }
    }
    return std::nullopt;
}

RankedSpace::RankedSpace(Operator op, std::shared_ptr<const ConfigurationSpace> space,
                         std::vector<ModelCosts::Cost> costs, ModelVariant variant)
    : op_(std::move(op)), space_(std::move(space)), costs_(std::move(costs)),
      rows_(static_cast<std::size_t>(space_->size()), -1), variant_(variant)
{
    std::sort(costs_.begin(), costs_.end());
    for (std::size_t row = 0; row < costs_.size(); ++row) {
        rows_[static_cast<std::size_t>(costs_[row].index)] = static_cast<std::int32_t>(row);
    }
}

std::optional<std::size_t> RankedSpace::row_of(std::int64_t index) const
{
    const std::int32_t row = rows_[static_cast<std::size_t>(index)];
    return row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row));
}

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
    for (std::size_t k = 0; k < space_->kernel_count(); ++k) {
        const std::int32_t split = space_->kernel(k).split;
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
        if (const auto rejection = prune(footprint, group, space_->kernel(place.kernel).split, limits_, alone)) {
            lines.push_back(to_string(criterion) + ": " + rejection->reason);
        }
    }
    return lines;
}

RankedAndPruned ranked_and_pruned(const StudyRequest& request, const Calibration& calibration, ModelVariant variant,
                                  const RankedAndPruned& known, const Progress& progress, const StopToken& stop)
{
    constexpr double share = 0.5; // of ranking; the rest is what pruning takes, which is known from the second time on
    const Progress ranks = [&](const std::string& stage, double done) { tell(progress, stage, share * done, 1); };
    const auto prunes = [&](double done) { tell(progress, "pruning", share + (1 - share) * done, 1); };
    RankedAndPruned made = known;
    made.space = std::make_shared<const RankedSpace>(
        ranked_space(request, calibration, variant, known.space ? known.space->space() : nullptr, ranks, stop));
    if (!made.pruning) {
        made.pruning =
            std::make_shared<const SpacePruning>(request.op, made.space->space(), request.device, prunes, stop);
    }
    return made;
}

} // namespace texelscope::gui
