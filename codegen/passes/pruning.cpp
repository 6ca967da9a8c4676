// The criteria by which configurations are left out without being run. A criterion needs values of
// the device (PruningLimits); where one is not known, the criterion never applies, and
// switched_off() says so.

#include "codegen/passes/pruning.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/passes/tile_dependence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::codegen {
namespace {

/// Texels of each input that a work-item reads in one iteration of an innermost loop.
using ReadCounts = std::vector<std::int64_t>;

std::int64_t bytes_of(const ReadCounts& reads, const std::vector<Operand>& inputs)
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        bytes += reads[i] * bytes_per_texel(inputs[i].storage);
    }
    return bytes;
}

/// The reads of the innermost loop in a body that reads the most bytes; where the body has no loop,
/// its own reads.
ReadCounts innermost_reads(const std::vector<NestStatement>& body,
                           const std::vector<Operand>& inputs)
{
    ReadCounts own(inputs.size(), 0);
    std::optional<ReadCounts> inner;
    for (const NestStatement& statement : body) {
        if (const auto* read = std::get_if<NestRead>(&statement)) {
            ++own[static_cast<std::size_t>(read->access.image)];
        } else if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            ReadCounts reads = innermost_reads(loop->body, inputs);
            if (!inner || bytes_of(reads, inputs) > bytes_of(*inner, inputs)) {
                inner = std::move(reads);
            }
        }
    }
    // Loops that read local memory alone have no reads of images or buffers: then the body's own
    // count.
    return inner && bytes_of(*inner, inputs) > 0 ? *inner : own;
}

bool has_local_reads(const std::vector<NestStatement>& body)
{
    return std::any_of(body.begin(), body.end(), [](const NestStatement& statement) {
        const auto* loop = std::get_if<NestLoop>(&statement);
        return std::holds_alternative<NestLocalRead>(statement) ||
               (loop != nullptr && has_local_reads(loop->body));
    });
}

std::int64_t items(const Dim3& group, std::int32_t split)
{
    return std::int64_t{group[0]} * group[1] * group[2] * split;
}

std::int64_t loaded_bytes(const KernelFootprint& kernel, const Dim3& group, std::int32_t split,
                          LoadCounting counting)
{
    std::int64_t bytes = 0;
    for (const KernelFootprint::Input& input : kernel.inputs) {
        // Counted apart, every work-item loads all its texels; shared_once counts those texels once
        // that neighbours along an axis have in common.
        std::int64_t readers = items(group, split);
        if (counting == LoadCounting::shared_once) {
            readers = split;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                readers *= input.varies[axis] ? group[axis] : 1;
            }
        }
        bytes += input.texels * input.bytes_per_texel * readers;
    }
    return bytes;
}

int registers_of(const KernelFootprint& kernel, const PruningLimits& limits)
{
    return limits.half ? kernel.half_registers : kernel.registers;
}

// What a compiler has told counts more than the estimate of registers.
bool spills(const KernelFootprint& kernel, const PruningLimits& limits)
{
    return kernel.spilled ? *kernel.spilled > 0
                          : limits.registers_per_item &&
                                registers_of(kernel, limits) > *limits.registers_per_item;
}

std::vector<std::string> one_element_inputs(const KernelFootprint& kernel)
{
    std::vector<std::string> names;
    for (const KernelFootprint::Input& input : kernel.inputs) {
        if (input.one_element) {
            names.push_back(input.name);
        }
    }
    return names;
}

std::string reason_of(PruningCriterion criterion, const KernelFootprint& kernel, const Dim3& group,
                      std::int32_t split, const PruningLimits& limits,
                      const PruningOptions& options)
{
    const std::int64_t count = items(group, split);
    const int registers = registers_of(kernel, limits);
    switch (criterion) {
    case PruningCriterion::l1:
        return fmt::format(
            "{} work-items load {} B in an iteration of the innermost loop, the L1 holds {} B",
            count, loaded_bytes(kernel, group, split, options.counting), *limits.l1_bytes);
    case PruningCriterion::registers:
        return fmt::format("{} work-items of {} registers need {}, a core has {}", count, registers,
                           count * registers, *limits.registers);
    case PruningCriterion::buffer:
        return fmt::format("{} in a buffer, the L1 is for textures only",
                           fmt::join(kernel.in_buffers, ", "));
    case PruningCriterion::local_memory:
        return fmt::format(
            "{}, but {} work-items are more than {} x {} ALUs",
            split > 1 ? fmt::format("the reduction is split into {} in local memory", split)
                      : "blocks of inputs are in local memory",
            count, options.alpha, *limits.alus);
    case PruningCriterion::warp:
        return fmt::format("{} work-items are fewer than a warp of {}", count, *limits.warp_size);
    case PruningCriterion::access_width:
        return fmt::format("{} read one element at a time, not four",
                           fmt::join(one_element_inputs(kernel), ", "));
    case PruningCriterion::spills:
        return spill_reason(kernel, limits).value_or("");
    }
    return "";
}

