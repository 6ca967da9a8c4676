#include "experiments/tmmodel/model_levels.hpp"

#include "base/lists.hpp"
#include "workbench/study/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace texelscope::experiments {
// A level of the model knows only some parts of a schedule: L_t those of one thread (A and T), L_w
// the warp shape too, and the integrated cost the work-group. What it does not know it holds alike.
namespace {

/// The elements with the least cost that was seen so far; several if their costs are equal.
struct Firsts {
    double least = 0;
    std::vector<std::int64_t> elements;

    void add(double ns, std::int64_t element)
    {
        // Costs that differ by rounding only are the same cost.
        const bool alike = !elements.empty() && same_time(ns, least);
        if (!alike && (elements.empty() || ns < least)) {
            least = ns;
            elements = {element};
        } else if (alike) {
            elements.push_back(element);
        }
    }
};

bool looks_at_groups(const ModelChooser& chooser)
{
    return chooser.level == ModelLevel::integrated;
}

/// Adds all groups of a kernel for the choosers that do not look at work-groups. Their cost depends
/// on the warp shape alone, so one prediction holds for all groups that share it.
void add_kernel(std::array<Firsts, model_choosers.size()>& firsts, std::size_t kernel,
                const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                const Calibration& calibration, const StopToken& stop)
{
    const std::span<const GroupChoice> groups = space.groups(kernel);
    std::map<std::array<std::int32_t, 2>, Prediction> of_warp;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        auto found = of_warp.find(groups[g].warp);
        if (found == of_warp.end()) {
            const Schedule schedule = schedule_of(space.kernel(kernel), groups[g]);
            found =
                of_warp.emplace(groups[g].warp, predict(op, schedule, device, calibration, stop))
                    .first;
        }
        for (std::size_t c = 0; c < model_choosers.size(); ++c) {
            const ModelChooser& chooser = model_choosers[c];
            if (!looks_at_groups(chooser)) {
                firsts[c].add(found->second.cost(chooser.variant).at(chooser.level).value,
                              space.first(kernel) + static_cast<std::int64_t>(g));
            }
        }
    }
}

} // namespace

std::size_t place_of_variant(ModelVariant variant)
{
    const auto found = std::find_if(
        model_choosers.begin(), model_choosers.end(), [&](const ModelChooser& chooser) {
            return chooser.variant == variant && chooser.level == ModelLevel::integrated;
        });
    return static_cast<std::size_t>(found - model_choosers.begin());
}

std::vector<std::string> chooser_names(const std::vector<std::string>& more)
{
    std::vector<std::string> names(
        mapped(model_choosers, [](const auto& one) { return std::string(one.name); }));
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

std::vector<std::vector<std::int64_t>>
first_of_choosers(const Operator& op, const DeviceProfile& device, const ConfigurationSpace& space,
                  const Calibration& calibration, const StopToken& stop)
{
    std::array<Firsts, model_choosers.size()> firsts;
    for (std::size_t kernel = 0; kernel < space.kernel_count(); ++kernel) {
        check_stop(stop);
        add_kernel(firsts, kernel, op, device, space, calibration, stop);
    }
    for (std::size_t c = 0; c < model_choosers.size(); ++c) {
        // The others need costs of single groups, which the ranking gives, best first.
        if (looks_at_groups(model_choosers[c])) {
            const ModelCosts costs{op, device, space, calibration, model_choosers[c].variant, stop};
            for (const RankedConfiguration& ranked : rank_by_model(costs, 0).best) {
                firsts[c].add(ranked.cost.value, ranked.index);
            }
        }
    }
    return mapped(firsts, &Firsts::elements);
}

std::vector<Finding> level_findings(const ChoiceRatios& choices, const std::string& why)
{
    std::vector<Finding> findings;
    for (const ModelVariant variant : {ModelVariant::literal, ModelVariant::refined}) {
        const std::size_t integrated = place_of_variant(variant);
        // In model_choosers the levels of a variant stand in front of its integrated cost.
        const std::array<std::size_t, 3> levels{integrated - 2, integrated - 1, integrated};
        bool better = !choices.cases.empty();
        for (std::size_t i = 1; i < levels.size(); ++i) {
            // A level is better if its choices are faster in the mean, and are the best at least as
            // often.
            better = better && choices.mean(levels[i]) < choices.mean(levels[i - 1]) &&
                     choices.share_as_good(levels[i]) >= choices.share_as_good(levels[i - 1]);
        }
        const auto of_levels = [&](const auto& text) { return joined(levels, text); };
        findings.push_back(
            {fmt::format(
                 "choices of {} are better with each level of the model: thread, warp, integrated",
                 to_string(variant)),
             "accuracy improves as more factors are considered (section 6.4, figure 10, whose bars "
             "have no numbers but "
             "that of all levels, 94.1 %)",
             fmt::format(
                 "within 1 % of the best: {}; time over the best, geometric mean: {}",
                 of_levels([&](std::size_t i) {
                     return fmt::format("{:.0f} %", 100 * choices.share_as_good(i));
                 }),
                 of_levels([&](std::size_t i) { return fmt::format("{:.3f}", choices.mean(i)); })),
             choices.cases.empty() ? Verdict::not_tested : verdict_of(better), why});
    }
    return findings;
}

} // namespace texelscope::experiments
