#include "devices/compilers/compiler_gpu.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>

namespace texelscope::devices {
namespace {

constexpr CompilerFamily adreno = CompilerFamily::adreno;
constexpr CompilerFamily mali = CompilerFamily::mali;
constexpr std::array all{
    CompilerGpu{"adreno-618", adreno, "618", "", 64, 96, 0},
    CompilerGpu{"adreno-630", adreno, "630", "", 64, 96, 0},
    CompilerGpu{"adreno-640", adreno, "630", "Adreno 630", 64, 96, 0},
    CompilerGpu{"adreno-650", adreno, "660", "Adreno 660", 64, 64, 0, true},
    CompilerGpu{"adreno-660", adreno, "660", "", 64, 64, 0, true},
    CompilerGpu{"adreno-730", adreno, "730", "", 64, 96, 0, true, true},
    CompilerGpu{"adreno-740", adreno, "740", "", 64, 96, 0, true, true},
    CompilerGpu{"adreno-750", adreno, "750", "", 64, 96, 0, true, true},
    CompilerGpu{"mali-g71", mali, "6000", "", 4, 0, 384},
    CompilerGpu{"mali-g72", mali, "6221", "", 4, 0, 384},
    CompilerGpu{"mali-g52", mali, "7212", "", 8, 0, 768},
    CompilerGpu{"mali-g76", mali, "7211", "", 8, 0, 768},
    CompilerGpu{"mali-g57", mali, "9091", "", 16, 0, 1024},
    CompilerGpu{"mali-g77", mali, "9091", "Mali-G57", 16, 0, 1024},
    CompilerGpu{"mali-g78", mali, "9091", "Mali-G57", 16, 0, 1024},
    CompilerGpu{"mali-g610", mali, "a867", "", 16, 0, 2048},
    CompilerGpu{"mali-g710", mali, "a867", "Mali-G610", 16, 0, 2048},
    CompilerGpu{"mali-g310", mali, "ac74", "", 16, 0, 1024},
};

} // namespace

std::string to_string(CompilerFamily family)
{
    return family == adreno ? "adreno" : "mali";
}

std::span<const CompilerGpu> compiler_gpus()
{
    return all;
}

const CompilerGpu& find_compiler_gpu(const std::string& name)
{
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const CompilerGpu& gpu) { return gpu.name == name; });
    if (found == all.end()) {
        std::string names;
        for (const CompilerGpu& gpu : all) {
            names += (names.empty() ? "" : ", ") + std::string(gpu.name);
        }
        throw bad_input("there is no compiler for '" + name + "'", "--gpu", "use one of " + names);
    }
    return *found;
}

} // namespace texelscope::devices
