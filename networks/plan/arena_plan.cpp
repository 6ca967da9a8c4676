#include "networks/plan/arena_plan.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "networks/plan/carried.hpp"
#include "sim/memory/image_storage.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace texelscope::networks {
namespace {

using codegen::Memory;
using codegen::Operand;
using codegen::TensorLayout;

/// Two ways to lay a value over the sides of an image with longer rows than usual, in the order in
/// which they are tried: rows of two dimensions, then of all but the first.
std::vector<std::vector<int>> rows_to_try(const Shape& shape, int packed)
{
    const int rank = static_cast<int>(shape.size());
    std::vector<int> two;
    std::vector<int> all;
    if (packed >= 0) {
        two.push_back(packed);
        all.push_back(packed);
    }
    for (int d = 1; d < rank; ++d) {
        if (d != packed) {
            all.push_back(d);
        }
    }
    for (int d = rank; d-- > 0;) {
        if (d != packed) {
            two.push_back(d);
            break;
        }
    }
    return {two, all};
}

void put_across(TensorLayout& layout, std::vector<int> across, const Shape& shape)
{
    layout.down.clear();
    for (int d = 0; d < static_cast<int>(shape.size()); ++d) {
        if (std::ranges::count(across, d) == 0) {
            layout.down.push_back(d);
        }
    }
    layout.across = std::move(across);
}

void put_into_buffer(TensorLayout& layout)
{
    layout.memory = Memory::buffer;
    layout.across.clear();
    layout.down.clear();
    layout.row_multiple = 0;
}

/// Whether padding the rows as the device asks costs more than an eighth, or the image is too
/// large.
bool wastes_rows(const Operand& operand, const ArenaRules& rules)
{
    const traces::Extent2D extent = operand.image.extent;
    const std::int64_t row =
        codegen::ceil_div(extent.width, rules.row_multiple) * rules.row_multiple;
    return 8 * row > 9 * std::int64_t{extent.width} || extent.width > rules.widest ||
           extent.height > rules.highest;
}

std::map<ValueId, const Operand*> made_operands(const Plan& plan)
{
    std::map<ValueId, const Operand*> made;
    for (const PlannedKernel& each : plan.kernels) {
        if (!is_carried(plan.graph, each.kernel.output)) {
            made.try_emplace(each.kernel.output, &each.nest.output);
        }
    }
    return made;
}

/// Lowers the plan once more, with schedules that name the memory in which values now lie.
void lower_in_place(Plan& plan)
{
    for (PlannedKernel& each : plan.kernels) {
        each.schedule = noting(std::move(each.schedule), given_layouts(plan, each.kernel));
    }
    lower(plan);
}

} // namespace

ArenaRules arena_rules(const devices::OpenClDeviceInfo& device)
{
    ArenaRules rules;
    rules.alignment =
        std::max({sim::image_alignment, device.part_alignment, device.image_part_alignment});
    rules.row_multiple = static_cast<std::int32_t>(device.image_row_multiple);
    rules.widest = device.image_width;
    rules.highest = device.image_height;
    return rules;
}

Plan in_arena(Plan plan, const ArenaRules& rules)
{
    plan = with_copies_back(std::move(plan));
    plan.arena = rules;
    std::map<ValueId, std::size_t> tried; // of rows_to_try()
    for (const auto& [value, operand] : made_operands(plan)) {
        TensorLayout& layout = *plan.layouts[static_cast<std::size_t>(value)];
        if (layout.memory == Memory::image && rules.row_multiple == 0) {
            put_into_buffer(layout);
        } else if (layout.memory == Memory::image) {
            layout.row_multiple = rules.row_multiple;
            tried[value] = 0;
        }
    }
    lower_in_place(plan);
    // A value may waste rows in its new layout as well, so this goes on until nothing changes.
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [value, operand] : made_operands(plan)) {
            if (operand->memory == Memory::buffer || !wastes_rows(*operand, rules)) {
                continue;
            }
            TensorLayout& layout = *plan.layouts[static_cast<std::size_t>(value)];
            const Shape& shape = plan.graph.value(value).shape;
            const auto rows = rows_to_try(shape, layout.packed);
            if (tried[value] < rows.size()) {
                put_across(layout, rows[tried[value]++], shape);
            } else {
                put_into_buffer(layout);
            }
            changed = true;
        }
        if (changed) {
            lower_in_place(plan);
        }
    }
    return plan;
}

} // namespace texelscope::networks
