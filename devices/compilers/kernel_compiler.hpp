#pragma once

#include "devices/compilers/mesa_compilers.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace texelscope::devices {

/// The compiler of one GPU, asked for the same kernels again and again, from several threads.
class KernelCompiler {
public:
    /// Throws missing where there is no compiler for the GPU.
    KernelCompiler(MesaCompilers compilers, const CompilerGpu& gpu);

    [[nodiscard]] const CompilerGpu& gpu() const { return gpu_; }
    /// What it makes of a program with one kernel. Throws as MesaCompilers::compile() does.
    [[nodiscard]] const CompiledKernel& of(const std::string& text) const;
    /// The same, where it has been asked for before; null: it has not, or it did not compile.
    [[nodiscard]] const CompiledKernel* known(const std::string& text) const;
    /// The same of many, which takes far less time than one after another. What does not compile is left out.
    void prepare(std::span<const std::string> texts, int threads, const Progress& progress = {},
                 const StopToken& stop = {}) const;

private:
    MesaCompilers compilers_;
    const CompilerGpu& gpu_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, CompiledKernel, std::less<>> known_; ///< by text
};

/// The GPU that a device profile is about: that of its name, without a variant behind ("mali-g77-tmmodel"). Throws bad_input,
/// listing those that there are, for another one.
[[nodiscard]] const CompilerGpu& compiler_gpu_of(const std::string& profile);

} // namespace texelscope::devices
