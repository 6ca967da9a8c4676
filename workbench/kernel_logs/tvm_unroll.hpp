#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// A loop as TVM's UnrollLoop pass meets it.
struct TvmLoop {
    std::int64_t extent = 1;
    bool marked = false; ///< the schedule itself has it unrolled
};

/// Which of the loops are written out, in their order: TVM's UnrollLoop pass (apache/tvm
/// src/tir/transforms/unroll_loop.cc) over one nest whose innermost body has `stores` stores. A
/// loop is written out where it is marked, or where no loop inside of it stays a loop, at most nine
/// loops are written out, and the stores of all its iterations are at most `most_steps`. Loops of
/// one iteration are none: TVM makes no loop of them. `loops`: the innermost first.
[[nodiscard]] std::vector<bool> written_out(const std::vector<TvmLoop>& loops, std::int64_t stores,
                                            std::int64_t most_steps);

} // namespace texelscope::workbench::kernel_logs
