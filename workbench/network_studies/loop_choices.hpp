#pragma once

#include "codegen/lowering/contraction.hpp"
#include "codegen/nest/schedule.hpp"

#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// Order and unrolling of the loops of a reduction: the parts L and U of a schedule.
struct LoopChoice {
    std::vector<std::string> order;  ///< outermost first; empty: the operator's own
    std::vector<std::string> unroll; ///< loops that are written out

    void put_into(codegen::Schedule& schedule) const;
    bool operator==(const LoopChoice&) const = default;
};

/// The choices for the loops of a contraction. `orders`: every order that makes a difference, else
/// the operator's own order alone. Each comes with no loop written out and, with `written_out`,
/// also with as many of the innermost loops written out as have at most 32 iterations together.
/// Where nested loops are written out, a texel that several iterations need is read only once: this
/// is the gain of writing out the loops over taps with the channels around them.
[[nodiscard]] std::vector<LoopChoice> loop_choices(const codegen::Contraction& contraction,
                                                   bool orders, bool written_out);

/// The choice with the loop over channels outermost, or else the operator's own order, and with the
/// innermost `taps_written_out` loops over taps written out; fewer where they would have more than
/// 128 iterations.
[[nodiscard]] LoopChoice loops_with(const codegen::Contraction& contraction,
                                    bool channels_outermost, int taps_written_out);

} // namespace texelscope::workbench::network_studies
