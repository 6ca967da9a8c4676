#include "codegen/lowering/contraction.hpp"

#include "base/error.hpp"
#include "codegen/lowering/contraction_tile.hpp"
#include "codegen/nest/framework_layout.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/passes/address_elimination.hpp"
#include "codegen/passes/register_footprint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace texelscope::codegen {
namespace {

/// A loop by its name in L or U: "ci", or "ci/2", the loop over its blocks of 2 iterations.
OrderedLoop loop_of(const Contraction& contraction, const std::string& name,
                    const std::string& where)
{
    const std::size_t slash = name.find('/');
    OrderedLoop loop{-1, 0, name};
    if (slash != std::string::npos) {
        const char* const end = name.data() + name.size();
        const auto [rest, error] = std::from_chars(name.data() + slash + 1, end, loop.block);
        if (error != std::errc{} || rest != end || loop.block < 1) {
            throw bad_input("'" + name + "' is no loop over blocks", where,
                            "name it like ci/2: blocks of two iterations of ci");
        }
    }
    std::vector<std::string> names;
    for (const int slot : contraction.reductions) {
        names.push_back(contraction.dim(slot).name);
        loop.slot = names.back() == name.substr(0, slash) ? slot : loop.slot;
    }
    if (loop.slot < 0) {
        throw bad_input("'" + name.substr(0, slash) + "' is not a reduction loop", where,
                        fmt::format("loops are {}", fmt::join(names, ",")));
    }
    return loop;
}

/// The reduction loops in the order that the schedule gives them, outermost first.
std::vector<OrderedLoop> loop_order(const Contraction& contraction, const Schedule& schedule,
                                    const std::string& where)
{
    std::vector<OrderedLoop> order;
    for (const std::string& name : schedule.order) {
        order.push_back(loop_of(contraction, name, where));
    }
    for (const int slot : contraction.reductions) {
        const auto is_loop = [&](const OrderedLoop& loop) {
            return loop.slot == slot && loop.block == 0;
        };
        const auto own = std::ranges::find_if(order, is_loop);
        if (schedule.order.empty()) {
            order.push_back({slot, 0, contraction.dim(slot).name});
        } else if (own == order.end()) {
            throw bad_input(fmt::format("the loop order leaves out {}", contraction.dim(slot).name),
                            where, "name each reduction loop once, or leave L out");
        } else if (std::count_if(order.begin(), own,
                                 [&](const OrderedLoop& loop) { return loop.slot == slot; }) !=
                       std::ranges::count(order, slot, &OrderedLoop::slot) - 1 ||
                   std::ranges::count(order, slot, &OrderedLoop::slot) > 2) {
            throw bad_input(fmt::format("{} has a loop over blocks inside of it, or several",
                                        contraction.dim(slot).name),
                            where, "name blocks once, outside of their loop: ci/2,kh,ci");
        }
    }
    for (const std::string& name : schedule.unroll) {
        const int slot = loop_of(contraction, name, where).slot;
        if (std::ranges::find(order, name, &OrderedLoop::name) == order.end()) {
            throw bad_input(fmt::format("L has no loop over blocks of {} that is '{}'",
                                        contraction.dim(slot).name, name),
                            where, "U names loops as L does");
        }
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
    if (schedule.stage > 0 && schedule.numbering != Numbering::xyz) {
        throw bad_input("blocks in local memory of work-items numbered in another order", where,
                        "leave S or N out");
    }
    if (axes == 2 && axes_of(schedule.numbering)[2] != 2) {
        throw bad_input("work-items numbered along z first, where there is no z", where,
                        "N is xyz or yxz");
    }
}

/// Whether U writes any loop out. Throws where these are more iterations than a kernel should have.
bool writes_out(const ContractionLayout& layout, const std::string& where)
{
    std::int64_t iterations = 1;
    bool any = false;
    for (const ContractionLayout::Loop& loop : layout.loops) {
        if (loop.unrolled && loop.iterations > 1) {
            iterations *= loop.iterations * loop.texel;
            any = true;
        }
    }
    constexpr std::int64_t most_iterations = 128;
    if (any && iterations > most_iterations) {
        throw bad_input(fmt::format("{} iterations of loops written out", iterations), where,
                        fmt::format("at most {}; take a loop out of U", most_iterations));
    }
    return any;
}

/// The layouts that are given, and those of frameworks (F) where none is.
GivenLayouts with_frameworks(GivenLayouts given, const Contraction& contraction,
                             const Schedule& schedule)
{
    const std::size_t tensors = contraction.inputs.size() + 1;
    for (std::size_t i = 0; i < tensors && !schedule.frameworks.empty(); ++i) {
        given.resize(tensors);
        const FrameworkLayout framework = schedule.framework_of(i);
        if (framework != FrameworkLayout::own && !given[i]) {
            given[i] = layout_of_framework(framework, i + 1 < tensors ? contraction.inputs[i].tensor
                                                                      : contraction.output);
            given[i]->memory = schedule.memory_of(i);
            given[i]->storage = schedule.storage;
        }
    }
    return given;
}

} // namespace

LoopNest lower(const Contraction& contraction, const Schedule& schedule,
               const std::string& operator_text, const GivenLayouts& given)
{
    const std::string where =
        fmt::format("configuration '{}' of {}", to_string(schedule), operator_text);
    check(contraction, schedule, where);
    const ContractionPlan plan =
        contraction_plan(contraction, schedule, loop_order(contraction, schedule, where),
                         with_frameworks(given, contraction, schedule));
    const bool written_out = writes_out(plan.layout, where);
    LoopNest nest = contraction_nest(plan);
    nest.written_out = written_out;
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
