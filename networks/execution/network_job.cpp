#include "networks/execution/network_job.hpp"

#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/jobs/driver_footprint.hpp"
#include "devices/kernels/nest_job.hpp"
#include "networks/plan/carried.hpp"
#include "networks/plan/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace texelscope::networks {
namespace {

using codegen::Operand;
using devices::Job;

constexpr const char* clear_image = "clear_image";
constexpr const char* clear_buffer = "clear_buffer";

constexpr const char* clear_image_text = R"(kernel void clear_image(write_only image2d_t image)
{
    const int2 texel = (int2)(get_global_id(0), get_global_id(1));
    if (texel.x < get_image_width(image)) {
        write_imagef(image, texel, (float4)(0.0f));
    }
}
)";

constexpr const char* clear_buffer_text = R"(kernel void clear_buffer(global uint2 *buffer)
{
    buffer[get_global_id(0)] = (uint2)(0u);
}
)";

/// NaN in float32 and in half precision alike (all bits set): an element that no kernel writes is
/// noticed by it.
constexpr std::byte no_number{0xFF};

/// Collects the arguments and steps of a network's job: add() once for each kernel, in the order of
/// running. An argument is a piece of memory on the device; values that share memory share its
/// number.
class JobParts {
public:
    /// `arena` says that all values lie in one buffer.
    JobParts(const Plan& plan, const MemoryPlan& memory, bool arena, const TensorNumbers& inputs,
             codegen::TexelBackend backend)
        : plan_(plan), memory_(memory), share_arena_(arena), inputs_(inputs), backend_(backend)
    {}

    void add(const PlannedKernel& planned)
    {
        const bool first = argument_of(planned.kernel.output) < 0;
        devices::JobStep step;
        const codegen::LoopNest& nest = planned.nest;
        step.program = program(opencl_text(nest, backend_));
        step.kernel = nest.name;
        for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
            step.arguments.push_back(input(planned.kernel, i, nest.inputs[i]));
        }
        step.every = planned.every;
        // Only the first kernel that makes a part of a value clears its memory.
        step.arguments.push_back(output(planned, nest.output));
        if (first && !is_carried(plan_.graph, planned.kernel.output) &&
            memory_.cleared[static_cast<std::size_t>(planned.kernel.output)]) {
            job.steps.push_back(clearing(step.arguments.back()));
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            step.local[axis] = nest.local[axis];
            step.global[axis] = std::int64_t{nest.groups[axis]} * nest.local[axis];
        }
        job.steps.push_back(std::move(step));
    }

    /// Number of the argument that holds a value at the end of each run. With a second memory, the
    /// two are exchanged after a run, and it is the first that holds the newest.
    [[nodiscard]] int lasting_argument_of(ValueId value) const
    {
        const auto twin = twins_.find(place_of(plan_.graph, value));
        return twin == twins_.end() ? argument_of(value) : twin->second.first;
    }

    /// Numbers of an input for each run in turn.
    void feed(ValueId value, const std::vector<std::vector<float>>& numbers, const Operand& operand)
    {
        devices::JobFeed feed{argument_of(value), {}};
        for (const std::vector<float>& each : numbers) {
            feed.contents.push_back(
                devices::stored_bytes(operand.storage, codegen::pack(operand, each)));
        }
        job.feeds.push_back(std::move(feed));
    }

    /// Number of the argument that holds a value; -1 if none does.
    [[nodiscard]] int argument_of(ValueId value) const
    {
        const auto found = memories_.find(place_of(plan_.graph, value));
        return found == memories_.end() ? -1 : found->second;
    }

    Job job;

