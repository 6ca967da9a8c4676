#include "workbench/machines/identified_machines.hpp"

#include "base/averages.hpp"
#include "base/error.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/machines/prior.hpp"
#include "workbench/machines/search_state.hpp"
#include "workbench/machines/simulated_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace texelscope::workbench::machines {
namespace {

/// The set of a search that has ended, the best first.
std::vector<Point> points_of(const SearchState& state)
{
    std::vector<Point> points = state.set;
    *std::ranges::max_element(points, {}, &Point::loss) =
        *std::ranges::min_element(state.population, {}, &Point::loss);
    std::ranges::stable_sort(points, {}, &Point::loss);
    return points;
}

/// Weights by Epanechnikov's kernel, of how far a machine is from the best.
void weigh(MachineSet& set)
{
    double best = set.machines.front().loss;
    for (const IdentifiedMachine& machine : set.machines) {
        best = std::min(best, machine.loss);
    }
    double all = 0;
    for (IdentifiedMachine& machine : set.machines) {
        const double off = (machine.loss - best) / std::max(set.limit - best, 1e-12);
        constexpr double least = 0.05; // those at the limit are possible, too
        machine.weight = std::max(least, 1 - off * off);
        all += machine.weight;
    }
    for (IdentifiedMachine& machine : set.machines) {
        machine.weight /= all;
    }
}

/// What the machines have of each value. What the simulator alone knows is told by those that were
/// simulated, if there are any.
void add_values(MachineSet& set, const std::vector<Unknown>& unknowns)
{
    set.values.clear();
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        const bool by_simulator = unknowns[i].row->says == PriorRow::Says::simulator;
        std::vector<double> places;
        std::vector<double> weights;
        for (const IdentifiedMachine& machine : set.machines) {
            if (!by_simulator || machine.simulated_loss) {
                places.push_back(unknowns[i].place(machine.values[i]));
                weights.push_back(machine.weight);
            }
        }
        set.values.push_back(places.empty()
                                 ? MachineSet::Value{unknowns[i].key, 1, unknowns[i].text(0),
                                                     unknowns[i].text(1 - 1e-9)}
                                 : value_of(unknowns[i], places, weights));
    }
}

/// A set that was found before, with all of these unknowns: of those that it lacks each machine has
/// the device's own value.
MachineSet with_unknowns(MachineSet set, const std::vector<Unknown>& unknowns,
                         const DeviceProfile& device)
{
    const Places own = places_of(unknowns, device);
    for (IdentifiedMachine& machine : set.machines) {
        std::vector<std::string> texts = texts_of(unknowns, own);
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            const auto value =
                std::ranges::find(set.values, unknowns[i].key, &MachineSet::Value::key);
            if (value != set.values.end()) {
                texts[i] = machine.values[static_cast<std::size_t>(value - set.values.begin())];
            }
        }
        machine.values = std::move(texts);
    }
    return set;
}

/// What may vary: the unknown values of the device, or those of a set that was found before and
/// what the simulator alone knows.
std::vector<Unknown> asked_unknowns(const MachinesQuestion& question)
{
    std::vector<Unknown> unknowns = unknowns_of(question.device, question.also, question.keep);
    std::erase_if(unknowns, [&](const Unknown& unknown) {
        return question.set && unknown.row->says != PriorRow::Says::simulator &&
               std::ranges::find(question.set->values, unknown.key, &MachineSet::Value::key) ==
                   question.set->values.end();
    });
    return unknowns;
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
    for (const Point& point : points_of(state)) {
        set.machines.push_back({.values = texts_of(unknowns, point.places), .loss = point.loss});
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
                    const std::vector<MeasuredKernel>& held_out, const std::string& state_file,
                    const Progress& progress, const StopToken& stop)
{
    const std::vector<Unknown> unknowns = asked_unknowns(question);
    if (unknowns.empty()) {
        throw bad_input("every value is known from a data sheet or a driver", question.device.name,
                        "name values that may vary with --free");
    }
    const KeptSearch kept(state_file, search_digest(question, unknowns, known));
    SearchState state = kept.read();
    MachineSet set;
    if (question.set) {
        set = with_unknowns(*question.set, unknowns, question.device);
    } else {
        tell(progress, "preparing kernels", 0, 1);
        KernelPrices prices(known, question.device, question.threads, stop);
        const LossFunction loss(known, question.figures);
        MachineSearch search(question.device, unknowns, prices, loss, question.search);
        state = search.run(std::move(state), progress, stop,
                           [&](const SearchState& now) { kept.write(now); });
        set = set_of(state, unknowns, question);
    }
    if (question.simulated > 0) {
        search_by_simulator(
            set, unknowns, known, held_out, question, state.simulated, [&] { kept.write(state); },
            progress, stop);
    }
    weigh(set);
    add_values(set, unknowns);
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
    MachinesQuestion by_model = question;
    by_model.simulated = 0;
    // A set that was found before says itself how well its folds were foretold.
    for (std::size_t fold = 0; question.folds > 1 && !question.set && fold < question.folds;
         ++fold) {
        const SplitKernels part = fold_of(known, fold, question.folds);
        const MachineSet set =
            searched(by_model, part.known, part.held_out, states[fold], progress, stop);
        foretell(foretold, set, question.device, part.held_out, question.threads, stop);
    }
    const std::vector<MeasuredKernel> out = thinned(all_out, question.kernels_of_task, seed);
    MachineSet set = searched(question, known, out, states.back(), progress, stop);
    foretell(foretold, set, question.device, out, question.threads, stop);
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
        "tasks ({}); {}: {}{}",
        fmt::join(set.sources, " "), set.machines.size(), set.known.kernels, set.known.tasks,
        judgement_text(set.known),
        set.folds > 1 ? fmt::format("{} parts of them, each foretold from the others", set.folds)
                      : std::string("held out"),
        set.held_out ? judgement_text(*set.held_out) : std::string("nothing"),
        set.simulated ? "; simulated: " + judgement_text(*set.simulated) : std::string());
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
