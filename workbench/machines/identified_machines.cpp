#include "workbench/machines/identified_machines.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/machines/prior.hpp"
#include "workbench/machines/search_state.hpp"
#include "workbench/machines/simulated_losses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace texelscope::workbench::machines {
namespace {

/// The set of a search that has ended, the best first, with weights by Epanechnikov's kernel.
std::vector<Point> points_of(const SearchState& state)
{
    std::vector<Point> points = state.set;
    *std::ranges::max_element(points, {}, &Point::loss) =
        *std::ranges::min_element(state.population, {}, &Point::loss);
    std::ranges::stable_sort(points, {}, &Point::loss);
    return points;
}

std::vector<double> weights_of(const std::vector<Point>& points, double limit)
{
    const double best = points.front().loss;
    std::vector<double> weights;
    for (const Point& point : points) {
        const double off = (point.loss - best) / std::max(limit - best, 1e-12);
        constexpr double least = 0.05; // those at the limit are possible, too
        weights.push_back(std::max(least, 1 - off * off));
    }
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) {
        weight /= all;
    }
    return weights;
}

/// What of a machine's set is on which kernels.
struct Judged {
    std::vector<std::vector<double>> ns; ///< [machine][kernel]
    std::vector<MachineLoss> losses;     ///< of each machine
};

Judged judge(const MachineSet& set, const DeviceProfile& device,
             const std::vector<MeasuredKernel>& kernels, int threads, const StopToken& stop)
{
    KernelPrices prices(kernels, device, threads, stop);
    const std::vector<PricedMachine> machines = priced_machines(set, device);
    Judged judged{prices.ns(machines, stop), {}};
    const LossFunction loss(kernels, {});
    for (std::size_t m = 0; m < machines.size(); ++m) {
        judged.losses.push_back(loss(judged.ns[m], machines[m].device));
    }
    return judged;
}

void add_residuals(MachineSet& set, const Judged& known)
{
    for (std::size_t m = 0; m < set.machines.size(); ++m) {
        constexpr std::array shares{0.1, 0.3, 0.5, 0.7, 0.9};
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const std::vector<double>& residuals = known.losses[m].residuals;
            set.machines[m].residuals[i] = residuals.empty() ? 0 : quantile(residuals, shares[i]);
        }
    }
}

/// Times with the copies that measured ones include.
std::vector<double> with_copies(std::vector<double> ns, const MachineLoss& loss,
                                const std::vector<Task>& tasks)
{
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        for (const std::size_t kernel : tasks[t].kernels) {
            ns[kernel] += loss.constants[t];
        }
    }
    return ns;
}

/// Kernels that were kept back, and what was foretold of them.
struct Foretold {
    std::vector<MeasuredKernel> kernels;
    std::vector<double> best, medians, nominal; ///< ns
    std::vector<std::optional<TimeOverMachines>> intervals;
};

/// Adds what a set, and the profile as it was, say of kernels that were kept back.
void foretell(Foretold& all, const MachineSet& set, const DeviceProfile& device,
              const std::vector<MeasuredKernel>& kernels, int threads, const StopToken& stop)
{
    if (kernels.empty()) {
        return;
    }
    const std::vector<Task> tasks = tasks_of(kernels);
    const Judged out = judge(set, device, kernels, threads, stop);
    const std::vector<double> copies =
        with_copies(std::vector<double>(kernels.size(), 0.0), out.losses.front(), tasks);
    const auto times = by_kernel(out.ns);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        all.intervals.push_back(over_machines(set, times[k], copies[k]));
        all.medians.push_back(all.intervals.back() ? all.intervals.back()->median_ns
                                                   : std::nan(""));
        all.best.push_back(out.ns.front()[k] + copies[k]);
    }
    MachineSet nominal;
    nominal.machines.emplace_back();
    const Judged before = judge(nominal, device, kernels, threads, stop);
    const std::vector<double> ns = with_copies(before.ns.front(), before.losses.front(), tasks);
    all.nominal.insert(all.nominal.end(), ns.begin(), ns.end());
    all.kernels.insert(all.kernels.end(), kernels.begin(), kernels.end());
}

MachineSet set_of(const SearchState& state, const std::vector<Unknown>& unknowns,
                  const MachinesQuestion& question)
{
    MachineSet set;
    set.profile = question.device.name;
    set.seed = question.search.seed;
    set.evaluations = state.priced;
    set.limit = state.limit;
    set.start_anywhere = question.search.start_anywhere;
    set.sources = question.sources;
    set.hold_out = question.hold_out;
    set.folds = static_cast<std::int64_t>(question.folds);
    const std::vector<Point> points = points_of(state);
    const std::vector<double> weights = weights_of(points, state.limit);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        std::vector<double> places;
        for (const Point& point : points) {
            places.push_back(point.places[i]);
        }
        set.values.push_back(value_of(unknowns[i], places, weights));
    }
    for (std::size_t m = 0; m < points.size(); ++m) {
        set.machines.push_back({.values = texts_of(unknowns, points[m].places),
                                .weight = weights[m],
                                .loss = points[m].loss});
    }
    return set;
}

std::string judgement_text(const Judgement& judgement)
{
    return fmt::format("tau {:.2f}, median error {:.0f} % on {} tasks", judgement.tau,
                       100 * judgement.error, judgement.tasks);
}

