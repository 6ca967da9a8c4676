#include "workbench/machines/simulated_search.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/machines/over_machines.hpp"
#include "workbench/study/launch_result.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

namespace texelscope::workbench::machines {
namespace {

constexpr std::size_t most_kept = 16; ///< machines that steps start from

/// Kernels, ready to be simulated on several machines.
class SimulatedKernels {
public:
    SimulatedKernels(std::vector<MeasuredKernel> kernels, const MachinesQuestion& question)
        : kernels_(std::move(kernels)), question_(question)
    {
        for (const MeasuredKernel& kernel : kernels_) {
            nests_.push_back(loop_nest(kernel.op, kernel.schedule));
        }
    }

    [[nodiscard]] const std::vector<MeasuredKernel>& kernels() const { return kernels_; }

    /// Of each kernel, NaN where the machine has no room for it.
    [[nodiscard]] std::vector<double> ns(const DeviceProfile& device, const StopToken& stop) const
    {
        std::vector<double> times(kernels_.size());
        parallel_for(
            kernels_.size(), question_.threads,
            [&](std::size_t k) {
                DeviceProfile at = device;
                at.simulation.machine =
                    at_clock(std::move(at.simulation.machine), kernels_[k].clock);
                try {
                    times[k] =
                        study::simulated_time(nests_[k], at, question_.sample, stop).value +
                        copies_ns(foretold_copies(kernels_[k]), at.simulation.machine.timing);
                } catch (const Error&) {
                    times[k] = std::nan("");
                }
            },
            stop);
        return times;
    }

private:
    std::vector<MeasuredKernel> kernels_;
    const MachinesQuestion& question_;
    std::vector<LoopNest> nests_;
};

/// A machine that was simulated.
struct Simulated {
    Places places;
    PricedMachine machine;
    std::vector<double> model_ns, ns; ///< by the model of all kernels; by the simulator of its own
    double model = 0, simulated = 0;  ///< losses

    [[nodiscard]] double both() const { return model + simulated; }
};

class SimulatedSearch {
public:
    SimulatedSearch(const MachineSet& set, const std::vector<Unknown>& unknowns,
                    const std::vector<MeasuredKernel>& known, const MachinesQuestion& question,
                    std::vector<std::vector<double>>& before, const std::function<void()>& save)
        : unknowns_(unknowns), known_(known), question_(question), before_(before), save_(save),
          kernels_(thinned(known, question.simulated_kernels, question.search.seed), question),
          prices_(known, question.device, question.threads), loss_(known, question.figures),
          simulated_loss_(kernels_.kernels(), {}), random_(question.search.seed)
    {
        for (const IdentifiedMachine& machine : set.machines) {
            Places places;
            for (std::size_t i = 0; i < unknowns.size(); ++i) {
                // Nothing of the set says what only the simulator knows.
                places.push_back(unknowns[i].row->says == PriorRow::Says::simulator
                                     ? uniform_real(random_)
                                     : unknowns[i].place(machine.values[i]));
            }
            start_.push_back(std::move(places));
        }
    }

    /// All that were simulated, in their order.
    std::vector<Simulated> run(const Progress& progress, const StopToken& stop)
    {
        const std::size_t from_set =
            std::min(start_.size(), std::max<std::size_t>(1, question_.simulated / 3));
        std::vector<Simulated> all;
        std::vector<std::size_t> kept; // the best, by both
        const auto add = [&](Simulated one) {
            all.push_back(std::move(one));
            kept.push_back(all.size() - 1);
            std::ranges::stable_sort(kept, {}, [&](std::size_t i) { return all[i].both(); });
            kept.resize(std::min(kept.size(), most_kept));
        };
        for (std::size_t i = 0; i < from_set; ++i) {
            tell(progress, "simulating machines", all.size(), question_.simulated);
            auto made = priced(start_[i * start_.size() / from_set], stop);
            if (made) {
                simulate(*made, all.size(), stop);
                add(std::move(*made));
            }
        }
        if (all.empty()) {
            throw bad_input("no machine of the set can be simulated", question_.device.name);
        }
        const std::size_t most_tries = 1000 * question_.simulated;
        for (std::size_t tries = 0; all.size() < question_.simulated && tries < most_tries;
             ++tries) {
            check_stop(stop);
            tell(progress, "simulating machines", all.size(), question_.simulated);
            const std::size_t own = kept[uniform_below(random_, kept.size())];
            auto made = priced(step(all, kept, all[own].places), stop);
            // One that the model judges so ill that no simulated loss so far would make up for it
            // is not simulated.
            double least = all[own].simulated;
            for (const std::size_t i : kept) {
                least = std::min(least, all[i].simulated);
            }
            if (made && made->model + least < all[own].both()) {
                simulate(*made, all.size(), stop);
                add(std::move(*made));
            }
        }
        return all;
    }

    /// Of some tasks alone: those with `is_in`.
    [[nodiscard]] double loss_on(const Simulated& one, const std::vector<bool>& is_in) const
    {
        return loss_of(known_, one.model_ns, one.machine.device, is_in) +
               loss_of(kernels_.kernels(), one.ns, one.machine.device, is_in);
    }
    [[nodiscard]] const SimulatedKernels& kernels() const { return kernels_; }

private:
    /// With the model's times; nothing where there is no such machine.
    [[nodiscard]] std::optional<Simulated> priced(Places places, const StopToken& stop)
    {
        auto machine = machine_of(question_.device, unknowns_, texts_of(unknowns_, places));
        if (!machine) {
            return std::nullopt;
        }
        Simulated one{std::move(places), std::move(*machine), {}, {}};
        one.model_ns = prices_.ns({one.machine}, stop).front();
        one.model = loss_(one.model_ns, one.machine.device).all;
        return one;
    }

