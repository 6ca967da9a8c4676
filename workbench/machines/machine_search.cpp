#include "workbench/machines/machine_search.hpp"

#include "base/error.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

namespace texelscope::workbench::machines {
namespace {

constexpr std::int64_t population_size = 48;
constexpr double share_of_evolution = 0.6; ///< of all evaluations; the rest spreads the set
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Back into [0, 1), as a mirror at its ends does.
double reflected(double place)
{
    constexpr double below_one = 1 - 1e-9;
    place = std::abs(std::fmod(place, 2.0));
    return std::min(place > 1 ? 2 - place : place, below_one);
}

std::string text_of(const std::mt19937_64& random)
{
    std::ostringstream out;
    out << random;
    return out.str();
}

const Point& best_of(const std::vector<Point>& points)
{
    return *std::ranges::min_element(points, {}, &Point::loss);
}

} // namespace

MachineSearch::MachineSearch(const DeviceProfile& profile, const std::vector<Unknown>& unknowns,
                             KernelPrices& prices, const LossFunction& loss,
                             const SearchOptions& options)
    : profile_(profile), unknowns_(unknowns), prices_(prices), loss_(loss), options_(options),
      random_(options.seed)
{}

std::optional<MachineSearch::Trial> MachineSearch::trial(Places places) const
{
    auto machine = machine_of(profile_, unknowns_, texts_of(unknowns_, places));
    return machine ? std::optional(Trial{std::move(places), std::move(*machine)}) : std::nullopt;
}

std::optional<MachineSearch::Trial>
MachineSearch::proposed(const std::function<Places()>& propose) const
{
    constexpr int often = 40;
    for (int i = 0; i < often; ++i) {
        if (auto made = trial(propose())) {
            return made;
        }
    }
    return std::nullopt;
}

Places MachineSearch::anywhere()
{
    Places places(unknowns_.size());
    for (double& place : places) {
        place = uniform_real(random_);
    }
    return places;
}

Places MachineSearch::near(const Places& places)
{
    constexpr double width = 0.15; // of the range
    constexpr double other_choice = 0.15;
    Places made = places;
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (!unknowns_[i].is_choice()) {
            made[i] = reflected(made[i] + width * standard_normal(random_));
        } else if (uniform_real(random_) < other_choice) {
            made[i] = uniform_real(random_);
        }
    }
    return made;
}

Places MachineSearch::with_reads_of(Places places, const Places& other) const
{
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = unknowns_[i].row->says == PriorRow::Says::reads ? other[i] : places[i];
    }
    return places;
}

void MachineSearch::change_one(Places& places, PriorRow::Says says)
{
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (unknowns_[i].row->says == says) {
            some.push_back(i);
        }
    }
    if (some.empty()) {
        return;
    }
    const std::size_t i = some[static_cast<std::size_t>(uniform_below(random_, some.size()))];
    if (unknowns_[i].is_choice() && uniform_real(random_) < 0.5) { // to the one beside it
        const double width = 1 / static_cast<double>(unknowns_[i].choices.size());
        places[i] = reflected(places[i] + (uniform_real(random_) < 0.5 ? width : -width));
    } else {
        places[i] = uniform_real(random_);
    }
}

Places MachineSearch::evolved(const std::vector<Point>& sorted, const Places& of)
{
    const auto pick = [&](std::size_t count) -> const Places& {
        return sorted[static_cast<std::size_t>(uniform_below(random_, count))].places;
    };
    const Places& leader = pick(std::max<std::size_t>(2, sorted.size() / 6));
    const Places& one = pick(sorted.size());
    const Places& other = pick(sorted.size());
    const double step = 0.3 + 0.6 * uniform_real(random_);
    const double crossing = uniform_real(random_) < 0.5 ? 0.9 : 0.3;
    const double whose = uniform_real(random_);
    Places made = with_reads_of(of, whose < 0.6 ? of : whose < 0.9 ? leader : one);
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (unknowns_[i].row->says == PriorRow::Says::reads || uniform_real(random_) >= crossing) {
            continue;
        }
        if (unknowns_[i].is_choice()) {
            made[i] = uniform_real(random_) < step ? leader[i] : of[i];
        } else {
            made[i] = reflected(of[i] + step * (leader[i] - of[i]) + step * (one[i] - other[i]));
        }
    }
    if (uniform_real(random_) < 0.3) {
        change_one(made, PriorRow::Says::times);
    }
    return made;
}

