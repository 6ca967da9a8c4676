#pragma once

#include "codegen/lowering/contraction_plan.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// The blocks of inputs that a work-group keeps in local memory (Schedule::stage). Texels that
/// several work-items need are read once: each work-item copies an equal share of them, all meet at
/// a barrier, and then take their texels from local memory.
///
/// An input is kept if the work-items of a row of the group (or of a column, or all of them) need
/// the same texels of it. Let D be the number of work-items that need different ones: the group's
/// side along the axis of the tile that the input varies with, or 1. Let r number the different
/// reads that one work-item makes in an iteration, t the iterations of the block, and d those D
/// work-items. Then the texel is element (r*S + t)*D + d of the input's array.
class LocalBlocks {
public:
    /// `iteration` is the variable of the loop over the iterations of a block. Adds names and
    /// arrays to the nest. Plan and nest must outlive this. Throws bad_input where the work-items
    /// of a group share no input, or cannot share the copying equally.
    LocalBlocks(const ContractionPlan& plan, LoopNest& nest, Variable iteration);

    /// Whether the input is kept in local memory.
    [[nodiscard]] bool holds(std::size_t input) const { return blocks_[input].array >= 0; }
    /// The statement that sets `target` to the texel of a read of this work-item, from local
    /// memory. It also notes the read, so that copies() copies it.
    [[nodiscard]] NestLocalRead take(NestValue target, const AccessFunction& access);
    /// The statements that copy all that take() was asked for. A barrier stands in front of them,
    /// as others may still read the last block, and one behind. To be called after all take().
    /// Throws bad_input where a work-item would copy very many texels, because each copy is a
    /// statement of its own.
    [[nodiscard]] std::vector<NestStatement> copies();

private:
    /// One input's share of local memory.
    struct Block {
        int array = -1;         ///< index into LoopNest::local_arrays; -1: not kept
        int axis = -1;          ///< axis of the tile that the input varies with: 0, 1 or -1
        std::int64_t items = 1; ///< D
        /// By r, the accesses as this work-item makes them at the present iteration of the block.
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
    std::int64_t items_ = 1;         ///< work-items of a work-group
    IndexExpr self_;                 ///< number of the work-item in its group
    std::array<IndexExpr, 2> place_; ///< place of the work-item's tile in its group, along x and y
    std::vector<Block> blocks_;
};

} // namespace texelscope::codegen
