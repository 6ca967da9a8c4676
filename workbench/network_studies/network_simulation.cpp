#include "workbench/network_studies/network_simulation.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "networks/plan/memory_plan.hpp"
#include "sim/memory/image_storage.hpp"
#include "sim/sampled_time.hpp"
#include "sim/simulate_next.hpp"
#include "traces/launch_source.hpp"
#include "workbench/network_studies/network_prediction.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace texelscope::workbench::network_studies {
// Kernels run one after the other, so each finds in L2 what those before it left. For that, tensors
// need addresses (Placement), and a kernel's writes are put into the memory after it
// (SequenceMemory).
namespace {

using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;
using sim::SequenceMemory;
using sim::StoredImage;
using sim::TexelBox;

/// The image that a kernel writes, as the next kernel will read it.
Image output_image(const LoopNest& nest)
{
    Image image = nest.output.image;
    image.buffer = nest.output.memory == Memory::buffer;
    return image;
}

/// The addresses of all tensors of a network in one memory: slots first, then weights and inputs.
class Placement {
public:
    Placement(const Plan& plan, const std::vector<LoopNest>& nests, const DeviceProfile& device)
        : options_(device.simulation), memory_(networks::memory_plan(plan))
    {
        std::vector<std::int64_t> slots(memory_.slot_sizes.size(), 0);
        for (std::size_t k = 0; k < nests.size(); ++k) {
            const ValueId made = plan.kernels[k].kernel.output;
            if (slot_of(made) >= 0) {
                std::int64_t& slot = slots[static_cast<std::size_t>(slot_of(made))];
                slot = std::max(slot, offset_of(made) + bytes_of(output_image(nests[k])));
            }
        }
        for (const std::int64_t bytes : slots) {
            slots_.push_back(take(bytes));
        }
        for (std::size_t k = 0; k < nests.size(); ++k) {
            std::vector<std::int64_t>& bases = inputs_.emplace_back();
            for (std::size_t i = 0; i < nests[k].inputs.size(); ++i) {
                bases.push_back(
                    input(plan.graph, plan.kernels[k].kernel.inputs[i], nests[k].inputs[i].image));
            }
            const ValueId made = plan.kernels[k].kernel.output;
            outputs_.push_back(slot_of(made) >= 0
                                   ? address_of(made)
                                   : carried(plan.graph, made, output_image(nests[k])));
        }
    }

    [[nodiscard]] Bytes size() const { return Bytes{end_}; }
    [[nodiscard]] const networks::MemoryPlan& memory() const { return memory_; }
    /// By input of a kernel: its address.
    [[nodiscard]] const std::vector<std::int64_t>& inputs(std::size_t kernel) const
    {
        return inputs_[kernel];
    }
    /// The image that a kernel makes, at its address.
    [[nodiscard]] StoredImage output(std::size_t kernel, const Image& image) const
    {
        return store_images({&image, 1}, options_, {&outputs_[kernel], 1}).front();
    }

private:
    [[nodiscard]] int slot_of(ValueId value) const
    {
        return memory_.slot_of[static_cast<std::size_t>(value)];
    }
    [[nodiscard]] std::int64_t offset_of(ValueId value) const
    {
        return memory_.offset_of[static_cast<std::size_t>(value)];
    }
    [[nodiscard]] std::int64_t address_of(ValueId value) const
    {
        return slots_[static_cast<std::size_t>(slot_of(value))] + offset_of(value);
    }
    [[nodiscard]] std::int64_t bytes_of(const Image& image) const
    {
        return storage_size(store_images({&image, 1}, options_)).value;
    }
    std::int64_t take(std::int64_t bytes) { return std::exchange(end_, end_ + bytes); }

    std::int64_t input(const networks::Graph& graph, ValueId value, const Image& image)
    {
        const bool made = value != networks::no_value && slot_of(value) >= 0;
        const bool weights = value == networks::no_value || graph.constants.contains(value);
        if (made) {
            return address_of(value);
        }
        if (weights) { // each kernel has them as it reads them
            return take(bytes_of(image));
        }
        return own(given_, networks::place_of(graph, value), image);
    }

    /// The new value of a carried input lies where the input does, or in its second memory, which
    /// then changes places with the first.
    std::int64_t carried(const networks::Graph& graph, ValueId value, const Image& image)
    {
        const ValueId place = networks::place_of(graph, value);
        std::int64_t& here = own(given_, place, image);
        if (memory_.twin[static_cast<std::size_t>(place)]) {
            std::swap(here, own(twins_, place, image));
        }
        return here;
    }

    /// The address of a value with memory of its own, which is taken when it is first asked for.
    std::int64_t& own(std::map<ValueId, std::int64_t>& addresses, ValueId value, const Image& image)
    {
        const auto [found, added] = addresses.try_emplace(value, 0);
        if (added) {
            found->second = take(bytes_of(image));
        }
        return found->second;
    }

