#pragma once

#include "codegen/lowering/contraction_plan.hpp"
#include "codegen/lowering/local_blocks.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::codegen {

/// The reads of a contraction, each made once in a run of statements without a loop: iterations of
/// loops that are written out share their texels.
class ContractionReads {
public:
    /// Both must outlive it; values are added to the nest.
    ContractionReads(const ContractionPlan& plan, LoopNest& nest);

    /// From here on, inputs that `blocks` holds are taken from there; null: every input is read. It
    /// must outlive the use.
    void take_from(LocalBlocks* blocks) { blocks_ = blocks; }
    /// A body starts: nothing has been read in it, and names start anew.
    void enter_body();
    /// Behind the body: what it has read may be out of scope, its names are not free.
    void enter_epilogue() { leave_body(); }
    /// A loop ends: what it has read is out of scope.
    void leave_body();
    /// The loops are at another iteration; what has been read stays.
    void enter_iteration();
    /// What an input gives the sum at a place, for step `step` of a texel of channels. Reads that
    /// are new go to `out`.
    [[nodiscard]] NestFactor factor(std::size_t input, const ReductionIteration& iteration,
                                    const SumTile::Place& place, std::int64_t step,
                                    std::vector<NestStatement>& out);
    /// The variable of an index that arithmetic needs, calculated once in a run of statements.
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
    std::vector<std::string> prefixes_; ///< of the names of each input's values
    std::vector<int> next_number_;      ///< of each input's names, in the present body
    std::vector<KnownRead> reads_;      ///< of the present run of statements
    std::vector<KnownVector> vectors_;  ///< there
    std::vector<NestIndex> indices_;    ///< of arithmetic, there
    int next_index_ = 0;
    /// Of the present iteration, by input, place and step; none_yet where there is none.
    std::vector<NestValue> iteration_;
};

} // namespace texelscope::codegen
