#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <cstdint>

namespace texelscope::devices {

using namespace texelscope::codegen;

/// What a compiler writes out: loops of at most so many iterations, whose instructions times the
/// iterations are at most so many. Mesa's: nir_opt_loop_unroll with max_unroll_iterations = 32, as
/// the drivers for Adreno and Mali ask for it.
struct UnrollRule {
    std::int64_t iterations = 32;
    double instructions = 26 * 32;
};

/// Whether Mesa writes a loop out by this rule. A loop around one that stays is not written out.
/// Adreno's compiler counts numbers; Mali's (`vectors`) an operation on a vector as one, up to 1.3
/// times as many.
/// What a statement counts was fitted to compiled kernels with one loop: it says right in 97 % of
/// 309 on Adreno, and of all kernels, with up to six loops, in 85 % on either.
[[nodiscard]] bool is_written_out(const LoopNest& nest, const NestLoop& loop, bool vectors,
                                  const UnrollRule& rule = {});

} // namespace texelscope::devices