    const SimulationOptions& options_;
    networks::MemoryPlan memory_;
    std::vector<std::int64_t> slots_;
    std::vector<std::vector<std::int64_t>> inputs_;
    std::vector<std::int64_t> outputs_;
    std::map<ValueId, std::int64_t> given_; ///< by the caller
    /// Second memories of what the caller gave (MemoryPlan::twin).
    std::map<ValueId, std::int64_t> twins_;
    std::int64_t end_ = 0;
};

/// Widens the box by all texels that the statements write.
void widen(std::optional<std::pair<Range, Range>>& box,
           const std::vector<codegen::NestStatement>& statements)
{
    for (const codegen::NestStatement& statement : statements) {
        if (const auto* loop = std::get_if<codegen::NestLoop>(&statement)) {
            widen(box, loop->body);
        } else if (const auto* write = std::get_if<codegen::NestWrite>(&statement)) {
            const Range x = write->x.bounds();
            const Range y = write->y.bounds();
            box =
                box ? std::pair(
                          Range{std::min(box->first.min, x.min), std::max(box->first.max, x.max)},
                          Range{std::min(box->second.min, y.min), std::max(box->second.max, y.max)})
                    : std::pair(x, y);
        }
    }
}

/// The texels that a kernel writes, cut at the image's sides: a box around them.
TexelBox written_box(const LoopNest& nest)
{
    std::optional<std::pair<Range, Range>> box;
    widen(box, nest.body);
    widen(box, nest.epilogue);
    const Extent2D extent = nest.output.image.extent;
    const auto cut = [](std::int64_t value, std::int32_t end) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, end));
    };
    TexelBox written{{cut(box->first.min, extent.width), cut(box->second.min, extent.height)}, {}};
    written.extent = {cut(box->first.max + 1, extent.width) - written.first.x,
                      cut(box->second.max + 1, extent.height) - written.first.y};
    return written;
}

/// Adds times to `kernel`: simulates a sample of that many warp accesses (0: all), starting from
/// what is in the memory.
void add_time(SimulatedKernel& kernel, const traces::Launch& launch,
              const SimulationOptions& options, std::int64_t most_accesses,
              const SequenceMemory& before, const StopToken& stop)
{
    const std::int64_t all = std::numeric_limits<std::int64_t>::max();
    sim::SampledTime sampled =
        sampled_time(launch, options, most_accesses == 0 ? all : most_accesses, stop, &before);
    kernel.time = sampled.time;
    kernel.simulated_share = static_cast<double>(sampled.simulated_accesses) /
                             static_cast<double>(std::max<std::int64_t>(sampled.accesses, 1));
    kernel.stalls = std::move(sampled.stalls);
}

/// `most_accesses`: nothing if hits and misses are enough, without times.
std::vector<SimulatedKernel> simulated(const Plan& plan, const DeviceProfile& device,
                                       std::optional<std::int64_t> most_accesses,
                                       const Progress& progress, const StopToken& stop)
{
    std::vector<LoopNest> nests;
    for (const PlannedKernel& planned : plan.kernels) {
        nests.push_back(buffers_as_rows(planned.nest));
    }
    const Placement placement(plan, nests, device);
    SequenceMemory memory{placement.size(), {}, {}};
    std::vector<SimulatedKernel> kernels;
    for (std::size_t k = 0; k < nests.size(); ++k) {
        tell(progress, "simulating kernels", k, nests.size());
        SimulatedKernel& kernel = kernels.emplace_back();
        const LoopNest& nest = nests[k];
        memory.bases = placement.inputs(k);
        const StoredImage made = placement.output(k, output_image(nest));
        Nanoseconds clearing{0};
        if (placement.memory().clears_before(plan, k)) {
            clearing = clearing_time(plan.kernels[k].nest.output, device);
            sim::store(memory, device.simulation, made, {{0, 0}, made.extent});
        }
        try {
            SimulationOptions options = options_for(nest, device);
            const traces::Launch launch = launch_of(nest);
            // The timed simulation starts from the same memory as the untimed one, which changes
            // it.
            const SequenceMemory before = memory;
            options.mode.timed = false;
            const SimulationResult counted =
                simulate_next(*make_trace_source(launch), options, memory, stop);
            kernel.l1 = counted.l1;
            kernel.l2 = counted.l2();
            if (most_accesses) {
                add_time(kernel, launch, options, *most_accesses, before, stop);
                kernel.time = *kernel.time + clearing;
            }
        } catch (const Error& error) { // the device has no room for it, or its profile no price
            kernel.why_not = error.what();
        }
        sim::store(memory, device.simulation, made, written_box(nest));
    }
    return kernels;
}

} // namespace

SimulatedKernel simulated_alone(const LoopNest& nest, const std::vector<bool>& made,
                                const DeviceProfile& device, std::int64_t most_accesses,
                                const StopToken& stop)
{
    const LoopNest rows = buffers_as_rows(nest);
    SimulatedKernel kernel;
    try {
        SimulationOptions options = options_for(rows, device);
        options.mode.timed = false;
        const traces::Launch launch = launch_of(rows);
        std::vector<Image> images;
        for (const codegen::Operand& input : rows.inputs) {
            images.push_back(input.image);
        }
        const std::vector<StoredImage> stored = store_images(images, device.simulation);
        SequenceMemory memory{storage_size(stored), {}, {}};
        for (std::size_t i = 0; i < stored.size(); ++i) {
            memory.bases.push_back(stored[i].base);
            if (made[i]) {
                sim::store(memory, device.simulation, stored[i], {{0, 0}, images[i].extent});
            }
        }
        add_time(kernel, launch, options, most_accesses, memory, stop);
    } catch (const Error& error) {
        kernel.why_not = error.what();
    }
    return kernel;
}

std::vector<SimulatedKernel> count_network(const Plan& plan, const DeviceProfile& device,
                                           const Progress& progress, const StopToken& stop)
{
    return simulated(plan, device, std::nullopt, progress, stop);
}

std::vector<SimulatedKernel> simulate_network(const Plan& plan, const DeviceProfile& device,
                                              std::int64_t most_accesses, const Progress& progress,
                                              const StopToken& stop)
{
    return simulated(plan, device, most_accesses, progress, stop);
}

} // namespace texelscope::workbench::network_studies