Places MachineSearch::walked(const std::vector<Point>& set, std::size_t i)
{
    const auto another = [&]() -> const Places& {
        return set[static_cast<std::size_t>(uniform_below(random_, set.size()))].places;
    };
    Places made = set[i].places;
    const double what = uniform_real(random_);
    if (what < 0.1) {
        change_one(made, PriorRow::Says::reads);
        return made;
    }
    if (what < 0.25) {
        return with_reads_of(std::move(made), another());
    }
    if (what < 0.6) {
        change_one(made, PriorRow::Says::times);
        return made;
    }
    const Places& one = another();
    const Places& other = another();
    const double step = 0.2 + 0.8 * uniform_real(random_);
    const double crossing = 0.2 + 0.8 * uniform_real(random_);
    for (std::size_t k = 0; k < made.size(); ++k) {
        if (!unknowns_[k].is_choice() && uniform_real(random_) < crossing) {
            constexpr double jitter = 0.02;
            made[k] =
                reflected(made[k] + step * (one[k] - other[k]) + jitter * standard_normal(random_));
        }
    }
    return made;
}

std::vector<double> MachineSearch::losses(const std::vector<std::optional<Trial>>& trials,
                                          const StopToken& stop)
{
    std::vector<PricedMachine> machines;
    for (const auto& one : trials) {
        if (one) {
            machines.push_back(one->machine);
        }
    }
    const std::vector<std::vector<double>> ns = prices_.ns(machines, stop);
    std::vector<double> list;
    std::size_t next = 0;
    for (const auto& one : trials) {
        list.push_back(one ? loss_(ns[next], machines[next].device).all : infinite);
        next += one ? 1U : 0U;
    }
    return list;
}

void MachineSearch::begin(SearchState& state, const StopToken& stop)
{
    constexpr std::size_t kinds = 16; // of reads, which several machines have
    const Places own = places_of(unknowns_, profile_);
    std::vector<std::optional<Trial>> trials;
    for (std::int64_t i = 0; i < population_size; ++i) {
        const bool from_profile = !options_.start_anywhere && i < population_size / 2;
        const Places* like = trials.size() >= kinds && trials[trials.size() - kinds]
                                 ? &trials[trials.size() - kinds]->places
                                 : nullptr;
        trials.push_back(proposed([&] {
            Places places = !from_profile ? anywhere() : i == 0 ? own : near(own);
            return like != nullptr ? with_reads_of(std::move(places), *like) : places;
        }));
        if (!trials.back()) {
            trials.back() = proposed([&] { return anywhere(); });
        }
    }
    const std::vector<double> found = losses(trials, stop);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (trials[i]) {
            state.population.push_back({std::move(trials[i]->places), found[i]});
        }
    }
    if (state.population.empty()) {
        throw bad_input("no machine has values that go together", profile_.name,
                        "let more of them vary (--free), or fewer");
    }
    state.priced += population_size;
}

