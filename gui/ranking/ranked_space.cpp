#include "gui/ranking/ranked_space.hpp"

#include <algorithm>

namespace texelscope::gui {
namespace {

/// Compared member by member: a schedule of the kernel would allocate for each kernel that is passed over.
bool is_of(const KernelChoice& kernel, const Schedule& schedule)
{
    return kernel.patterns == schedule.patterns && kernel.tile == schedule.tile && kernel.unroll == schedule.unroll &&
           kernel.split == schedule.split && kernel.memory == schedule.memory && kernel.storage == schedule.storage &&
           kernel.splat == schedule.splat && kernel.stage == schedule.stage;
}

} // namespace

std::optional<std::int64_t> index_of(const ConfigurationSpace& space, const Schedule& schedule)
{
    for (std::size_t k = 0; k < space.kernels().size(); ++k) {
        if (!is_of(space.kernels()[k], schedule)) {
            continue;
        }
        const auto groups = space.groups(k);
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const GroupChoice& choice) {
            return choice.warp == schedule.warp && choice.group == schedule.group;
        });
        const std::int64_t index = space.first(k) + (group - groups.begin());
        if (group != groups.end() && space.at(index) == schedule) { // it has members that no kernel choice has
            return index;
        }
    }
    return std::nullopt;
}

bool same_space(const StudyRequest& a, const StudyRequest& b)
{
    return to_string(a.op) == to_string(b.op) && a.device == b.device && a.seed == b.seed;
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

RankedSpace ranked_space(const StudyRequest& request, const Calibration& calibration, ModelVariant variant,
                         std::shared_ptr<const ConfigurationSpace> space, const std::function<void(double)>& progress,
                         const StopToken& stop)
{
    if (!space) {
        space = std::make_shared<const ConfigurationSpace>(configuration_space(request.op, request.device));
    }
    const ModelCosts costs(request.op, request.device, *space, calibration, variant, stop);
    std::vector<ModelCosts::Cost> all;
    all.reserve(static_cast<std::size_t>(space->size()));
    for (std::size_t kernel = 0; kernel < space->kernels().size(); ++kernel) {
        const std::vector<ModelCosts::Cost> some = costs.of_kernel(kernel);
        all.insert(all.end(), some.begin(), some.end());
        if (progress) {
            progress(static_cast<double>(kernel + 1) / static_cast<double>(space->kernels().size()));
        }
    }
    return {request.op, std::move(space), std::move(all), variant};
}

} // namespace texelscope::gui
