#pragma once

#include "codegen/nest/loop_nest.hpp"

#include <string>

namespace texelscope::codegen {

/// OpenCL C of an expression in a nest, as precedence asks for parentheses.
[[nodiscard]] std::string opencl_text(const NumberExpr& expression, const LoopNest& nest);

/// OpenCL C type of so many numbers: "float4", or "number4" where the device decides whether they
/// are float or half.
[[nodiscard]] std::string vector_type(const LoopNest& nest, NumberType type, int numbers);

/// A number of float32 as OpenCL C writes it: "0.5f". All of its digits, or nine.
[[nodiscard]] std::string literal(double number, bool all_digits = false);

/// ".x", ".y", ".z", ".w".
[[nodiscard]] const char* component_text(int component);

} // namespace texelscope::codegen
