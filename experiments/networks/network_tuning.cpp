#include "experiments/networks/network_tuning.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/text/kernel_source.hpp"
#include "experiments/networks/network_simulation.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace texelscope::experiments {
namespace {

using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

std::vector<std::vector<float>> drawn_texels(const LoopNest& nest)
{
    std::vector<std::vector<float>> packed;
    std::mt19937_64 random(1);
    for (const Operand& input : nest.inputs) {
        std::vector<float> numbers;
        for (std::int64_t i = 0; i < input.tensor.size(); ++i) {
            numbers.push_back(static_cast<float>(2 * base::uniform_real(random) - 1));
        }
        packed.push_back(codegen::pack(input, numbers));
    }
    return packed;
}

/// Weights in training are from the run before.
bool made_just_before(const Plan& plan, ValueId value)
{
    const bool lasts = std::ranges::count(plan.graph.inputs, value) > 0 &&
                       std::ranges::count(plan.graph.carried, value, &networks::Carried::input) > 0;
    return networks::is_made(plan, value) && !lasts;
}

/// Chooses among timed candidates: of each kernel one, so that all who read a value have it in one layout.
class TimedCandidates {
public:
    explicit TimedCandidates(const Plan& plan) : kernels_(plan.kernels.size())
    {
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const std::vector<ValueId>& inputs = plan.kernels[k].kernel.inputs;
            kernels_[k].share = plan.kernels[k].share();
            for (const ValueId input : inputs) {
                kernels_[k].inputs.push_back(networks::place_of(plan.graph, input));
                if (networks::is_made(plan, input)) {
                    const ValueId place = networks::place_of(plan.graph, input);
                    std::vector<std::size_t>& readers = readers_[place];
                    readers.push_back(k);
                    layouts_[place] = *networks::open_layouts(plan, plan.kernels[k].kernel)[static_cast<std::size_t>(
                        std::ranges::find(inputs, input) - inputs.begin())];
                }
            }
        }
        std::erase_if(readers_, [](const auto& each) { return each.second.size() == 1; });
    }

    void add(std::size_t kernel, const PricedKernel& candidate, double ns)
    {
        kernels_[kernel].candidates.push_back({&candidate, ns});
    }

    /// Descent over the layouts of values that several kernels read.
    void choose_layouts()
    {
        constexpr int rounds = 3;
        bool changed = true;
        for (int round = 0; round < rounds && changed; ++round) {
            changed = false;
            for (const auto& [value, readers] : readers_) {
                changed = choose(value, readers) || changed;
            }
        }
    }

    /// The fastest of a kernel in the layouts that were chosen; of equals the first; null where there is none.
    [[nodiscard]] const PricedKernel* fastest(std::size_t kernel) const
    {
        const Timed* best = nullptr;
        for (const Timed& each : kernels_[kernel].candidates) {
            if (fits(kernels_[kernel], *each.candidate) && (best == nullptr || each.ns < best->ns)) {
                best = &each;
            }
        }
        return best == nullptr ? nullptr : best->candidate;
    }

private:
    struct Timed {
        const PricedKernel* candidate = nullptr;
        double ns = 0;
    };
    struct Kernel {
        std::vector<ValueId> inputs; ///< the places of them
        double share = 1;
        std::vector<Timed> candidates;
    };

    [[nodiscard]] bool fits(const Kernel& kernel, const PricedKernel& candidate) const
    {
        for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
            if (readers_.contains(kernel.inputs[i]) && candidate.point.layouts[i] != layouts_.at(kernel.inputs[i])) {
                return false;
            }
        }
        return true;
    }
    [[nodiscard]] double time(const std::vector<std::size_t>& kernels) const
    {
        double sum = 0;
        for (const std::size_t k : kernels) {
            double least = no_cost;
            for (const Timed& each : kernels_[k].candidates) {
                least = fits(kernels_[k], *each.candidate) ? std::min(least, each.ns) : least;
            }
            sum += kernels_[k].share * least;
        }
        return sum;
    }
    bool choose(ValueId value, const std::vector<std::size_t>& readers)
    {
        const codegen::TensorLayout before = layouts_.at(value);
        codegen::TensorLayout best = before;
        double least = time(readers);
        const Kernel& first = kernels_[readers.front()]; // what one reader has no candidate for cannot be
        const auto input = static_cast<std::size_t>(std::ranges::find(first.inputs, value) - first.inputs.begin());
        for (const Timed& each : first.candidates) {
            layouts_[value] = *each.candidate->point.layouts[input];
            if (const double sum = time(readers); sum < least) {
                least = sum;
                best = layouts_[value];
            }
        }
        layouts_[value] = best;
        return best != before;
    }

    std::vector<Kernel> kernels_;
    std::map<ValueId, std::vector<std::size_t>> readers_; ///< of values that several kernels read, or one several times
    std::map<ValueId, codegen::TensorLayout> layouts_;
};

} // namespace

