#pragma once

#include "traces/native/trace_record.hpp"

namespace llvm {
class Instruction;
} // namespace llvm

namespace texelscope::traces {

/// What one execution of an instruction counts. A call of a built-in function counts what the
/// function computes; a call of a function of the program counts nothing, as its body is executed
/// instruction by instruction.
[[nodiscard]] ExecutedOperations operations_of(const llvm::Instruction& instruction);

} // namespace texelscope::traces
