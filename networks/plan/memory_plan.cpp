#include "networks/plan/memory_plan.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "networks/plan/arena.hpp"
#include "networks/plan/carried.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace texelscope::networks {
// How memory is shared, in three steps: lives_of() finds from which kernel to which each value is
// needed, places_of() lets values be made in the place of an input, and fill_slots() or
// share_arena() give the rest their memory.
namespace {

using codegen::Operand;

std::int64_t bytes_of(const Operand& operand)
{
    return operand.image.extent.area() * operand.image.bytes_per_texel.value;
}

/// Whether a kernel that makes the value writes every texel of it. Otherwise there are gaps that
/// must read as zero, and earlier contents of the memory would show there.
bool is_full(const Operand& operand)
{
    std::int64_t texels = 1;
    for (std::size_t d = 0; d < operand.tensor.shape.size(); ++d) {
        const bool packed = operand.layout && operand.layout->packed == static_cast<int>(d);
        texels *= packed ? codegen::ceil_div(operand.tensor.shape[d], 4) : operand.tensor.shape[d];
    }
    return texels == operand.image.extent.area();
}

/// Whether a tensor can use the memory of an earlier one. Tensors with gaps only follow one with
/// the same gaps, whose zeros are still there.
bool fits(const Operand& tensor, const Operand& before)
{
    if (tensor.memory != before.memory || tensor.storage != before.storage) {
        return false;
    }
    if (is_full(tensor) && is_full(before)) {
        return tensor.memory == codegen::Memory::buffer
                   ? bytes_of(tensor) <= bytes_of(before)
                   : tensor.image.extent == before.image.extent;
    }
    return tensor.tensor.shape == before.tensor.shape && tensor.layout == before.layout;
}

/// The life of a value: from the first kernel that makes a part of it to the last that reads it.
struct Life {
    std::size_t first = 0;
    std::size_t last = 0;
    const Operand* operand = nullptr;
};

using Lives = std::map<ValueId, Life>;

Lives lives_of(const Plan& plan)
{
    Lives lives;
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        const PlannedKernel& each = plan.kernels[k];
        if (!is_carried(plan.graph, each.kernel.output)) { // else it lies where the input does
            lives.try_emplace(each.kernel.output, Life{k, k, &each.nest.output})
                .first->second.last = k;
        }
        for (const ValueId input : each.kernel.inputs) {
            if (const auto read = lives.find(input); read != lives.end()) {
                read->second.last = k;
            }
        }
    }
    for (const ValueId output : plan.graph.outputs) {
        if (const auto wanted = lives.find(output); wanted != lives.end()) {
            wanted->second.last = plan.kernels.size();
        }
    }
    return lives;
}

/// Whether a kernel can write its output where one of its inputs lies. Every work-item must read
/// only those elements that it writes, and before it writes them. No kernel may read and write the
/// same image.
bool makes_in_place(const PlannedKernel& planned, std::size_t input)
{
    const NodeKernel& kernel = planned.kernel;
    const Operand& from = planned.nest.inputs[input];
    const Operand& to = planned.nest.output;
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        if (kernel.inputs[i] == kernel.inputs[input] && !reads_what_it_writes(kernel, i)) {
            return false;
        }
    }
    return to.memory == codegen::Memory::buffer && from.memory == to.memory &&
           from.storage == to.storage && from.tensor.shape == to.tensor.shape &&
           from.layout == to.layout;
}