    /// `number`: of the machine, among those that were simulated.
    void simulate(Simulated& one, std::size_t number, const StopToken& stop)
    {
        if (number < before_.size()) {
            one.ns = before_[number];
            one.ns.resize(kernels_.kernels().size(), std::nan(""));
        } else {
            one.ns = kernels_.ns(one.machine.device, stop);
            before_.push_back(one.ns);
            save_();
        }
        one.simulated = simulated_loss_(one.ns, one.machine.device).all;
    }

    /// Current-to-best with the difference of two others (MachineSearch), over all values alike.
    Places step(const std::vector<Simulated>& all, const std::vector<std::size_t>& kept,
                const Places& own)
    {
        const auto pick = [&](std::size_t count) -> const Places& {
            return all[kept[uniform_below(random_, std::min(count, kept.size()))]].places;
        };
        constexpr std::size_t leaders = 4;
        const Places& leader = pick(leaders);
        const Places& one = pick(most_kept);
        const Places& other = pick(most_kept);
        const double width = 0.3 + 0.6 * uniform_real(random_);
        const double crossing = uniform_real(random_) < 0.5 ? 0.8 : 0.3;
        constexpr double anew = 0.06; // of each value
        constexpr double below_one = 1 - 1e-9;
        Places made = own;
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (uniform_real(random_) < crossing) {
                made[i] = unknowns_[i].is_choice()
                              ? (uniform_real(random_) < 0.5 ? leader[i] : made[i])
                              : std::clamp(made[i] + width * (leader[i] - made[i]) +
                                               width * (one[i] - other[i]),
                                           0.0, below_one);
            }
            if (uniform_real(random_) < anew) {
                made[i] = uniform_real(random_);
            }
        }
        return made;
    }

    [[nodiscard]] static double loss_of(const std::vector<MeasuredKernel>& kernels,
                                        const std::vector<double>& ns, const DeviceProfile& device,
                                        const std::vector<bool>& is_in)
    {
        std::vector<MeasuredKernel> some;
        std::vector<double> times;
        const std::vector<Task> tasks = tasks_of(kernels);
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            for (const std::size_t kernel : tasks[t].kernels) {
                if (is_in[t]) {
                    some.push_back(kernels[kernel]);
                    times.push_back(ns[kernel]);
                }
            }
        }
        return LossFunction(some, {})(times, device).all;
    }

    const std::vector<Unknown>& unknowns_;
    const std::vector<MeasuredKernel>& known_;
    const MachinesQuestion& question_;
    std::vector<std::vector<double>>& before_;
    const std::function<void()>& save_;
    SimulatedKernels kernels_;
    KernelPrices prices_;
    LossFunction loss_, simulated_loss_;
    std::mt19937_64 random_;
    std::vector<Places> start_;
};

/// Simulated times against measured ones, with one constant a task.
Judgement judged_times(const std::vector<MeasuredKernel>& kernels, std::vector<double> ns,
                       const DeviceProfile& device)
{
    const LossFunction loss(kernels, {});
    const MachineLoss found = loss(ns, device);
    return judged(kernels, with_copies(std::move(ns), found, loss.tasks()));
}

/// Each part of the tasks by the machine that is the best on the others.
Judgement judged_by_parts(const SimulatedSearch& search, const std::vector<Simulated>& all,
                          std::size_t folds)
{
    const std::vector<MeasuredKernel>& kernels = search.kernels().kernels();
    const std::vector<Task> tasks = tasks_of(kernels);
    std::vector<double> ns(kernels.size());
    for (std::size_t fold = 0; fold < folds; ++fold) {
        std::vector<bool> others(tasks.size());
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            others[t] = t % folds != fold;
        }
        const Simulated& best = *std::ranges::min_element(
            all, {}, [&](const Simulated& one) { return search.loss_on(one, others); });
        for (std::size_t t = fold; t < tasks.size(); t += folds) {
            for (const std::size_t kernel : tasks[t].kernels) {
                ns[kernel] = best.ns[kernel];
            }
        }
    }
    return judged_times(kernels, std::move(ns), all.front().machine.device);
}

} // namespace

void search_by_simulator(MachineSet& set, const std::vector<Unknown>& unknowns,
                         const std::vector<MeasuredKernel>& known,
                         const std::vector<MeasuredKernel>& held_out,
                         const MachinesQuestion& question,
                         std::vector<std::vector<double>>& simulated,
                         const std::function<void()>& save, const Progress& progress,
                         const StopToken& stop)
{
    SimulatedSearch search(set, unknowns, known, question, simulated, save);
    std::vector<Simulated> all = search.run(progress, stop);
    if (question.folds > 1) {
        set.simulated_held_out = judged_by_parts(search, all, question.folds);
    }
    std::ranges::stable_sort(all, {}, &Simulated::both);
    const Simulated& best = all.front();
    set.simulated = judged_times(search.kernels().kernels(), best.ns, best.machine.device);
    if (!held_out.empty()) {
        const SimulatedKernels out(
            thinned(held_out, question.simulated_kernels, question.search.seed), question);
        set.simulated_held_out =
            judged_times(out.kernels(), out.ns(best.machine.device, stop), best.machine.device);
    }
    all.resize(std::min({all.size(), most_kept, set.machines.size()}));
    std::vector<IdentifiedMachine> machines;
    machines.reserve(set.machines.size());
    for (const Simulated& one : all) {
        machines.push_back({.values = texts_of(unknowns, one.places),
                            .loss = one.model,
                            .simulated_loss = one.simulated});
    }
    for (const IdentifiedMachine& machine : set.machines) {
        if (machines.size() < set.machines.size()) {
            machines.push_back(machine);
        }
    }
    set.machines = std::move(machines);
}

} // namespace texelscope::workbench::machines
