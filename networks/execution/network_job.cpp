#include "networks/execution/network_job.hpp"

#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "devices/jobs/driver_footprint.hpp"
#include "devices/kernels/nest_job.hpp"
#include "networks/plan/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace texelscope::networks {
namespace {

using codegen::Operand;
using devices::Job;

/// Collects what a job consists of.
class JobParts {
public:
    JobParts(const Plan& plan, const MemoryPlan& memory, const TensorNumbers& inputs, codegen::TexelBackend backend)
        : plan_(plan), memory_(memory), inputs_(inputs), backend_(backend)
    {}

    void add(const PlannedKernel& planned)
    {
        devices::JobStep step;
        const codegen::LoopNest& nest = planned.nest;
        std::string text = opencl_text(nest, backend_);
        const auto [known, added] = programs_.try_emplace(text, static_cast<int>(job.programs.size()));
        if (added) {
            job.programs.push_back(std::move(text));
        }
        step.program = known->second;
        step.kernel = nest.name;
        for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
            step.arguments.push_back(input(planned.kernel, i, nest.inputs[i]));
        }
        step.arguments.push_back(output(planned.kernel.output, nest.output));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            step.local[axis] = nest.local[axis];
            step.global[axis] = std::int64_t{nest.groups[axis]} * nest.local[axis];
        }
        job.steps.push_back(std::move(step));
    }

    /// The argument that holds a value; -1: none does.
    [[nodiscard]] int argument_of(ValueId value) const
    {
        const auto found = memories_.find(value);
        return found == memories_.end() ? -1 : found->second;
    }

    Job job;

private:
    int add_memory(const Operand& operand, const std::vector<float>& numbers, bool written)
    {
        job.arguments.push_back(devices::argument_of(operand, codegen::pack(operand, numbers), written, backend_));
        return static_cast<int>(job.arguments.size()) - 1;
    }

    int input(const NodeKernel& kernel, std::size_t i, const Operand& operand)
    {
        const ValueId value = kernel.inputs[i];
        if (value == no_value) {
            return add_memory(operand, kernel.made.at(i), false);
        }
        if (const auto constant = plan_.graph.constants.find(value); constant != plan_.graph.constants.end()) {
            return add_memory(operand, constant->second, false);
        }
        if (const int known = argument_of(value); known >= 0) {
            return known;
        }
        const auto given = inputs_.find(value);
        if (given == inputs_.end() || std::ssize(given->second) != operand.tensor.size()) {
            throw bad_input(
                fmt::format("input {} takes {} numbers", plan_.graph.value(value).name, operand.tensor.size()),
                plan_.graph.name);
        }
        return memories_[value] = add_memory(operand, given->second, false);
    }

    int output(ValueId value, const Operand& operand)
    {
        if (const int known = argument_of(value); known >= 0) { // another kernel makes another part
            return known;
        }
        const int slot = memory_.slot_of[static_cast<std::size_t>(value)];
        const auto [found, added] = slots_.try_emplace(slot, 0);
        if (added) {
            const std::vector<float> nothing(static_cast<std::size_t>(operand.tensor.size()),
                                             std::numeric_limits<float>::quiet_NaN());
            found->second = add_memory(operand, nothing, true);
        }
        return memories_[value] = found->second;
    }

    const Plan& plan_;
    const MemoryPlan& memory_;
    const TensorNumbers& inputs_;
    codegen::TexelBackend backend_;
    std::map<std::string, int> programs_;
    std::map<ValueId, int> memories_; ///< arguments
    std::map<int, int> slots_;        ///< arguments, too
};

/// Where each value that a kernel makes lies.
std::map<ValueId, const Operand*> operands_of(const Plan& plan)
{
    std::map<ValueId, const Operand*> operands;
    for (const PlannedKernel& each : plan.kernels) {
        operands.try_emplace(each.kernel.output, &each.nest.output);
    }
    return operands;
}

/// Those to keep that a kernel makes: inputs and constants come back from nowhere.
std::vector<ValueId> kept(const Plan& plan, const NetworkRunOptions& options)
{
    const auto operands = operands_of(plan);
    std::vector<ValueId> values;
    std::ranges::copy_if(options.keep, std::back_inserter(values),
                         [&](ValueId value) { return operands.contains(value); });
    return values;
}

} // namespace

Job network_job(const Plan& plan, const TensorNumbers& inputs, codegen::TexelBackend backend,
                const devices::OpenClDeviceInfo& device, const NetworkRunOptions& options)
{
    const std::set<ValueId> outputs(plan.graph.outputs.begin(), plan.graph.outputs.end());
    const bool share = std::ranges::all_of(options.keep, [&](ValueId value) { return outputs.contains(value); });
    const MemoryPlan memory = memory_plan(plan, share);
    JobParts parts(plan, memory, inputs, backend);
    for (const PlannedKernel& planned : plan.kernels) {
        parts.add(planned);
    }
    Job job = std::move(parts.job);
    job.name = plan.graph.name;
    job.options = devices::telling_build_options(device.vendor);
    job.warm_up = options.warm_up;
    job.samples = options.samples;
    job.budget_seconds = options.budget_seconds;
    job.timeout_seconds = options.timeout_seconds;
    for (const ValueId value : kept(plan, options)) {
        job.outputs.push_back(parts.argument_of(value));
    }
    return job;
}

TensorNumbers kept_values(const Plan& plan, const NetworkRunOptions& options, const devices::JobResult& result)
{
    const auto operands = operands_of(plan);
    TensorNumbers numbers;
    const std::vector<ValueId> values = kept(plan, options);
    for (std::size_t i = 0; i < values.size() && i < result.outputs.size(); ++i) {
        const Operand& operand = *operands.at(values[i]);
        std::vector<float> texels = devices::stored_texels(operand.storage, result.outputs[i]);
        texels.resize(static_cast<std::size_t>(operand.image.extent.area() * 4)); // its memory may be larger
        numbers[values[i]] = codegen::unpack(operand, texels);
    }
    return numbers;
}

} // namespace texelscope::networks