void MachineSearch::evolve(SearchState& state, const StopToken& stop)
{
    std::vector<Point> sorted = state.population;
    std::ranges::stable_sort(sorted, {}, &Point::loss);
    // What kernels read costs most to work out: a few new kinds of reads in each step, each of
    // which several machines try.
    constexpr std::size_t new_kinds = 2;
    constexpr std::size_t tried_by = 6;
    std::vector<Places> kinds;
    for (std::size_t i = 0; i < new_kinds; ++i) {
        Places kind =
            sorted[static_cast<std::size_t>(uniform_below(random_, sorted.size() / (i + 1)))]
                .places;
        do {
            change_one(kind, PriorRow::Says::reads);
        } while (uniform_real(random_) < 0.4);
        kinds.push_back(std::move(kind));
    }
    const std::vector<std::size_t> order = shuffled_indices(random_, state.population.size());
    std::vector<std::optional<Trial>> trials(state.population.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Places& own = state.population[order[i]].places;
        const auto made = [&] {
            Places places = evolved(sorted, own);
            return i < new_kinds * tried_by ? with_reads_of(std::move(places), kinds[i / tried_by])
                                            : places;
        };
        trials[order[i]] = proposed(made);
        if (!trials[order[i]]) { // new reads that cannot be
            trials[order[i]] = proposed([&] { return evolved(sorted, own); });
        }
    }
    const std::vector<double> found = losses(trials, stop);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (trials[i] && found[i] <= state.population[i].loss) {
            state.population[i] = {std::move(trials[i]->places), found[i]};
        }
    }
    state.priced += static_cast<std::int64_t>(trials.size());
}

void MachineSearch::begin_set(SearchState& state) const
{
    const double best = best_of(state.population).loss;
    constexpr double of_best = 0.1;
    state.limit = best + options_.tolerance + of_best * best;
    std::vector<Point> within;
    std::ranges::copy_if(state.population, std::back_inserter(within),
                         [&](const Point& point) { return point.loss <= state.limit; });
    std::ranges::stable_sort(within, {}, &Point::loss);
    for (std::size_t i = 0; i < options_.machines; ++i) {
        state.set.push_back(within[i % within.size()]);
    }
}

void MachineSearch::walk(SearchState& state, const StopToken& stop)
{
    std::vector<std::optional<Trial>> trials;
    for (std::size_t i = 0; i < state.set.size(); ++i) {
        trials.push_back(trial(walked(state.set, i))); // where there can be none, it stays
    }
    const std::vector<double> found = losses(trials, stop);
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (trials[i] && found[i] <= state.limit) {
            state.set[i] = {std::move(trials[i]->places), found[i]};
        }
        if (trials[i] && found[i] < best_of(state.population).loss) {
            *std::ranges::max_element(state.population, {}, &Point::loss) = {state.set[i].places,
                                                                             found[i]};
        }
    }
    state.priced += static_cast<std::int64_t>(trials.size());
}

SearchState MachineSearch::run(SearchState state, const Progress& progress, const StopToken& stop,
                               const std::function<void(const SearchState&)>& save)
{
    for (const std::vector<Point>* points : {&state.population, &state.set}) {
        for (const Point& point : *points) {
            if (point.places.size() != unknowns_.size()) {
                throw bad_input("a machine of it has another number of values", "state of a search",
                                "delete it to begin anew");
            }
        }
    }
    if (!state.random.empty()) {
        std::istringstream(state.random) >> random_;
    }
    const auto keep = [&] {
        state.random = text_of(random_);
        if (save) {
            save(state);
        }
    };
    const auto evolution =
        static_cast<std::int64_t>(share_of_evolution * static_cast<double>(options_.evaluations));
    if (state.population.empty()) {
        begin(state, stop);
        keep();
    }
    while (state.set.empty() && state.priced < evolution) {
        check_stop(stop);
        tell(progress, "looking for the best machine", state.priced, options_.evaluations);
        evolve(state, stop);
        keep();
    }
    if (state.set.empty()) {
        begin_set(state);
    }
    while (state.priced < options_.evaluations) {
        check_stop(stop);
        tell(progress, "looking for all that agree", state.priced, options_.evaluations);
        walk(state, stop);
        keep();
    }
    return state;
}

} // namespace texelscope::workbench::machines