/// Where each value lies. With `share`, the output of a kernel takes the place of an input that no
/// later kernel reads; the two then have one life.
std::vector<ValueId> places_of(const Plan& plan, Lives& lives, bool share)
{
    std::vector<ValueId> at(plan.graph.values.size());
    std::iota(at.begin(), at.end(), ValueId{0});
    std::vector<int> makers(plan.graph.values.size(), 0);
    for (const PlannedKernel& each : plan.kernels) {
        ++makers[static_cast<std::size_t>(each.kernel.output)];
    }
    for (std::size_t k = 0; share && k < plan.kernels.size(); ++k) {
        const PlannedKernel& each = plan.kernels[k];
        const auto made = lives.find(each.kernel.output);
        // A value that is made in parts by several kernels cannot replace an input at once.
        if (made == lives.end() || makers[static_cast<std::size_t>(made->first)] != 1) {
            continue;
        }
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            const ValueId input = each.kernel.inputs[i];
            const auto old =
                input == no_value ? lives.end() : lives.find(at[static_cast<std::size_t>(input)]);
            if (old != lives.end() && old->second.last == k && makes_in_place(each, i)) {
                old->second.last = made->second.last;
                at[static_cast<std::size_t>(made->first)] = old->first;
                lives.erase(made);
                break;
            }
        }
    }
    return at;
}

std::vector<std::int64_t> alive_bytes(const Lives& lives, std::size_t kernels)
{
    std::vector<std::int64_t> alive(kernels, 0);
    for (const auto& [value, life] : lives) {
        for (std::size_t k = life.first; k <= life.last && k < kernels; ++k) {
            alive[k] += bytes_of(*life.operand);
        }
    }
    return alive;
}

/// Bytes outside of the slots: constants, inputs of the network, and the second memories of carried
/// inputs.
std::int64_t constants_of(const Plan& plan, const std::vector<bool>& twin)
{
    std::int64_t bytes = 0;
    std::set<ValueId> given;
    for (const PlannedKernel& each : plan.kernels) {
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            const ValueId input = each.kernel.inputs[i];
            const bool constant = input == no_value || plan.graph.constants.contains(input);
            const bool from_caller =
                std::ranges::count(plan.graph.inputs, input) > 0 && given.insert(input).second;
            const int times = from_caller && twin[static_cast<std::size_t>(input)] ? 2 : 1;
            bytes += constant || from_caller ? times * bytes_of(each.nest.inputs[i]) : 0;
        }
    }
    return bytes;
}

/// Gives each value, in the order of making, the smallest slot that is free and that it fits; a new
/// slot where there is none.
void fill_slots(MemoryPlan& memory, const std::vector<ValueId>& order, const Lives& lives,
                bool share)
{
    struct Slot {
        const Operand* holds; ///< the first operand in this slot; later ones must fit its size
        std::size_t free_from;
    };
    std::vector<Slot> slots;
    for (const ValueId value : order) {
        const Life& life = lives.at(value);
        int best = -1;
        for (std::size_t s = 0; share && s < slots.size(); ++s) {
            const bool smaller = best < 0 || memory.slot_sizes[s] <
                                                 memory.slot_sizes[static_cast<std::size_t>(best)];
            if (slots[s].free_from <= life.first && smaller &&
                fits(*life.operand, *slots[s].holds)) {
                best = static_cast<int>(s);
            }
        }
        if (best < 0) {
            best = static_cast<int>(slots.size());
            slots.push_back({life.operand, 0});
            memory.slot_sizes.push_back(bytes_of(*life.operand));
        }
        slots[static_cast<std::size_t>(best)].free_from = life.last + 1;
        memory.slot_of[static_cast<std::size_t>(value)] = best;
    }
}

/// Whether the zeros in the gaps of `after` are still there once `before` has used the memory.
bool leaves_zeros(const Operand& before, const Operand& after)
{
    return before.memory == after.memory && before.tensor.shape == after.tensor.shape &&
           before.layout == after.layout;
}

