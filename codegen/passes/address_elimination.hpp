#pragma once

#include <cstdint>

namespace texelscope::codegen {

struct LoopNest;

/// Names the common parts of addresses so that they are calculated once: Romou's common
/// address-calculation elimination (Romou, algorithm 1), taken one step further by hoisting. Going
/// from the outermost scope inwards, the part of each coordinate that a scope can already calculate
/// (every term over work-item ids, earlier names and the loop variables around it) becomes a `const
/// int` of that scope where a loop inside uses it or two coordinates share it; divisions and
/// remainders that several coordinates share get names of their own. The accesses stay the same,
/// and so does launch_of().
void eliminate_addresses(LoopNest& nest);

/// Operations (additions, multiplications, divisions, remainders) of one work-item's address
/// calculations.
struct AddressOperations {
    std::int64_t in_text = 0;  ///< operations in the text
    std::int64_t executed = 0; ///< operations times the iterations of the loops around them
};
/// Counts them over all coordinates of reads and writes and all index variables, as they stand in
/// the kernel text, before the device's compiler optimises.
[[nodiscard]] AddressOperations address_operations(const LoopNest& nest);

} // namespace texelscope::codegen