/// A search for the machines that agree with these kernels, with a state file of its own.
MachineSet searched(const MachinesQuestion& question, const std::vector<MeasuredKernel>& known,
                    const std::string& state_file, const Progress& progress, const StopToken& stop)
{
    const std::vector<Unknown> unknowns =
        unknowns_of(question.device, question.also, question.keep);
    if (unknowns.empty()) {
        throw bad_input("every value is known from a data sheet or a driver", question.device.name,
                        "name values that may vary with --free");
    }
    tell(progress, "preparing kernels", 0, 1);
    KernelPrices prices(known, question.device, question.threads, stop);
    const LossFunction loss(known, question.figures);
    MachineSearch search(question.device, unknowns, prices, loss, question.search);
    const KeptSearch kept(state_file, search_digest(question, unknowns, known));
    const SearchState state =
        search.run(kept.read(), progress, stop, [&](const SearchState& now) { kept.write(now); });
    MachineSet set = set_of(state, unknowns, question);
    if (question.simulated > 0) {
        order_by_simulator(set, known, question, progress, stop);
    }
    const Judged judged_known = judge(set, question.device, known, question.threads, stop);
    add_residuals(set, judged_known);
    set.known = judged(
        known, with_copies(judged_known.ns.front(), judged_known.losses.front(), tasks_of(known)));
    return set;
}

/// The kernels of one part of the tasks, and those of the others.
SplitKernels fold_of(const std::vector<MeasuredKernel>& kernels, std::size_t fold,
                     std::size_t folds)
{
    SplitKernels both;
    const std::vector<Task> tasks = tasks_of(kernels);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        for (const std::size_t kernel : tasks[t].kernels) {
            (t % folds == fold ? both.held_out : both.known).push_back(kernels[kernel]);
        }
    }
    return both;
}

} // namespace

std::vector<std::string> state_files(const MachinesQuestion& question)
{
    std::vector<std::string> files;
    for (std::size_t fold = 0; question.folds > 1 && fold < question.folds; ++fold) {
        files.push_back(fmt::format("{}.part-{}", question.state_file, fold + 1));
    }
    files.push_back(question.state_file);
    return question.state_file.empty() ? std::vector<std::string>(files.size()) : files;
}

MachineSet identified_machines(const MachinesQuestion& question, const Progress& progress,
                               const StopToken& stop)
{
    const auto [all_known, all_out] = split(question.kernels, question.hold_out);
    if (all_known.empty()) {
        throw bad_input("no task is left to identify by", "--hold-out",
                        "hold fewer out, or give more kernels");
    }
    const std::size_t tasks = tasks_of(all_known).size();
    if (question.folds > 1 && (question.folds > tasks || !all_out.empty())) {
        throw bad_input(all_out.empty() ? fmt::format("there are {} tasks", tasks)
                                        : "tasks are held out already",
                        "--folds", "give fewer, or leave it out");
    }
    const std::uint64_t seed = question.search.seed;
    const std::vector<MeasuredKernel> known = thinned(all_known, question.kernels_of_task, seed);
    const std::vector<std::string> states = state_files(question);
    Foretold foretold;
    for (std::size_t fold = 0; question.folds > 1 && fold < question.folds; ++fold) {
        const SplitKernels part = fold_of(known, fold, question.folds);
        const MachineSet set = searched(question, part.known, states[fold], progress, stop);
        foretell(foretold, set, question.device, part.held_out, question.threads, stop);
    }
    MachineSet set = searched(question, known, states.back(), progress, stop);
    foretell(foretold, set, question.device, thinned(all_out, question.kernels_of_task, seed),
             question.threads, stop);
    if (!foretold.kernels.empty()) {
        set.held_out = judged(foretold.kernels, foretold.best);
        set.together = judged(foretold.kernels, foretold.medians, foretold.intervals);
        set.nominal = judged(foretold.kernels, foretold.nominal);
    }
    return set;
}

DeviceProfile identified_device(const MachineSet& set, DeviceProfile profile)
{
    const std::string how = fmt::format(
        "texelscope identify --kernels {}: best of {} machines that agree with {} kernels of {} "
        "tasks ({}); {}: {}",
        fmt::join(set.sources, " "), set.machines.size(), set.known.kernels, set.known.tasks,
        judgement_text(set.known),
        set.folds > 1 ? fmt::format("{} parts of them, each foretold from the others", set.folds)
                      : std::string("held out"),
        set.held_out ? judgement_text(*set.held_out) : std::string("nothing"));
    const std::vector<Setting> keys = profile_keys(profile);
    for (std::size_t i = 0; i < set.values.size(); ++i) {
        const MachineSet::Value& value = set.values[i];
        const std::string range =
            fmt::format("80 % of the machines: {} to {}", value.low, value.high);
        const auto setting = std::ranges::find(keys, value.key, &Setting::key);
        if (setting == keys.end()) {
            throw bad_input("the profile has no " + value.key, profile.name);
        }
        set_value(profile, value.key,
                  {set.machines.front().values[i], setting->unit,
                   value.told() ? Provenance::identified : Provenance::assumed,
                   value.told() ? fmt::format("{}; {}", how, range)
                                : fmt::format("the kernels do not tell it ({}); {}", range, how)});
    }
    validate(profile.simulation);
    return profile;
}

} // namespace texelscope::workbench::machines
