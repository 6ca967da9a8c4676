#pragma once

#include "devices/compilers/compiled_kernel.hpp"
#include "devices/compilers/compiler_gpu.hpp"

#include <QString>
#include <string>

namespace texelscope::gui {

/// The GPU of a profile where its compiler is there, else the line that says why it is not, and
/// what to do.
struct CompilerChoice {
    const CompilerGpu* gpu = nullptr;
    QString why_not;
};
[[nodiscard]] CompilerChoice choose_compiler(const std::string& profile);

/// "64 registers; 12 warps of 64 work-items on a core, limited by registers; 171 instructions; 8
/// reads in flight; no spills".
[[nodiscard]] QString compiled_summary(const CompiledKernel& kernel);
/// In plain words, that and how much a kernel spills; empty where it does not.
[[nodiscard]] QString spills_line(const CompiledKernel& kernel);
/// What else is known: GPU, compiler, classes of instructions, code.
[[nodiscard]] QString compiled_details(const CompiledKernel& kernel);

} // namespace texelscope::gui
