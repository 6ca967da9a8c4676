#pragma once

#include "codegen/nest/half_sums.hpp"

namespace texelscope::codegen {

struct LoopNest;

/// 32-bit registers of one work-item, estimated from the statements in their order: the largest
/// sum, over all places, of the values that are live there (defined before, used later; around a
/// loop, what the loop uses of what is outside), index variables and loop counters at one register
/// each, and `addressing_registers` for the address at hand. In half precision two numbers share a
/// register. A compiler that moves reads forward to hide their latency needs more, one that
/// recomputes addresses fewer.
[[nodiscard]] int register_footprint(const LoopNest& nest, Precision arithmetic = Precision::fp32);

inline constexpr int addressing_registers = 4;

} // namespace texelscope::codegen