private:
    /// The number of a text among the programs; the same text is built once.
    int program(std::string text)
    {
        const auto [known, added] =
            programs_.try_emplace(text, static_cast<int>(job.programs.size()));
        if (added) {
            job.programs.push_back(std::move(text));
        }
        return known->second;
    }

    /// A step that writes zeros over an image, or over a buffer 8 bytes at a time.
    devices::JobStep clearing(int argument)
    {
        devices::JobStep step;
        step.arguments = {argument};
        if (const auto* image = std::get_if<devices::JobImage>(
                &job.arguments[static_cast<std::size_t>(argument)])) {
            step.kernel = clear_image;
            step.program = program(clear_image_text);
            step.local = {std::min<std::int64_t>(image->width, 64), 1, 1};
            step.global = {codegen::ceil_div(image->width, step.local[0]) * step.local[0],
                           image->height, 1};
        } else {
            step.kernel = clear_buffer;
            step.program = program(clear_buffer_text);
            step.global[0] =
                devices::memory_bytes(job.arguments[static_cast<std::size_t>(argument)]) / 8;
            step.local[0] = std::gcd(step.global[0], std::int64_t{64});
        }
        return step;
    }

    /// Adds a value that lies in the arena. Its memory is a part of the arena's buffer, so its
    /// first contents are copied there, row by row, unless a step clears it before it is made.
    int add_part(ValueId value, const Operand& operand)
    {
        if (arena_ < 0) {
            const std::int64_t bytes = memory_.slot_sizes.front();
            job.arguments.emplace_back(devices::JobBuffer{
                bytes, true, std::vector<std::byte>(static_cast<std::size_t>(bytes), no_number)});
            arena_ = static_cast<int>(job.arguments.size()) - 1;
        }
        const std::vector<float> nothing(static_cast<std::size_t>(operand.tensor.size()),
                                         std::numeric_limits<float>::quiet_NaN());
        const int argument = add_memory(operand, nothing, true);
        const std::int64_t offset = memory_.offset_of[static_cast<std::size_t>(value)];
        std::vector<std::byte>& all =
            std::get<devices::JobBuffer>(job.arguments[static_cast<std::size_t>(arena_)]).contents;
        const auto place = [&](auto& memory, std::int64_t rows) {
            const std::int64_t row = std::ssize(memory.contents) / rows;
            const std::int64_t stored_row = stored_size(operand) / rows;
            for (std::int64_t y = 0; y < rows && !memory_.cleared[static_cast<std::size_t>(value)];
                 ++y) {
                std::copy_n(memory.contents.begin() + y * row, row,
                            all.begin() + offset + y * stored_row);
            }
            memory.contents.clear();
            memory.part = devices::JobPart{arena_, offset};
            return stored_row - row;
        };
        devices::JobArgument& added = job.arguments[static_cast<std::size_t>(argument)];
        if (auto* image = std::get_if<devices::JobImage>(&added)) {
            image->row_padding = place(*image, image->height);
        } else {
            place(std::get<devices::JobBuffer>(added), 1);
        }
        return argument;
    }

    int add_memory(const Operand& operand, const std::vector<float>& numbers, bool written)
    {
        job.arguments.push_back(
            devices::argument_of(operand, codegen::pack(operand, numbers), written, backend_));
        return static_cast<int>(job.arguments.size()) - 1;
    }

    int input(const NodeKernel& kernel, std::size_t i, const Operand& operand)
    {
        const ValueId value = kernel.inputs[i];
        if (value == no_value) {
            return add_memory(operand, kernel.made.at(i), false);
        }
        if (const auto constant = plan_.graph.constants.find(value);
            constant != plan_.graph.constants.end()) {
            return add_memory(operand, constant->second, false);
        }
        if (const int known = argument_of(value); known >= 0) {
            return known;
        }
        return given(value, operand);
    }

    /// Adds the memory of an input of the network.
    int given(ValueId value, const Operand& operand)
    {
        const auto found = inputs_.find(value);
        if (found == inputs_.end() || std::ssize(found->second) != operand.tensor.size()) {
            throw bad_input(fmt::format("input {} takes {} numbers", plan_.graph.value(value).name,
                                        operand.tensor.size()),
                            plan_.graph.name);
        }
        const bool replaced = std::ranges::count(plan_.graph.carried, value, &Carried::input) > 0;
        return memories_[value] = add_memory(operand, found->second, replaced);
    }

    /// Adds the value that replaces an input: in the input's own memory, or in a second one that is
    /// exchanged with it after the run.
    int carried(const PlannedKernel& planned, const Operand& operand)
    {
        const ValueId place = place_of(plan_.graph, planned.kernel.output);
        const int here = argument_of(place) >= 0 ? argument_of(place) : given(place, operand);
        if (!memory_.twin[static_cast<std::size_t>(place)]) {
            return here;
        }
        const auto [twin, added] = twins_.try_emplace(place, std::pair(here, -1));
        if (added) {
            twin->second.second = add_memory(operand, inputs_.at(place), true);
        }
        const auto [first, second] = twin->second;
        job.swaps.push_back({first, second, planned.every});
        return memories_[place] = here == first ? second : first;
    }

    int output(const PlannedKernel& planned, const Operand& operand)
    {
        const ValueId value = planned.kernel.output;
        if (is_carried(plan_.graph, value)) {
            return carried(planned, operand);
        }
        if (const int known = argument_of(value); known >= 0) { // another kernel makes another part
            return known;
        }
        if (const ValueId place = memory_.lies_at[static_cast<std::size_t>(value)];
            place != value) {
            return memories_[value] = memories_.at(place);
        }
        if (share_arena_) {
            return memories_[value] = add_part(value, operand);
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
    bool share_arena_;
    int arena_ = -1; ///< number of the argument that is the arena
    const TensorNumbers& inputs_;
    codegen::TexelBackend backend_;
    std::map<std::string, int> programs_;
    std::map<ValueId, int> memories_; ///< by value, the number of the argument that holds it
    std::map<int, int> slots_;        ///< by slot, the number of its argument
    /// The two arguments of a carried input with a second memory.
    std::map<ValueId, std::pair<int, int>> twins_;
};

/// How each value lies that is an input or that a kernel makes.
std::map<ValueId, const Operand*> operands_of(const Plan& plan)
{
    std::map<ValueId, const Operand*> operands;
    for (const PlannedKernel& each : plan.kernels) {
        operands.try_emplace(each.kernel.output, &each.nest.output);
        operands.try_emplace(place_of(plan.graph, each.kernel.output), &each.nest.output);
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            if (std::ranges::count(plan.graph.inputs, each.kernel.inputs[i]) > 0) {
                operands.try_emplace(each.kernel.inputs[i], &each.nest.inputs[i]);
            }
        }
    }
    return operands;
}