/// What of the device a criterion needs and is not known; empty where nothing is missing.
std::string missing_limit(PruningCriterion criterion, const PruningLimits& limits)
{
    switch (criterion) {
    case PruningCriterion::l1:
        return limits.l1_bytes ? "" : "the capacity of the L1 is not known";
    case PruningCriterion::registers:
        return limits.registers ? "" : "the registers of a core are not known";
    case PruningCriterion::buffer:
        return limits.l1_for_textures_only ? ""
                                           : "it is not known whether the L1 is for textures only";
    case PruningCriterion::local_memory:
        return limits.alus ? "" : "the ALUs of a core are not known";
    case PruningCriterion::warp:
        return limits.warp_size ? "" : "the warp size is not known";
    case PruningCriterion::spills:
        return limits.registers_per_item ? ""
                                         : "the registers that a work-item can have are not known";
    case PruningCriterion::access_width:
        break;
    }
    return "";
}

} // namespace

std::string to_string(PruningCriterion criterion)
{
    switch (criterion) {
    case PruningCriterion::l1:
        return "l1";
    case PruningCriterion::registers:
        return "registers";
    case PruningCriterion::buffer:
        return "buffer";
    case PruningCriterion::local_memory:
        return "local-memory";
    case PruningCriterion::warp:
        return "warp";
    case PruningCriterion::access_width:
        return "access-width";
    case PruningCriterion::spills:
        return "spills";
    }
    return "";
}

PruningCriterion parse_pruning_criterion(const std::string& text)
{
    std::vector<std::string> names;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        names.push_back(to_string(criterion));
        if (text == names.back()) {
            return criterion;
        }
    }
    throw bad_input("there is no pruning criterion '" + text + "'", {},
                    fmt::format("criteria are {}", fmt::join(names, ", ")));
}

bool PruningOptions::checks(PruningCriterion criterion) const
{
    return std::count(criteria.begin(), criteria.end(), criterion) > 0;
}

KernelFootprint kernel_footprint(const LoopNest& nest)
{
    KernelFootprint kernel;
    const ReadCounts reads = innermost_reads(nest.body, nest.inputs);
    const auto varies = tile_dependence(nest);
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        const Operand& input = nest.inputs[i];
        kernel.inputs.push_back({input.tensor.name, reads[i], bytes_per_texel(input.storage),
                                 varies[i], input.component.is_constant()});
        if (input.memory == Memory::buffer) {
            kernel.in_buffers.push_back(input.tensor.name);
        }
    }
    if (nest.output.memory == Memory::buffer) {
        kernel.in_buffers.push_back(nest.output.tensor.name);
    }
    kernel.registers = nest.registers_per_item;
    kernel.half_registers = nest.half_sums ? nest.half_registers_per_item : nest.registers_per_item;
    kernel.local_blocks = has_local_reads(nest.body);
    return kernel;
}

bool violates(PruningCriterion criterion, const KernelFootprint& kernel, const Dim3& group,
              std::int32_t split, const PruningLimits& limits, const PruningOptions& options)
{
    switch (criterion) {
    case PruningCriterion::l1:
        return limits.l1_bytes &&
               loaded_bytes(kernel, group, split, options.counting) > *limits.l1_bytes;
    case PruningCriterion::registers:
        return limits.registers &&
               items(group, split) * registers_of(kernel, limits) > *limits.registers;
    case PruningCriterion::buffer:
        return limits.l1_for_textures_only.value_or(false) && !kernel.in_buffers.empty();
    case PruningCriterion::local_memory:
        return (split > 1 || kernel.local_blocks) && limits.alus &&
               static_cast<double>(items(group, split)) > options.alpha * *limits.alus;
    case PruningCriterion::warp:
        return limits.warp_size && items(group, split) < *limits.warp_size;
    case PruningCriterion::access_width:
        return std::any_of(kernel.inputs.begin(), kernel.inputs.end(),
                           [](const KernelFootprint::Input& input) { return input.one_element; });
    case PruningCriterion::spills:
        return spills(kernel, limits);
    }
    return false;
}

std::optional<std::string> spill_reason(const KernelFootprint& kernel, const PruningLimits& limits)
{
    if (!spills(kernel, limits)) {
        return std::nullopt;
    }
    if (kernel.spilled) {
        return fmt::format(
            "a work-item stores and loads {} registers for which the compiler has found no room",
            *kernel.spilled);
    }
    return fmt::format("a work-item needs {} registers, it can have {}",
                       registers_of(kernel, limits), *limits.registers_per_item);
}

std::optional<Rejection> prune(const KernelFootprint& kernel, const Dim3& group, std::int32_t split,
                               const PruningLimits& limits, const PruningOptions& options)
{
    for (const PruningCriterion criterion : all_pruning_criteria) {
        if (options.checks(criterion) &&
            violates(criterion, kernel, group, split, limits, options)) {
            return Rejection{criterion,
                             reason_of(criterion, kernel, group, split, limits, options)};
        }
    }
    return std::nullopt;
}

std::optional<Rejection> prune(const LoopNest& nest, const Schedule& schedule,
                               const PruningLimits& limits, const PruningOptions& options)
{
    return prune(kernel_footprint(nest), schedule.group, schedule.split, limits, options);
}

std::vector<std::string> switched_off(const PruningLimits& limits, const PruningOptions& options)
{
    std::vector<std::string> lines;
    for (const PruningCriterion criterion : all_pruning_criteria) {
        const std::string missing = missing_limit(criterion, limits);
        if (options.checks(criterion) && !missing.empty()) {
            lines.push_back(to_string(criterion) + ": " + missing);
        }
    }
    return lines;
}

} // namespace texelscope::codegen
