#include "codegen/lowering/local_blocks.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::codegen {
namespace {

// Two slots: the work-item's place along x and y.
constexpr int place_slot = LoopNest::item_slot + 1;

/// Adds a name for an expression to the nest and returns its variable; a constant is returned as it
/// is.
IndexExpr named(LoopNest& nest, int slot, const char* name, const IndexExpr& definition)
{
    if (definition.is_constant()) {
        return definition;
    }
    const Variable variable{slot, name, definition.bounds()};
    nest.names.push_back({variable, definition});
    return IndexExpr(variable);
}

} // namespace

LocalBlocks::LocalBlocks(const ContractionPlan& plan, LoopNest& nest, Variable iteration)
    : plan_(plan), nest_(nest), iteration_(std::move(iteration)), iterations_(plan.schedule.stage),
      blocks_(plan.layout.inputs.size())
{
    const Dim3& group = plan.schedule.group;
    const std::string where = "configuration '" + to_string(plan.schedule) + "'";
    items_ = std::int64_t{group[0]} * group[1];
    const auto ids = work_item_variables(nest.groups, nest.local);
    self_ =
        named(nest, LoopNest::item_slot, "item", IndexExpr(ids[0]) + group[0] * IndexExpr(ids[1]));
    constexpr std::array names{"item_x", "item_y"};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        place_[axis] = named(nest, place_slot + static_cast<int>(axis), names[axis],
                             mod(plan.grid.items.tile[axis], group[axis]));
    }
    for (std::size_t input = 0; input < plan.contraction.factors; ++input) {
        const auto& varies = plan.layout.inputs[input].varies;
        Block& block = blocks_[input];
        for (const std::size_t axis : {0U, 1U}) {
            if (varies[axis]) {
                block.axis = static_cast<int>(axis);
                block.items *= group[axis];
            }
        }
        if (block.items == items_) {
            continue; // every work-item needs different texels, so there is nothing to share
        }
        const std::string& name = plan.contraction.inputs[input].tensor.name;
        if (iterations_ * block.items % items_ != 0) {
            throw bad_input(
                fmt::format(
                    "{} iterations of {} work-items' texels of {} cannot be copied by {} equally",
                    iterations_, block.items, name, items_),
                where, fmt::format("make S x {} a multiple of {}", block.items, items_));
        }
        block.array = static_cast<int>(nest.local_arrays.size());
        nest.local_arrays.push_back(
            {ContractionLayout::components, lower_case(name) + "_block", 0, true});
    }
    if (std::none_of(blocks_.begin(), blocks_.end(),
                     [](const Block& block) { return block.array >= 0; })) {
        throw bad_input("the work-items of a group share no texels", where,
                        "leave S out, or choose another G");
    }
}

IndexExpr LocalBlocks::element(const Block& block, std::int64_t read, const IndexExpr& iteration,
                               const IndexExpr& item) const
{
    return (read * iterations_ + iteration) * block.items + item;
}

NestLocalRead LocalBlocks::take(NestValue target, const AccessFunction& access)
{
    Block& block = blocks_[static_cast<std::size_t>(access.image)];
    const auto known =
        std::find_if(block.reads.begin(), block.reads.end(), [&](const AccessFunction& read) {
            return read.x == access.x && read.y == access.y;
        });
    const std::int64_t number = known - block.reads.begin();
    if (known == block.reads.end()) {
        block.reads.push_back(access);
    }
    const IndexExpr item =
        block.axis < 0 ? IndexExpr(0) : place_[static_cast<std::size_t>(block.axis)];
    return {target, block.array, element(block, number, IndexExpr(iteration_), item)};
}

/// The access that work-item `item` of the D different ones makes at iteration `iteration` of the
/// block.
AccessFunction LocalBlocks::read_by(const Block& block, const AccessFunction& access,
                                    const IndexExpr& iteration, const IndexExpr& item) const
{
    const Variable* tile = nullptr;
    IndexExpr tile_of_item;
    if (block.axis >= 0) {
        const auto axis = static_cast<std::size_t>(block.axis);
        tile = plan_.grid.items.tile[axis].as_variable();
        tile_of_item =
            IndexExpr(work_item_variables(nest_.groups, nest_.local)[3 + axis]) * block.items +
            item;
    }
    const auto value = [&](const Variable& variable) {
        return variable.slot == iteration_.slot                 ? iteration
               : tile != nullptr && variable.slot == tile->slot ? tile_of_item
                                                                : IndexExpr(variable);
    };
    return {access.image, access.x.replace(value), access.y.replace(value)};
}

/// Work-item i copies elements i, i + items, ... of the S*D elements of each read. The order goes
/// along the rows of the image, so that neighbouring work-items read neighbouring texels.
void LocalBlocks::copy(const Block& block, const std::string& name, std::vector<NestStatement>& out)
{
    std::vector<NestLocalWrite> writes;
    for (std::int64_t r = 0; r < std::ssize(block.reads); ++r) {
        const AccessFunction& access = block.reads[static_cast<std::size_t>(r)];
        const bool iterations_along_rows =
            access.x.uses_slots(iteration_.slot, iteration_.slot + 1);
        for (std::int64_t first = 0; first < iterations_ * block.items; first += items_) {
            const IndexExpr share = self_ + first;
            const IndexExpr iteration =
                iterations_along_rows ? mod(share, iterations_) : floor_div(share, block.items);
            const IndexExpr item =
                iterations_along_rows ? floor_div(share, iterations_) : mod(share, block.items);
            const NestValue value =
                nest_.add_factor(fmt::format("{}_copy{}", name, writes.size()),
                                 static_cast<int>(ContractionLayout::components));
            out.emplace_back(NestRead{value, read_by(block, access, iteration, item)});
            writes.push_back({block.array, element(block, r, iteration, item), value});
        }
    }
    out.insert(out.end(), writes.begin(), writes.end());
}

std::vector<NestStatement> LocalBlocks::copies()
{
    constexpr std::int64_t most_copies = 256; // each copy is a statement of its own
    std::int64_t copied = 0;
    for (const Block& block : blocks_) {
        copied +=
            block.array >= 0 ? std::ssize(block.reads) * iterations_ * block.items / items_ : 0;
    }
    if (copied > most_copies) {
        throw bad_input(
            fmt::format("every work-item would copy {} texels to local memory", copied),
            "configuration '" + to_string(plan_.schedule) + "'",
            fmt::format("at most {}; use a smaller S or T, or a larger G", most_copies));
    }
    std::vector<NestStatement> out{NestBarrier{}};
    for (std::size_t input = 0; input < blocks_.size(); ++input) {
        const Block& block = blocks_[input];
        if (block.array >= 0) {
            nest_.local_arrays[static_cast<std::size_t>(block.array)].count =
                std::ssize(block.reads) * iterations_ * block.items;
            copy(block, lower_case(plan_.contraction.inputs[input].tensor.name), out);
        }
    }
    out.emplace_back(NestBarrier{});
    return out;
}

} // namespace texelscope::codegen
