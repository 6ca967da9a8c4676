#include "devices/compilers/compiled_kernel.hpp"

#include <algorithm>

namespace texelscope::devices {

std::string to_string(InstructionClass what)
{
    constexpr std::array<const char*, instruction_classes> names{
        "address", "conversion", "multiply-add", "arithmetic", "special", "move",
        "texture", "load",       "store",        "spill",      "control", "wait"};
    return names[static_cast<std::size_t>(what)];
}

std::string to_string(CompiledLimit limit)
{
    switch (limit) {
    case CompiledLimit::registers:
        return "registers";
    case CompiledLimit::warp_limit:
        return "the warp limit";
    case CompiledLimit::other:
        break;
    }
    return "local memory or branches";
}

int CompiledKernel::reads_in_flight() const
{
    return reads_between_waits.empty()
               ? 0
               : *std::max_element(reads_between_waits.begin(), reads_between_waits.end());
}

} // namespace texelscope::devices
