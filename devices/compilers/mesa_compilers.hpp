#pragma once

#include "base/error.hpp"
#include "base/progress.hpp"
#include "base/stop.hpp"
#include "devices/compilers/compiled_kernel.hpp"
#include "devices/compilers/compiler_gpu.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::devices {

/// What became of a kernel: what was made of it, or why nothing was.
using Compiled = std::variant<CompiledKernel, Error>;
struct NamedKernel {
    std::string name;
    Compiled compiled;
};

/// Mesa's OpenCL compilers for Adreno and Mali in a folder: Debian's packages unpacked, entered by
/// chroot, with a stand-in for the hardware. They compile; nothing can run. Adreno's come as well
/// from this system's Mesa where it has that stand-in.
class MesaCompilers {
public:
    /// Empty: texelscope/compilers in the user's cache folder. `programs`: folder with
    /// texelscope-build-kernel; empty: that of the running program.
    explicit MesaCompilers(std::string folder = {}, std::string programs = {});

    [[nodiscard]] const std::string& folder() const { return folder_; }
    /// Whether there is a compiler for the family.
    [[nodiscard]] bool has(CompilerFamily family) const;

    /// Throws missing, saying how to get it, where there is no compiler for the GPU.
    void require(const CompilerGpu& gpu) const;

    /// Fetches and unpacks the packages of a family where they are not there. Returns the bytes
    /// that they take. Throws missing, with the reason, where apt, its signatures or user
    /// namespaces are.
    std::int64_t set_up(CompilerFamily family, const Progress& progress = {}) const;

    /// What the compiler makes of programs with one kernel each, in their order; a few share a
    /// process, as its start takes a second, and under emulation several. Kept like those of
    /// compile(). Throws missing where there is no compiler, and Interrupted, with its processes
    /// ended, where `stop`, which any thread may ask, answers true.
    [[nodiscard]] std::vector<Compiled> compile_all(const CompilerGpu& gpu,
                                                    std::span<const std::string> texts,
                                                    const std::string& options, int threads,
                                                    const Progress& progress = {},
                                                    const StopToken& stop = {}) const;

    /// What the compiler makes of a program with one kernel. Kept by text, options, GPU and
    /// compiler: the same question is answered without compiling. Throws missing where there is no
    /// compiler, or it did not end in time; bad_input where the text does not compile; Interrupted.
    [[nodiscard]] CompiledKernel compile(const CompilerGpu& gpu, const std::string& text,
                                         const std::string& options,
                                         const StopToken& stop = {}) const;

    /// What the compiler makes of all kernels of a program, at least one, in the order in which it
    /// compiles them. A kernel of equal code as another one is compiled once; of the second the
    /// compiler tells nothing, which is its error. Kept and thrown as by compile().
    [[nodiscard]] std::vector<NamedKernel> compile_kernels(const CompilerGpu& gpu,
                                                           const std::string& text,
                                                           const std::string& options,
                                                           const StopToken& stop = {}) const;

private:
    std::string folder_;
    std::string programs_;
};

} // namespace texelscope::devices
