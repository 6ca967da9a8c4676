#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/nest/schedule.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// How the loops of a reduction stand: L and U of a schedule.
struct LoopChoice {
    std::vector<std::string> order;  ///< outermost first; empty: the operator's own
    std::vector<std::string> unroll; ///< written out

    void put_into(codegen::Schedule& schedule) const;
    bool operator==(const LoopChoice&) const = default;
};

/// The loops in their own order, or in every order that differs; with none written out, and, where
/// that may be searched, with as many of the innermost as make 32 iterations at most. Of loops
/// within each other that are written out, a texel that several iterations need is read once: that
/// is what those of taps are written out for, with the channels around them.
[[nodiscard]] std::vector<LoopChoice> loop_choices(const codegen::Contraction& contraction,
                                                   bool orders, bool written_out);

/// The loop over channels around the others, or the operator's own order; and of the loops over
/// taps so many of the innermost written out: fewer where they have more than 128 iterations.
[[nodiscard]] LoopChoice loops_with(const codegen::Contraction& contraction,
                                    bool channels_outermost, int taps_written_out);

} // namespace texelscope::workbench::network_studies
