#pragma once

#include "devices/compilers/mesa_compilers.hpp"
#include "devices/profile/device_profile.hpp"

#include <array>
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
    /// Compiles a program with one kernel. Throws as MesaCompilers::compile() does.
    [[nodiscard]] const CompiledKernel& of(const std::string& text) const;
    /// The same, but only if the program was compiled before; null if it was not, or did not
    /// compile.
    [[nodiscard]] const CompiledKernel* known(const std::string& text) const;
    /// Compiles many programs in advance, so that of() then knows them. That takes far less time
    /// than one after another, and can be interrupted. Programs that do not compile are left out.
    void prepare(std::span<const std::string> texts, int threads, const Progress& progress = {},
                 const StopToken& stop = {}) const;

private:
    MesaCompilers compilers_;
    const CompilerGpu& gpu_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, CompiledKernel, std::less<>> known_; ///< by text
};

/// The GPU that a device profile is about: that of its name, without a variant behind
/// ("mali-g77-tmmodel"); null where there is no compiler for it.
[[nodiscard]] const CompilerGpu* known_compiler_gpu(const std::string& profile);
/// The same, but throws bad_input, listing those that there are, for another one.
[[nodiscard]] const CompilerGpu& compiler_gpu_of(const std::string& profile);

/// Where registers of kernels come from, and how many of their warps fit: "estimated" or
/// "compiled".
inline constexpr std::array registers_words{"estimated", "compiled"};
/// The profile with registers that come from there, compiled ones from the compiler of its GPU.
/// Throws bad_input for another word, and as compiler_gpu_of() and KernelCompiler() do.
[[nodiscard]] DeviceProfile with_registers(DeviceProfile profile, const std::string& from);
/// "estimated", or "compiled by Mesa for adreno-740".
[[nodiscard]] std::string registers_text(const DeviceProfile& profile);

} // namespace texelscope::devices
