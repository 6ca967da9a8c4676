#include "workbench/network_studies/network_tuning.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "workbench/network_studies/network_simulation.hpp"
#include "workbench/network_studies/timed_candidates.hpp"
#include "workbench/tuning/operator_timer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace texelscope::workbench::network_studies {
// Candidates are timed alone, not within the network, so that equal kernels need to be timed once.
namespace {

using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

/// Random numbers for every input, packed as the kernel reads them (seed 1).
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

/// Whether a value was made just before the kernel reads it, so that L2 may hold it. Weights in
/// training are from the run before.
bool made_just_before(const Plan& plan, ValueId value)
{
    const bool lasts = std::ranges::count(plan.graph.inputs, value) > 0 &&
                       std::ranges::count(plan.graph.carried, value, &networks::Carried::input) > 0;
    return networks::is_made(plan, value) && !lasts;
}

} // namespace

KernelTimer time_on(const devices::OpenClDevice& device, int samples, const StopToken& stop)
{
    KernelTimer timer;
    timer.key.judge = "device";
    timer.key.device = device.info().name;
    timer.key.driver = device.info().driver;
    timer.key.settings = fmt::format("kernels of networks, samples={}", samples);
    timer.time = [&device, samples, stop](const LoopNest& nest,
                                          const std::vector<bool>&) -> std::optional<double> {
        if (beyond_limits(device.info(), nest)) {
            return std::nullopt;
        }
        devices::RunOptions run;
        run.warm_up = 1;
        run.samples = samples;
        run.stop = stop;
        const devices::Measurement measured = device.run(nest, drawn_texels(nest), run);
        return measured.status == devices::RunStatus::ok ? std::optional(measured.median_ns())
                                                         : std::nullopt;
    };
    return timer;
}

KernelTimer time_on(const DeviceProfile& device, std::int64_t most_accesses, const StopToken& stop)
{
    KernelTimer timer;
    timer.key = simulator_timer(device, most_accesses, {}).key;
    timer.time = [&device, most_accesses, stop](const LoopNest& nest,
                                                const std::vector<bool>& made) {
        const SimulatedKernel kernel = simulated_alone(nest, made, device, most_accesses, stop);
        return kernel.time ? std::optional(kernel.time->value) : std::nullopt;
    };
    return timer;
}

KernelTimer remembering(KernelTimer timer, ResultStore& store, const std::string& program)
{
    ResultKey key = timer.key;
    key.program = program;
    const auto time = [judge = std::move(timer.time), key, &store](const LoopNest& nest,
                                                                   const std::vector<bool>& made) {
        StoredResult result;
        result.key = key;
        result.key.kernel = kernel_digest(nest, codegen::TexelBackend::native);
        result.key.settings = settings_digest(
            fmt::format("{}\nmade just before={}\n", key.settings, fmt::join(made, ",")));
        if (const auto known = store.find(result.key)) {
            return known->status == RunStatus::ok ? std::optional(known->median_ns())
                                                  : std::nullopt;
        }
        const std::optional<double> ns = judge(nest, made);
        result.op = nest.name;
        result.config = nest.schedule_text;
        result.timestamp = utc_timestamp();
        if (ns) {
            result.samples_ns = {*ns};
        } else {
            result.status = RunStatus::unsupported;
            result.reason = "it has no time there";
        }
        store.put(result);
        return ns;
    };
    return {time, std::move(key)};
}

std::vector<TunedKernel> tune_plan(PredictedPlan& planned, const DeviceProfile& device,
                                   const KernelTimer& timer, const Progress& progress,
                                   const StopToken& stop)
{
    Plan& plan = planned.plan;
    std::map<std::string, std::optional<double>> known; // by what is timed
    std::vector<TunedKernel> tuned(plan.kernels.size());
    const auto time_of = [&](std::size_t k, const KernelPoint& point) {
        check_stop(stop);
        const networks::NodeKernel& kernel = plan.kernels[k].kernel;
        const LoopNest nest = kernel.op.nest(point.schedule, point.layouts);
        std::vector<bool> made;
        std::string inputs;
        for (const ValueId input : kernel.inputs) {
            made.push_back(made_just_before(plan, input));
            inputs += made.back() ? "made " : "given ";
        }
        const auto [found, fresh] = known.try_emplace(
            inputs + opencl_text(nest, codegen::TexelBackend::native), std::nullopt);
        if (fresh) {
            found->second = timer.time(nest, made);
        }
        if (const std::optional<double>& ns = found->second) {
            tuned[k].best_ns = tuned[k].timed++ == 0 ? *ns : std::min(tuned[k].best_ns, *ns);
        } else {
            ++tuned[k].failed;
        }
        return found->second;
    };
    TimedCandidates timed(plan);
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        tell(progress, "tuning kernels", k, plan.kernels.size());
        const PlannedKernel& each = plan.kernels[k];
        const KernelPoint chosen{each.schedule, networks::open_layouts(plan, each.kernel)};
        if (const std::optional<double> ns = time_of(k, chosen)) {
            tuned[k].planned_ns = *ns;
            timed.add(k, chosen, *ns);
        }
        for (const PricedKernel& other : planned.candidates[k]) {
            if (const std::optional<double> ns = time_of(k, other.point)) {
                timed.add(k, other.point, *ns);
            }
        }
    }
    // A candidate that is timed anew elsewhere must be legal there, which the model's price tells.
    timed.choose_layouts([&](std::size_t k, const KernelPoint& point) -> std::optional<double> {
        return price_of(plan.kernels[k].kernel, point, device) < no_cost ? time_of(k, point)
                                                                         : std::nullopt;
    });
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        PlannedKernel& kernel = plan.kernels[k];
        const KernelPoint* const chosen = timed.fastest(k);
        if (chosen == nullptr) {
            throw bad_input("no schedule of the kernel runs on the device", kernel.kernel.op.name);
        }
        kernel.schedule = chosen->schedule;
        for (std::size_t i = 0; i < kernel.kernel.inputs.size(); ++i) {
            if (const auto& layout = chosen->layouts[i]) {
                networks::layout_of(plan, kernel.kernel.inputs[i]) = layout;
            }
        }
        planned.predicted[k] = Nanoseconds{price_of(kernel.kernel, *chosen, device)};
    }
    for (PlannedKernel& kernel : plan.kernels) {
        kernel.schedule = networks::noting(std::move(kernel.schedule),
                                           networks::given_layouts(plan, kernel.kernel));
    }
    networks::lower(plan);
    return tuned;
}

} // namespace texelscope::workbench::network_studies
