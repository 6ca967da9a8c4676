#pragma once

#include "devices/compilers/compiled_kernel.hpp"
#include "devices/compilers/compiler_gpu.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::devices {

/// What texelscope-build-kernel printed, the compiler's own words within.
struct BuildOutput {
    std::string driver;             ///< its version; empty where it did not come so far
    std::vector<std::string> files; ///< behind the mark of each file that was begun, in order
    bool ended = false;             ///< else the last file was not done with

    [[nodiscard]] std::size_t complete() const
    {
        return files.size() - (ended || files.empty() ? 0 : 1);
    }
};

[[nodiscard]] BuildOutput parse_build_output(const std::string& output);

/// What the compiler prints about one kernel of a program.
struct KernelOutput {
    std::string name; ///< empty where it is not told
    std::string text;
};

/// The output about a program, parted by the lines that name the kernel whose code follows
/// ("decl_function __wrapped_NAME () (entrypoint)"); in the order in which the kernels come first.
/// Mali's driver compiles a kernel once for launches with an offset and once without: the last is
/// the one that runs. Text without such a line is the output of one kernel.
[[nodiscard]] std::vector<KernelOutput> kernel_outputs(const std::string& output);

/// Reads what Mesa's compiler of a GPU prints about one kernel: the statistics and the listing of
/// IR3_SHADER_DEBUG=cs for Adreno, of BIFROST_MESA_DEBUG=shaderdb,shaders for Mali, in the formats
/// of Mesa 25 and 26. `driver`: the version that the driver tells. Throws bad_input
/// where the text has another form: what is counted in the listing has to agree with what the
/// compiler has counted.
[[nodiscard]] CompiledKernel
parse_compiler_output(const CompilerGpu& gpu, const std::string& driver, const std::string& output);

/// Whether the statistics of a kernel are there.
[[nodiscard]] bool has_statistics(const CompilerGpu& gpu, const std::string& output);

/// The part of a program's output that is read, which is far shorter.
[[nodiscard]] std::string essential_output(const CompilerGpu& gpu, const std::string& output);

} // namespace texelscope::devices