/// Decides which values of an arena must be cleared before they are made. A value with gaps needs
/// no clearing if the value that lay there last has its gaps in the same places. If none did
/// earlier in the run, whatever overlaps it later in the run counts, since runs follow each other.
/// `order`: the values by the kernels that make them.
void clear_gaps(MemoryPlan& memory, const std::vector<ValueId>& order, const Lives& lives)
{
    const auto from = [&](ValueId value) {
        return memory.offset_of[static_cast<std::size_t>(value)];
    };
    const auto to = [&](ValueId value) {
        return from(value) + stored_size(*lives.at(value).operand);
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Operand& own = *lives.at(order[i]).operand;
        const auto alike = [&](ValueId other) {
            return from(other) == from(order[i]) && leaves_zeros(*lives.at(other).operand, own);
        };
        const auto overlaps = [&](ValueId other) {
            return other != order[i] && from(other) < to(order[i]) && from(order[i]) < to(other);
        };
        const auto here = order.begin() + static_cast<std::ptrdiff_t>(i);
        const auto before = std::find_if(std::make_reverse_iterator(here), order.rend(), overlaps);
        const bool untouched =
            before == order.rend()
                ? std::ranges::all_of(
                      order, [&](ValueId other) { return !overlaps(other) || alike(other); })
                : alike(*before);
        memory.cleared[static_cast<std::size_t>(order[i])] = !is_full(own) && !untouched;
    }
}

/// Places all values in one slot, the arena.
void share_arena(MemoryPlan& memory, const std::vector<ValueId>& order, const Lives& lives,
                 std::int64_t alignment)
{
    std::vector<ArenaBlock> blocks;
    for (const ValueId value : order) {
        const Life& life = lives.at(value);
        blocks.push_back({stored_size(*life.operand), life.first, life.last});
    }
    const ArenaPlacement placement = place_in_arena(blocks, alignment);
    for (std::size_t i = 0; i < order.size(); ++i) {
        memory.slot_of[static_cast<std::size_t>(order[i])] = 0;
        memory.offset_of[static_cast<std::size_t>(order[i])] = placement.offsets[i];
    }
    memory.slot_sizes = {placement.bytes};
    clear_gaps(memory, order, lives);
}

} // namespace

std::int64_t stored_size(const Operand& operand)
{
    const std::int64_t multiple = std::max(1, operand.image.row_multiple);
    return codegen::ceil_div(operand.image.extent.width, multiple) * multiple *
           operand.image.extent.height * operand.image.bytes_per_texel.value;
}

std::int64_t MemoryPlan::slot_bytes() const
{
    return std::accumulate(slot_sizes.begin(), slot_sizes.end(), std::int64_t{0});
}

bool MemoryPlan::clears_before(const Plan& plan, std::size_t kernel) const
{
    const ValueId made = plan.kernels[kernel].kernel.output;
    const auto makes = [&](const PlannedKernel& each) { return each.kernel.output == made; };
    return cleared[static_cast<std::size_t>(made)] &&
           std::ranges::find_if(plan.kernels, makes) - plan.kernels.begin() ==
               static_cast<std::ptrdiff_t>(kernel);
}

MemoryPlan memory_plan(const Plan& plan, bool share)
{
    Lives lives = lives_of(plan);
    MemoryPlan memory;
    for (const auto& [value, life] : lives) {
        memory.sum_bytes += bytes_of(*life.operand);
    }
    memory.lies_at = places_of(plan, lives, share);
    memory.slot_of.assign(plan.graph.values.size(), -1);
    memory.offset_of.assign(plan.graph.values.size(), 0);
    memory.cleared.assign(plan.graph.values.size(), false);
    memory.alive = alive_bytes(lives, plan.kernels.size());
    memory.alive_bytes = memory.alive.empty() ? 0 : *std::ranges::max_element(memory.alive);
    memory.twin = twins(plan);
    memory.constant_bytes = constants_of(plan, memory.twin);
    std::vector<ValueId> order;
    for (const auto& [value, life] : lives) {
        order.push_back(value);
    }
    std::ranges::stable_sort(order, {}, [&](ValueId value) { return lives.at(value).first; });
    if (share && plan.arena) {
        share_arena(memory, order, lives, plan.arena->alignment);
    } else {
        fill_slots(memory, order, lives, share);
    }
    for (std::size_t value = 0; value < memory.lies_at.size(); ++value) {
        const auto place = static_cast<std::size_t>(memory.lies_at[value]);
        memory.slot_of[value] = memory.slot_of[place];
        memory.offset_of[value] = memory.offset_of[place];
    }
    return memory;
}

} // namespace texelscope::networks
