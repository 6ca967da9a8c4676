#pragma once

#include "codegen/nest/loop_nest.hpp"

namespace texelscope::devices {

using namespace texelscope::codegen;

/// Whether Mesa writes a loop out: at most 32 iterations, and a body whose instructions, times the
/// iterations, are at most 26 * 32 (nir_opt_loop_unroll with max_unroll_iterations = 32, as the
/// drivers for Adreno and Mali ask for it). A loop around one that stays is not written out.
/// Adreno's compiler counts numbers; Mali's (`vectors`) an operation on a vector as one, up to 1.3
/// times as many.
/// What a statement counts was fitted to compiled kernels with one loop: it says right in 97 % of
/// 309 on Adreno, and of all kernels, with up to six loops, in 85 % on either.
[[nodiscard]] bool is_written_out(const LoopNest& nest, const NestLoop& loop, bool vectors);

} // namespace texelscope::devices
