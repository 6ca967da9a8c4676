#include "codegen/lowering/contraction.hpp"

#include "base/error.hpp"
#include "codegen/lowering/contraction_tile.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/passes/address_elimination.hpp"
#include "codegen/passes/register_footprint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::codegen {
namespace {

/// Slots of the reduction dimensions in the order that the schedule gives their loops, outermost
/// first.
std::vector<int> loop_order(const Contraction& contraction, const Schedule& schedule,
                            const std::string& where)
{
    const auto slot_of = [&](const std::string& name) {
        for (const int slot : contraction.reductions) {
            if (contraction.dim(slot).name == name) {
                return slot;
            }
        }
        std::vector<std::string> names;
        for (const int slot : contraction.reductions) {
            names.push_back(contraction.dim(slot).name);
        }
        throw bad_input("'" + name + "' is not a reduction loop", where,
                        fmt::format("loops are {}", fmt::join(names, ",")));
    };
    for (const std::string& name : schedule.unroll) {
        (void)slot_of(name);
    }
    if (schedule.order.empty()) {
        return contraction.reductions;
    }
    std::vector<int> order;
    for (const std::string& name : schedule.order) {
        order.push_back(slot_of(name));
    }
    if (order.size() != contraction.reductions.size()) {
        throw bad_input(fmt::format("the loop order names {} of {} reduction loops", order.size(),
                                    contraction.reductions.size()),
                        where, "name each once, or leave L out");
    }
    return order;
}

void check(const Contraction& contraction, const Schedule& schedule, const std::string& where)
{
    std::vector<std::string> names;
    for (const auto& input : contraction.inputs) {
        names.push_back(input.tensor.name);
    }
    check_schedule(schedule, names, where);
    const std::size_t axes = contraction.z.empty() ? 2 : 3;
    if (schedule.tile.size() < 2 || schedule.tile.size() > axes) {
        throw bad_input(fmt::format("a tile with {} sizes", schedule.tile.size()), where,
                        axes == 2 ? "give columns x rows, for example T=4x4"
                                  : "give two sizes, or three, for example T=4x2x1");
    }
    if (schedule.vector != 4 && schedule.vector != 8 && schedule.vector != 16) {
        throw bad_input(fmt::format("vectors of {} numbers", schedule.vector), where,
                        "V is 4, 8 or 16");
    }
    if (schedule.split > 1 &&
        std::all_of(contraction.reductions.begin(), contraction.reductions.end(),
                    [&](int slot) { return contraction.dim(slot).extent() == 1; })) {
        throw bad_input("a reduction of one element is split", where, "leave R out");
    }
    if (schedule.split > 1 && contraction.inputs.size() > contraction.factors &&
        schedule.group[2] > 1) {
        throw bad_input(
            fmt::format(
                "a split reduction, whose sums meet further inputs, in a work-group with {} planes",
                schedule.group[2]),
            where, "leave R out, or make G's third size 1");
    }
    if (schedule.stage > 0 && contraction.factors != 2) {
        throw bad_input("blocks in local memory of what is no sum of products", where,
                        "leave S out");
    }
    if (schedule.split > 1 && contraction.combine != Contraction::Combine::sum) {
        throw bad_input("a split reduction that is no sum", where, "leave R out");
    }
    if (schedule.stage > 0 && schedule.split > 1) {
        throw bad_input("blocks in local memory of a split reduction", where, "leave S or R out");
    }
    if (schedule.stage > 0 && schedule.group[2] > 1) {
        throw bad_input(fmt::format("blocks in local memory for a work-group with {} planes",
                                    schedule.group[2]),
                        where, "leave S out, or make G's third size 1");
    }
    std::int64_t iterations = 1;
    for (const int slot : contraction.reductions) {
        const Variable& dim = contraction.dim(slot);
        if (std::count(schedule.unroll.begin(), schedule.unroll.end(), dim.name) > 0) {
            iterations *= dim.extent();
        }
    }
    constexpr std::int64_t most_iterations = 128;
    if (iterations > most_iterations) {
        throw bad_input(fmt::format("{} iterations of loops written out", iterations), where,
                        fmt::format("at most {}; take a loop out of U", most_iterations));
    }
}

} // namespace

LoopNest lower(const Contraction& contraction, const Schedule& schedule,
               const std::string& operator_text, const GivenLayouts& given)
{
    const std::string where =
        fmt::format("configuration '{}' of {}", to_string(schedule), operator_text);
    check(contraction, schedule, where);
    LoopNest nest = contraction_nest(
        contraction_plan(contraction, schedule, loop_order(contraction, schedule, where), given));
    nest.operator_text = operator_text;
    nest.schedule_text = to_string(schedule);
    if (schedule.eliminate_addresses) {
        eliminate_addresses(nest);
    }
    nest.registers_per_item = register_footprint(nest);
    nest.half_registers_per_item = register_footprint(nest, Precision::fp16);
    return nest;
}

} // namespace texelscope::codegen