KernelTimer time_on(const devices::OpenClDevice& device, int samples, const StopToken& stop)
{
    return [&device, samples, stop](const LoopNest& nest, const std::vector<bool>&) -> std::optional<double> {
        if (beyond_limits(device.info(), nest)) {
            return std::nullopt;
        }
        devices::RunOptions run;
        run.warm_up = 1;
        run.samples = samples;
        run.stop = stop;
        const devices::Measurement measured = device.run(nest, drawn_texels(nest), run);
        return measured.status == devices::Measurement::Status::ok ? std::optional(measured.median_ns()) : std::nullopt;
    };
}

KernelTimer time_on(const DeviceProfile& device, std::int64_t most_accesses, const StopToken& stop)
{
    return [&device, most_accesses, stop](const LoopNest& nest, const std::vector<bool>& made) {
        const SimulatedKernel kernel = simulated_alone(nest, made, device, most_accesses, stop);
        return kernel.time ? std::optional(kernel.time->value) : std::nullopt;
    };
}

std::vector<TunedKernel> tune_plan(PredictedPlan& planned, const KernelTimer& timer, const Progress& progress,
                                   const StopToken& stop)
{
    Plan& plan = planned.plan;
    std::map<std::string, std::optional<double>> known; // by what is timed
    std::vector<TunedKernel> tuned;
    TimedCandidates timed(plan);
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        tell(progress, "tuning kernels", k, plan.kernels.size());
        const PlannedKernel& each = plan.kernels[k];
        std::vector<bool> made;
        std::string inputs;
        for (const ValueId input : each.kernel.inputs) {
            made.push_back(made_just_before(plan, input));
            inputs += made.back() ? "made " : "given ";
        }
        std::vector<PricedKernel>& candidates = planned.candidates[k];
        candidates.insert(candidates.begin(),
                          {{each.schedule, networks::open_layouts(plan, each.kernel)}, planned.predicted[k].value});
        TunedKernel& kernel = tuned.emplace_back();
        for (const PricedKernel& candidate : candidates) {
            check_stop(stop);
            const LoopNest nest = each.kernel.op.nest(candidate.point.schedule, candidate.point.layouts);
            const auto [found, fresh] =
                known.try_emplace(inputs + opencl_text(nest, codegen::TexelBackend::native), std::nullopt);
            if (fresh) {
                found->second = timer(nest, made);
            }
            const std::optional<double> ns = found->second;
            if (!ns) {
                ++kernel.failed;
                continue;
            }
            timed.add(k, candidate, *ns);
            kernel.planned_ns = &candidate == &candidates.front() ? *ns : kernel.planned_ns;
            kernel.best_ns = kernel.timed++ == 0 ? *ns : std::min(kernel.best_ns, *ns);
        }
    }
    timed.choose_layouts();
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        PlannedKernel& kernel = plan.kernels[k];
        const PricedKernel* const chosen = timed.fastest(k);
        if (chosen == nullptr) {
            throw bad_input("no schedule of the kernel runs on the device", kernel.kernel.op.name);
        }
        kernel.schedule = chosen->point.schedule;
        for (std::size_t i = 0; i < kernel.kernel.inputs.size(); ++i) {
            if (const auto& layout = chosen->point.layouts[i]) {
                networks::layout_of(plan, kernel.kernel.inputs[i]) = layout;
            }
        }
        planned.predicted[k] = Nanoseconds{chosen->ns};
    }
    for (PlannedKernel& kernel : plan.kernels) {
        kernel.schedule = networks::noting(std::move(kernel.schedule), networks::given_layouts(plan, kernel.kernel));
    }
    networks::lower(plan);
    return tuned;
}

} // namespace texelscope::experiments
