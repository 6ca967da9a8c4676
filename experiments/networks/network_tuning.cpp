#include "experiments/networks/network_tuning.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/text/kernel_source.hpp"
#include "experiments/networks/network_simulation.hpp"

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

struct Fastest {
    PricedKernel chosen;
    TunedKernel tuned;
};

/// Of equals the first.
Fastest fastest(const PlannedKernel& planned, const std::vector<bool>& made,
                const std::vector<PricedKernel>& candidates, const KernelTimer& timer, const StopToken& stop)
{
    Fastest found{candidates.front(), {}};
    for (const PricedKernel& candidate : candidates) {
        check_stop(stop);
        const auto ns = timer(planned.kernel.op.nest(candidate.point.schedule, candidate.point.layouts), made);
        if (!ns) {
            ++found.tuned.failed;
            continue;
        }
        if (&candidate == &candidates.front()) {
            found.tuned.planned_ns = *ns;
        }
        if (found.tuned.timed++ == 0 || *ns < found.tuned.best_ns) {
            found.tuned.best_ns = *ns;
            found.chosen = candidate;
        }
    }
    if (found.tuned.timed == 0) {
        throw bad_input("no schedule of the kernel runs on the device", planned.kernel.op.name);
    }
    return found;
}

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
    std::map<std::string, Fastest> known;
    std::vector<Fastest> chosen;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        tell(progress, "tuning kernels", k, plan.kernels.size());
        const PlannedKernel& each = plan.kernels[k];
        std::vector<PricedKernel> all{
            {{each.schedule, networks::open_layouts(plan, each.kernel)}, planned.predicted[k].value}};
        all.insert(all.end(), planned.candidates[k].begin(), planned.candidates[k].end());
        std::vector<bool> made;
        std::string key; // what would be timed
        for (const ValueId input : each.kernel.inputs) {
            made.push_back(networks::is_made(plan, input));
            key += made.back() ? "made " : "given ";
        }
        for (const PricedKernel& candidate : all) {
            key += opencl_text(each.kernel.op.nest(candidate.point.schedule, candidate.point.layouts),
                               codegen::TexelBackend::native);
        }
        auto found = known.find(key);
        if (found == known.end()) {
            found = known.emplace(key, fastest(each, made, all, timer, stop)).first;
        }
        chosen.push_back(found->second);
    }
    std::vector<TunedKernel> tuned;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        PlannedKernel& kernel = plan.kernels[k];
        kernel.schedule = chosen[k].chosen.point.schedule;
        for (std::size_t i = 0; i < kernel.kernel.inputs.size(); ++i) {
            if (const auto& layout = chosen[k].chosen.point.layouts[i]) {
                plan.layouts[static_cast<std::size_t>(kernel.kernel.inputs[i])] = layout;
            }
        }
        planned.predicted[k] = Nanoseconds{chosen[k].chosen.ns};
        tuned.push_back(chosen[k].tuned);
    }
    for (PlannedKernel& kernel : plan.kernels) {
        kernel.schedule = networks::noting(std::move(kernel.schedule), networks::given_layouts(plan, kernel.kernel));
    }
    networks::lower(plan);
    return tuned;
}

} // namespace texelscope::experiments
