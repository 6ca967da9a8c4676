// Makes the ranking: the model's time of every configuration where only TMModel's parts are
// searched, else of those that descent looks at; the first rows simulated, which also orders rows
// that the model holds alike; and which configurations the pruning criteria exclude.

#include "gui/ranking/ranked_space.hpp"

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/tuning/model_descent.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace texelscope::gui {
namespace {

/// The configurations that a search looked at, as a space of their own, and their costs by their
/// numbers in it.
struct FoundSpace {
    ConfigurationSpace space;
    std::vector<ModelCosts::Cost> costs;
};

/// `own`: the study's own configuration with its time in ns, which is added where the search has
/// not looked at it.
FoundSpace found_space(const ConfigurationSpace& space, std::vector<RankedConfiguration> found,
                       const std::optional<std::pair<Schedule, double>>& own)
{
    std::ranges::sort(found, {}, &RankedConfiguration::index);
    FoundSpace made;
    std::vector<GroupChoice> groups; // of one kernel
    for (std::size_t i = 0; i < found.size(); ++i) {
        const ConfigurationSpace::Place place = space.place(found[i].index);
        groups.push_back(space.groups(place.kernel)[place.group]);
        made.costs.push_back({found[i].cost.value, static_cast<std::int64_t>(i)});
        if (i + 1 == found.size() || space.place(found[i + 1].index).kernel != place.kernel) {
            made.space.add_kernel(space.kernel(place.kernel),
                                  made.space.add_groups(std::exchange(groups, {})));
        }
    }
    if (own &&
        std::ranges::find(found, own->first, &RankedConfiguration::schedule) == found.end()) {
        const auto& [schedule, ns] = *own;
        made.space.add_kernel(kernel_of(schedule),
                              made.space.add_groups({{schedule.warp, schedule.group}}));
        made.costs.push_back({ns, std::ssize(found)});
    }
    return made;
}

/// Every configuration. Where the space is known already, it is not made anew.
RankedSpace ranked_whole(const StudyRequest& request, SearchedParts searched,
                         const Calibration& calibration, ModelVariant variant,
                         std::shared_ptr<const ConfigurationSpace> space, const Progress& progress,
                         const StopToken& stop)
{
    if (!space) {
        space = std::make_shared<const ConfigurationSpace>(
            configuration_space(request.op, request.device, {.parts = searched.parts}));
    }
    const ModelCosts costs(request.op, request.device, *space, calibration, variant, stop);
    costs.compile([&](double done) { tell(progress, "compiling the ranking's kernels", done, 1); });
    ModelCosts::Costs all;
    all.priced.reserve(static_cast<std::size_t>(space->size()));
    for (std::size_t kernel = 0; kernel < space->kernel_count(); ++kernel) {
        all += costs.of_kernel(kernel);
        tell(progress, "ranking", kernel + 1, space->kernel_count());
    }
    searched.configurations = searched.looked_at = space->size();
    searched.not_priced = all.not_priced;
    searched.refusal = all.refusal;
    return {request.op, std::move(space), std::move(all.priced), variant, std::move(searched)};
}

/// The study's own configuration with the model's time in ns; nothing where the model has none.
std::optional<std::pair<Schedule, double>> priced(const StudyRequest& request,
                                                  const Calibration& calibration,
                                                  ModelVariant variant, const StopToken& stop)
{
    try {
        const Prediction own =
            predict(request.op, request.schedule, request.device, calibration, stop);
        return std::pair(request.schedule, own.cost(variant).kernel.value);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// What descent looks at, and the study's own.
RankedSpace ranked_by_descent(const StudyRequest& request, SearchedParts searched,
                              const Calibration& calibration, ModelVariant variant,
                              const Progress& progress, const StopToken& stop)
{
    const ConfigurationSpace space =
        configuration_space(request.op, request.device, {.parts = searched.parts});
    const ModelCosts costs(request.op, request.device, space, calibration, variant, stop);
    Ranking ranking =
        rank_by_descent(costs, 0, [&](double done) { tell(progress, "ranking", done, 1); });
    searched.configurations = space.size();
    searched.looked_at = ranking.evaluated + ranking.not_priced;
    searched.not_priced = ranking.not_priced;
    searched.refusal = ranking.refusal;
    FoundSpace found =
        found_space(space, std::move(ranking.best), priced(request, calibration, variant, stop));
    return {request.op, std::make_shared<const ConfigurationSpace>(std::move(found.space)),
            std::move(found.costs), variant, std::move(searched)};
}

/// Simulated times of the first rows, and of the study's own. Rows that the model holds alike with
/// the last one in sight are simulated as well, up to a limit.
std::unordered_map<std::int64_t, double> simulated_first(const StudyRequest& request,
                                                         const RankedSpace& ranked,
                                                         const Progress& progress,
                                                         const StopToken& stop)
{
    constexpr std::size_t seen = 16; // rows of a table that is in sight
    constexpr std::size_t most = 32;
    std::size_t rows = std::min(seen, ranked.size());
    while (rows < std::min(most, ranked.size()) &&
           same_time(ranked[rows].ns, ranked[rows - 1].ns)) {
        ++rows;
    }
    std::vector<std::size_t> wanted(rows);
    std::iota(wanted.begin(), wanted.end(), std::size_t{0});
    if (const auto own = own_row(ranked, request.schedule); own && *own >= rows) {
        wanted.push_back(*own);
    }
    const OperatorTimer timer = simulator_timer(request.device, most_simulated_accesses, {}, stop);
    std::unordered_map<std::int64_t, double> times;
    for (const std::size_t row : wanted) {
        tell(progress, "simulating the first", std::min(row, rows), rows);
        try {
            const Schedule schedule = ranked.schedule(row);
            times[ranked[row].index] =
                timer.answer(request.op, schedule, timer.legal_nest(request.op, schedule))
                    .median_ns();
        } catch (const Error&) { // that one stays without a time, as it does where it is selected
                                 // and simulated
        }
    }
    return times;
}

} // namespace

bool SearchedParts::whole() const
{
    return parts.find_first_not_of(paper_parts) == std::string::npos;
}

std::string SearchedParts::note() const
{
    std::string line;
    if (looked_at < configurations) {
        line = fmt::format("Descent looked at {} of {} configurations", base::count_text(looked_at),
                           base::count_text(configurations));
    }
    if (not_priced > 0) {
        line += fmt::format("{}{} not priced, e.g. {}", line.empty() ? "" : "; ",
                            base::count_text(not_priced), refusal);
    }
    return line;
}

std::optional<std::int64_t> index_of(const ConfigurationSpace& space, const Schedule& schedule)
{
    const KernelChoice kernel = kernel_of(schedule);
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        if (space.kernel(k) == kernel) {
            if (const auto index = index_in_kernel(space, k, schedule)) {
                return index;
            }
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> index_in_kernel(const ConfigurationSpace& space, std::size_t kernel,
                                            const Schedule& schedule)
{
    const auto groups = space.groups(kernel);
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const GroupChoice& choice) {
        return choice.warp == schedule.warp && choice.group == schedule.group;
    });
    return group == groups.end() ? std::nullopt
                                 : std::optional(space.first(kernel) + (group - groups.begin()));
}

RankedSpace::RankedSpace(Operator op, std::shared_ptr<const ConfigurationSpace> space,
                         std::vector<ModelCosts::Cost> costs, ModelVariant variant,
                         SearchedParts searched)
    : op_(std::move(op)), space_(std::move(space)), costs_(std::move(costs)),
      rows_(static_cast<std::size_t>(space_->size()), -1), variant_(variant),
      searched_(std::move(searched))
{
    std::sort(costs_.begin(), costs_.end());
    number_rows();
}

void RankedSpace::number_rows()
{
    // A row for each number of the space; -1 where the configuration has no price.
    for (std::size_t row = 0; row < costs_.size(); ++row) {
        rows_[static_cast<std::size_t>(costs_[row].index)] = static_cast<std::int32_t>(row);
    }
}

std::size_t RankedSpace::end_of_alike(std::size_t first) const
{
    return end_of_same(first, costs_.size(), [&](std::size_t row) { return costs_[row].ns; });
}

std::pair<std::size_t, std::size_t> RankedSpace::alike_rows(std::size_t row) const
{
    std::size_t first = row;
    while (first > 0 && same_time(costs_[first - 1].ns, costs_[row].ns)) {
        --first;
    }
    return {first, end_of_alike(first)};
}

std::size_t RankedSpace::alike(std::size_t row) const
{
    const auto [first, end] = alike_rows(row);
    return end - first;
}

// Of rows that the model holds alike, those that were simulated come first, by simulated time.
void RankedSpace::order_alike(const std::unordered_map<std::int64_t, double>& simulated)
{
    const auto time = [&](const ModelCosts::Cost& cost) {
        const auto known = simulated.find(cost.index);
        return known == simulated.end() ? std::numeric_limits<double>::infinity() : known->second;
    };
    for (std::size_t row = 0; row < costs_.size();) {
        const std::size_t end = end_of_alike(row);
        std::ranges::stable_sort(std::span(costs_).subspan(row, end - row), {}, time);
        row = end;
    }
    number_rows();
}

std::string RankedSpace::note() const
{
    const std::string line = searched_.note();
    const std::size_t first = alike(0);
    return first == 1 ? line
                      : fmt::format("{}{}the first {} are predicted alike: by simulated time", line,
                                    line.empty() ? "" : "; ",
                                    base::count_text(static_cast<std::int64_t>(first)));
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
    : space_(std::move(space)), footprints_(op, *space_, progress, stop),
      limits_(pruning_limits(device)), off_(switched_off(limits_, {}))
{
    excluded_.reserve(static_cast<std::size_t>(space_->size()));
    for (std::size_t k = 0; k < space_->kernel_count(); ++k) {
        const std::int32_t split = space_->kernel(k).split;
        for (const GroupChoice& choice : space_->groups(k)) {
            const KernelFootprint& footprint = footprints_.of(k, choice.group);
            unsigned found = 0;
            for (std::size_t c = 0; c < all_pruning_criteria.size(); ++c) {
                const bool excluded =
                    violates(all_pruning_criteria[c], footprint, choice.group, split, limits_, {});
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
        if (const auto rejection =
                prune(footprint, group, space_->kernel(place.kernel).split, limits_, alone)) {
            lines.push_back(to_string(criterion) + ": " + rejection->reason);
        }
    }
    return lines;
}

std::optional<std::size_t> own_row(const RankedSpace& ranked, const Schedule& own)
{
    const auto index = index_of(*ranked.space(), own);
    return index ? ranked.row_of(*index) : std::nullopt;
}

std::string first_note(const RankedAndPruned& ranked, const Schedule& own)
{
    const RankedSpace& space = *ranked.space;
    std::string line;
    const auto add = [&](const std::string& more) { line += (line.empty() ? "" : "; ") + more; };
    const auto simulated = [&](std::size_t row) {
        const auto known = ranked.simulated.find(space[row].index);
        return known == ranked.simulated.end() ? std::nullopt
                                               : std::optional(Nanoseconds{known->second});
    };
    if (!ranked.simulated.empty()) {
        const auto least = std::ranges::min_element(ranked.simulated, {},
                                                    [](const auto& each) { return each.second; });
        add(fmt::format(
            "Of {} simulated, rank {} is fastest ({})", ranked.simulated.size(),
            base::count_text(static_cast<std::int64_t>(*space.row_of(least->first) + 1)),
            base::time_text(Nanoseconds{least->second})));
    }
    if (const auto row = own_row(space, own)) {
        const std::optional<Nanoseconds> time = simulated(*row);
        add(fmt::format("the study's own is rank {}{}",
                        base::count_text(static_cast<std::int64_t>(*row + 1)),
                        time ? fmt::format(" ({})", base::time_text(time)) : ""));
    } else {
        add("the study's own is not among them");
    }
    if (const std::string note = space.note(); !note.empty()) {
        add(note);
    }
    return line;
}

RankedAndPruned ranked_and_pruned(const StudyRequest& request, const std::string& asked,
                                  const Calibration& calibration, ModelVariant variant,
                                  const RankedAndPruned& known, const Progress& progress,
                                  const StopToken& stop)
{
    constexpr double ranked_by = 0.4; // of the whole
    // The rest is the time that pruning takes, which is only needed the first time.
    constexpr double simulated_by = 0.7;
    const Progress ranks = [&](const std::string& stage, double done) {
        tell(progress, stage, ranked_by * done, 1);
    };
    const Progress simulates = [&](const std::string& stage, double done) {
        tell(progress, stage, ranked_by + (simulated_by - ranked_by) * done, 1);
    };
    const auto prunes = [&](double done) {
        tell(progress, "pruning", simulated_by + (1 - simulated_by) * done, 1);
    };
    SearchedParts searched{.asked = asked};
    searched.priced = priced_parts(request.op, request.device);
    searched.refused = refused_parts(request.op, request.device);
    searched.parts = asked.empty() ? searched.priced : asked;
    RankedAndPruned made;
    std::shared_ptr<RankedSpace> ranked;
    // The whole space of the same parts is the same space: its pruning, which takes long, is kept.
    if (searched.whole()) {
        const bool same = known.space && known.space->searched().parts == searched.parts;
        made.pruning = same ? known.pruning : nullptr;
        ranked = std::make_shared<RankedSpace>(
            ranked_whole(request, std::move(searched), calibration, variant,
                         same ? known.space->space() : nullptr, ranks, stop));
    } else {
        ranked = std::make_shared<RankedSpace>(
            ranked_by_descent(request, std::move(searched), calibration, variant, ranks, stop));
    }
    if (ranked->size() == 0) {
        throw bad_input("no configuration has a price: " + ranked->searched().refusal, {},
                        "choose other parts");
    }
    made.simulated = simulated_first(request, *ranked, simulates, stop);
    ranked->order_alike(made.simulated);
    made.space = std::move(ranked);
    if (!made.pruning) {
        made.pruning = std::make_shared<const SpacePruning>(request.op, made.space->space(),
                                                            request.device, prunes, stop);
    }
    return made;
}

} // namespace texelscope::gui
