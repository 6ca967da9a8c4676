#pragma once

#include "codegen/lowering/contraction_plan.hpp"
#include "codegen/lowering/local_blocks.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// Emits the reads of a contraction. Within a run of statements without a loop each texel is read
/// once, so that iterations of loops that are written out share texels.
class ContractionReads {
public:
    /// Plan and nest must outlive this. Values are added to the nest.
    ContractionReads(const ContractionPlan& plan, LoopNest& nest);

    /// From now on, inputs that `blocks` holds are taken from local memory. With null every input
    /// is read from its image. `blocks` must outlive its use.
    void take_from(LocalBlocks* blocks) { blocks_ = blocks; }
    /// A body starts: nothing has been read in it yet, and numbering of names starts again.
    void enter_body();
    /// The epilogue starts: what the body has read may be out of scope, but its names stay taken.
    void enter_epilogue() { leave_body(); }
    /// A loop ends: what has been read inside is out of scope.
    void leave_body();
    /// The next iteration of loops that are written out starts; texels that were read stay known.
    void enter_iteration();
    /// The factor that an input contributes to the sum at a place, for component `step` of a texel
    /// of channels. Reads that have not been made yet are appended to `out`.
    [[nodiscard]] NestFactor factor(std::size_t input, const ReductionIteration& iteration,
                                    const SumTile::Place& place, std::int64_t step,
                                    std::vector<NestStatement>& out);
    /// A variable for an index that arithmetic needs. It is defined once in a run of statements.
    [[nodiscard]] IndexExpr named(const IndexExpr& index, std::vector<NestStatement>& out);

private:
    struct KnownRead {
        AccessFunction access;
        int texels = 1;
        NestValue value{};
    };
    struct KnownVector {
        std::vector<NestValue> texels;
        NestValue value{};
    };
    [[nodiscard]] NestValue read(AccessFunction access, int texels,
                                 std::vector<NestStatement>& out);
    [[nodiscard]] NestValue vector(std::size_t input, const ReductionIteration& iteration,
                                   const SumTile::Place& place, std::int64_t step,
                                   std::vector<NestStatement>& out);
    [[nodiscard]] NestValue gathered(std::size_t input, const ReductionIteration& iteration,
                                     const SumTile::Place& place, std::int64_t step,
                                     std::vector<NestStatement>& out);
    [[nodiscard]] NestValue& in_iteration(std::size_t input, const SumTile::Place& place,
                                          std::int64_t step);
    [[nodiscard]] std::string next_name(std::size_t input);

    const ContractionPlan& plan_;
    LoopNest& nest_;
    LocalBlocks* blocks_ = nullptr;
    std::vector<std::string> prefixes_; ///< prefix of the names of each input's values
    std::vector<int> next_number_;      ///< next number for each input's names, in the present body
    std::vector<KnownRead> reads_;      ///< reads made in the present run of statements
    std::vector<KnownVector> vectors_;  ///< vectors joined in it
    std::vector<NestIndex> indices_;    ///< indices for arithmetic defined in it
    int next_index_ = 0;
    /// Values of the present iteration by input, place and step; none_yet where the value is not
    /// there yet.
    std::vector<NestValue> iteration_;
};

} // namespace texelscope::codegen
