#pragma once

#include "codegen/lowering/contraction_plan.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// The blocks of inputs that a work-group keeps in local memory (Schedule::stage). Its work-items
/// read what several of them need once, each an equal share, meet at a barrier, and take their
/// texels from there.
///
/// An input is kept where the work-items of a row of the group (or of a column, or all of them)
/// need the same of it; let D be how many need something different: the group's side along the axis
/// of the tile that the input varies with, or 1. Read r of an iteration (r counts the different
/// reads of one work-item) at iteration t of the block by work-item d of those is element (r*S +
/// t)*D + d of the input's array.
class LocalBlocks {
public:
    /// `iteration`: the loop over the iterations of a block. Adds names and arrays to the nest.
    /// Plan and nest must outlive it. Throws bad_input where the work-items of a group share no
    /// input, or cannot share the copying equally.
    LocalBlocks(const ContractionPlan& plan, LoopNest& nest, Variable iteration);

    /// Whether the input is kept in local memory.
    [[nodiscard]] bool holds(std::size_t input) const { return blocks_[input].array >= 0; }
    /// The element of the array that holds the texel of a read of this work-item at this iteration:
    /// `target` = it.
    [[nodiscard]] NestLocalRead take(NestValue target, const AccessFunction& access);
    /// Copies all that was taken, with the barriers in front (nobody may still need the last block)
    /// and behind. Throws bad_input where a work-item would copy very many texels: all copies are
    /// written out.
    [[nodiscard]] std::vector<NestStatement> copies();

private:
    /// One input's share of local memory.
    struct Block {
        int array = -1;         ///< index into LoopNest::local_arrays; -1: not kept
        int axis = -1;          ///< of the tile, that the input varies with: 0, 1 or -1
        std::int64_t items = 1; ///< D
        /// By r, as this work-item would read them at its iteration of the block.
        std::vector<AccessFunction> reads;
    };
    [[nodiscard]] IndexExpr element(const Block& block, std::int64_t read,
                                    const IndexExpr& iteration, const IndexExpr& item) const;
    [[nodiscard]] AccessFunction read_by(const Block& block, const AccessFunction& access,
                                         const IndexExpr& iteration, const IndexExpr& item) const;
    void copy(const Block& block, const std::string& name, std::vector<NestStatement>& out);

    const ContractionPlan& plan_;
    LoopNest& nest_;
    Variable iteration_;
    std::int64_t iterations_ = 1;    ///< S
    std::int64_t items_ = 1;         ///< of a work-group
    IndexExpr self_;                 ///< number of the work-item in its group
    std::array<IndexExpr, 2> place_; ///< of the work-item's tile in its group, along x and y
    std::vector<Block> blocks_;
};

} // namespace texelscope::codegen
