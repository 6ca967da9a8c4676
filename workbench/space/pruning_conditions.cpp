#include "workbench/space/pruning_conditions.hpp"

#include "base/parallel.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"

#include <map>
#include <utility>

namespace texelscope::workbench::space {
namespace {

/// A group that gives the kernel the same registers: along an axis of several tiles any side does,
/// along one of a single tile it matters only whether the side is 1.
Dim3 representative(const Operator& op, const KernelChoice& kernel, const Dim3& group)
{
    if (kernel.stage > 0) {
        return group; // what a work-item copies depends on the whole group
    }
    Dim3 small{1, 1, 1};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t extent = axis < op.grid.extents.size() ? op.grid.extents[axis] : 1;
        const std::int64_t tile = axis < kernel.tile.size() ? kernel.tile[axis] : 1;
        const std::int64_t planes = axis == 2 ? op.grid.planes : 1;
        const bool one_tile = extent <= tile && planes == 1;
        small[axis] = one_tile && group[axis] > 1 ? 2 : 1;
    }
    return small;
}

/// The same text but for how a scalar is written, so the same footprint.
bool same_but_for_splat(KernelChoice a, const KernelChoice& b)
{
    a.splat = b.splat;
    return a == b;
}

/// Stores and loads of registers that found no room.
int spilled(const CompiledKernel& kernel)
{
    return kernel.spill_stores + kernel.spill_loads;
}

} // namespace

PruningLimits pruning_limits(const DeviceProfile& device)
{
    const SimulationOptions& options = device.simulation;
    const SimulationOptions defaults;
    PruningLimits limits;
    // A default is not knowledge: a limit only counts where the profile says it or differs from it.
    if (device.values.contains("l1.capacity") ||
        options.machine.l1().geometry.capacity != defaults.machine.l1().geometry.capacity) {
        limits.l1_bytes = options.machine.l1().geometry.capacity.value;
    }
    if (device.values.contains("warp.size") ||
        options.machine.warp_size != defaults.machine.warp_size) {
        limits.warp_size = options.machine.warp_size;
    }
    if (const auto registers = options.machine.registers_per_core) {
        limits.registers = *registers;
    }
    if (const auto lanes = options.machine.timing.alu_lanes) {
        limits.alus = *lanes;
    }
    limits.registers_per_item = device.limits.registers_per_item;
    limits.half = options.machine.timing.half_lanes.has_value();
    if (device.limits.buffer_l1) {
        limits.l1_for_textures_only = device.limits.buffer_l1->value == 0;
    }
    return limits;
}

KernelFootprint kernel_footprint(const LoopNest& nest, const DeviceProfile& device)
{
    KernelFootprint kernel = codegen::kernel_footprint(nest);
    if (device.compiler) {
        kernel.spilled = spilled(device.compiler->of(opencl_text(nest, TexelBackend::native)));
    }
    return kernel;
}

std::vector<Rejection> rejections(const LoopNest& nest, const Schedule& schedule,
                                  const DeviceProfile& device)
{
    const KernelFootprint kernel = kernel_footprint(nest, device);
    std::vector<Rejection> all;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        PruningOptions options;
        options.criteria = {criterion};
        if (auto rejection =
                prune(kernel, schedule.group, schedule.split, pruning_limits(device), options)) {
            all.push_back(std::move(*rejection));
        }
    }
    return all;
}

std::optional<std::string> spill_reason(const LoopNest& nest, const DeviceProfile& device)
{
    return codegen::spill_reason(kernel_footprint(nest, device), pruning_limits(device));
}

KernelFootprint kernel_footprint(const Operator& op, const KernelChoice& kernel, const Dim3& group)
{
    return kernel_footprint(
        loop_nest(op, schedule_of(kernel, {{1, 1}, representative(op, kernel, group)})));
}

SpaceFootprints::SpaceFootprints(const Operator& op, const ConfigurationSpace& space,
                                 const std::function<void(double)>& progress, const StopToken& stop)
    : op_(op)
{
    for (std::size_t k = 0; k < space.kernel_count(); ++k) {
        check_stop(stop);
        kernels_.push_back(space.kernel(k));
        if (k == 0 || !same_but_for_splat(kernels_[k - 1], kernels_[k])) {
            texts_.emplace_back();
        }
        text_.push_back(texts_.size() - 1);
        for (const GroupChoice& choice : space.groups(k)) {
            const Dim3 small = representative(op, kernels_[k], choice.group);
            if (!texts_.back().contains(small)) {
                texts_.back().emplace(small, kernel_footprint(op, kernels_[k], small));
            }
        }
        if (progress) {
            progress(static_cast<double>(k + 1) / static_cast<double>(space.kernel_count()));
        }
    }
}

// One kernel of each text is compiled, in the middle of its work-groups, and stands for all of
// them.
void SpaceFootprints::compile(const DeviceProfile& device, const ConfigurationSpace& space,
                              const StopToken& stop)
{
    std::vector<std::string> sources;
    std::vector<std::size_t> texts;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
        const std::span<const GroupChoice> groups = space.groups(k);
        if (groups.empty() || (!texts.empty() && texts.back() == text_[k])) {
            continue;
        }
        check_stop(stop);
        sources.push_back(
            opencl_text(loop_nest(op_, standing_for(kernels_[k], groups, groups.size() / 2)),
                        TexelBackend::native));
        texts.push_back(text_[k]);
    }
    device.compiler->prepare(sources, processor_threads(), {}, stop);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (const CompiledKernel* const made = device.compiler->known(sources[i])) {
            for (auto& [group, footprint] : texts_[texts[i]]) {
                footprint.spilled = spilled(*made);
            }
        }
    }
}

const KernelFootprint& SpaceFootprints::of(std::size_t kernel, const Dim3& group) const
{
    return texts_[text_[kernel]].at(representative(op_, kernels_[kernel], group));
}

SpaceFootprints SpaceFootprints::stored_as(Storage storage) const
{
    SpaceFootprints other = *this;
    for (ByGroup& text : other.texts_) {
        for (auto& [group, footprint] : text) {
            footprint.half_registers =
                storage == Storage::fp32 ? footprint.registers : footprint.half_registers;
            for (KernelFootprint::Input& input : footprint.inputs) {
                input.bytes_per_texel = bytes_per_texel(storage);
            }
        }
    }
    return other;
}

std::vector<SpaceCondition> pruning_conditions(const SpaceFootprints& footprints,
                                               const PruningLimits& limits,
                                               const PruningOptions& options)
{
    std::vector<SpaceCondition> conditions;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (!options.checks(criterion)) {
            continue;
        }
        conditions.push_back(
            {.text = to_string(criterion),
             .holds =
                 [&footprints, limits, options, criterion](const KernelChoice& choice,
                                                           std::size_t kernel) {
                     return [&footprints, &limits = limits, &options = options, criterion, kernel,
                             split = choice.split](const GroupChoice& in, std::int64_t) {
                         return !violates(criterion, footprints.of(kernel, in.group), in.group,
                                          split, limits, options);
                     };
                 },
             .always = true});
    }
    return conditions;
}

} // namespace texelscope::workbench::space
