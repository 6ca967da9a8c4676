#pragma once

#include "base/layers.hpp"

#include <span>
#include <string>

namespace texelscope::devices {

enum class CompilerFamily { adreno, mali };
/// "adreno", "mali".
[[nodiscard]] std::string to_string(CompilerFamily family);

/// A GPU that a compiler of Mesa can compile for.
struct CompilerGpu {
    const char* name; ///< name for `--gpu`; device profiles of this name are of this GPU
    CompilerFamily family;
    const char* id;   ///< as Mesa's stand-in for the hardware takes it (FD_GPU_ID, PAN_GPU_ID)
    const char* core; ///< what the id stands for, where it is a sibling with the same core
    int warp;         ///< work-items of the narrow warp
    /// Adreno: vec4 registers of a work-item if two warps run (reg_size_vec4). Mali: 0.
    int registers;
    /// Mali: work-items of a core with at most 32 registers each; 0: not known. Adreno: 0.
    int threads;
    /// Adreno: what is the same in all work-items of a warp is calculated once.
    bool shared_registers = false;
    /// Adreno: a texture read takes its coordinates from wherever they are.
    bool aliases = false;
};

/// All of them. Adreno: Mesa 26.1.6, freedreno_devices.py. Mali: Arm GPU datasheet, version 7.
[[nodiscard]] std::span<const CompilerGpu> compiler_gpus();

/// Throws bad_input, listing the names, where there is none.
[[nodiscard]] const CompilerGpu& find_compiler_gpu(const std::string& name);

} // namespace texelscope::devices