std::vector<float> numbers_in(const Operand& operand, std::vector<std::byte> contents)
{
    std::vector<float> texels = devices::stored_texels(operand.storage, contents);
    // the memory may be that of a larger value
    texels.resize(static_cast<std::size_t>(operand.image.extent.area() * 4));
    return codegen::unpack(operand, texels);
}

/// The values to keep that kernels make. Inputs and constants are not read back.
std::vector<ValueId> kept(const Plan& plan, const NetworkRunOptions& options)
{
    const auto operands = operands_of(plan);
    std::vector<ValueId> values;
    std::ranges::copy_if(options.keep, std::back_inserter(values), [&](ValueId value) {
        const bool given = std::ranges::count(plan.graph.inputs, value) > 0;
        const bool replaced = std::ranges::count(plan.graph.carried, value, &Carried::input) > 0;
        return operands.contains(value) && (!given || replaced);
    });
    return values;
}

} // namespace

Job network_job(const Plan& plan, const TensorNumbers& inputs, codegen::TexelBackend backend,
                const devices::OpenClDeviceInfo& device, const NetworkRunOptions& options)
{
    const std::set<ValueId> outputs(plan.graph.outputs.begin(), plan.graph.outputs.end());
    const auto lasts = [&](ValueId value) {
        return outputs.contains(value) || std::ranges::count(plan.graph.inputs, value) > 0;
    };
    const bool share =
        std::ranges::all_of(options.keep, lasts) && std::ranges::all_of(options.fetch, lasts);
    const MemoryPlan memory = memory_plan(plan, share);
    JobParts parts(plan, memory, share && plan.arena, inputs, backend);
    for (const PlannedKernel& planned : plan.kernels) {
        parts.add(planned);
    }
    const auto operands = operands_of(plan);
    for (const auto& [input, numbers] : options.feeds) {
        if (parts.argument_of(input) >= 0) { // a kernel reads it
            parts.feed(input, numbers, *operands.at(input));
        }
    }
    Job job = std::move(parts.job);
    job.name = plan.graph.name;
    job.options = devices::telling_build_options(device.vendor);
    // Runs that continue from each other must be exactly as many as asked for: a warm-up would
    // train.
    const bool going_on = !plan.graph.carried.empty();
    job.warm_up = going_on ? 0 : options.warm_up;
    job.samples = options.samples;
    job.budget_seconds = going_on ? 0 : options.budget_seconds;
    job.timeout_seconds = options.timeout_seconds;
    for (const ValueId value : kept(plan, options)) {
        job.outputs.push_back(parts.lasting_argument_of(value));
    }
    for (const ValueId value : options.fetch) {
        job.fetches.push_back(parts.lasting_argument_of(value));
    }
    return job;
}

bool is_clearing(const devices::JobStep& step)
{
    return step.kernel == clear_image || step.kernel == clear_buffer;
}

TensorNumbers kept_values(const Plan& plan, const NetworkRunOptions& options,
                          const devices::JobResult& result)
{
    const auto operands = operands_of(plan);
    TensorNumbers numbers;
    const std::vector<ValueId> values = kept(plan, options);
    for (std::size_t i = 0; i < values.size() && i < result.outputs.size(); ++i) {
        numbers[values[i]] = numbers_in(*operands.at(values[i]), result.outputs[i]);
    }
    return numbers;
}

std::map<ValueId, std::vector<std::vector<float>>>
fetched_values(const Plan& plan, const NetworkRunOptions& options, const devices::JobResult& result)
{
    const auto operands = operands_of(plan);
    std::map<ValueId, std::vector<std::vector<float>>> numbers;
    for (std::size_t i = 0; i < options.fetch.size() && i < result.fetched.size(); ++i) {
        const std::vector<std::byte>& all = result.fetched[i];
        const std::ptrdiff_t bytes = std::ssize(all) / std::ssize(result.kernel_ns);
        for (auto run = all.begin(); run != all.end(); run += bytes) {
            numbers[options.fetch[i]].push_back(
                numbers_in(*operands.at(options.fetch[i]), {run, run + bytes}));
        }
    }
    return numbers;
}

} // namespace texelscope::networks
