#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::devices {

/// Class of an instruction by what it does.
enum class InstructionClass {
    address,      ///< whole-number arithmetic
    conversion,   ///< between whole numbers and floats
    multiply_add, ///< of floats
    arithmetic,   ///< of floats otherwise
    special,      ///< reciprocals, roots, exponentials, logarithms
    move,         ///< registers, constants, selects
    texture,      ///< reads of images through the texture unit
    load,         ///< of buffers, local memory and constants
    store,        ///< to images, buffers and local memory
    spill,        ///< loads and stores of registers that found no room
    control,      ///< branches, barriers, the end
    wait,         ///< nothing, until something else is done
};
inline constexpr std::size_t instruction_classes = 12;
/// "address", "conversion", "multiply-add" ...
[[nodiscard]] std::string to_string(InstructionClass what);

/// The resource that limits how many warps run on a core together.
enum class CompiledLimit { registers, warp_limit, other };
/// "registers", "the warp limit", "local memory or branches".
[[nodiscard]] std::string to_string(CompiledLimit limit);

/// A line of a compiler's listing.
struct ListingLine {
    std::string text;
    InstructionClass what = InstructionClass::move;
    /// How often the instruction of the line is executed; 0 if the line has none.
    int times = 0;
    int nops = 0; ///< idle cycles in front of the instruction, encoded in it
    bool waits_before = false, waits_after = false; ///< for texture data

    [[nodiscard]] bool waits() const { return waits_before || waits_after; }
    [[nodiscard]] bool reads_texture() const
    {
        return times > 0 && what == InstructionClass::texture;
    }
};

/// What a real compiler made of a kernel: the statistics that it prints, and what its listing
/// shows.
struct CompiledKernel {
    std::string name;       ///< of the kernel; empty where it was not told
    std::string gpu;        ///< e.g. "adreno-740"
    std::string compiler;   ///< e.g. "Mesa 26.1.6, ir3"
    int registers = 0;      ///< of a work-item, 32 bits each
    int vec4_registers = 0; ///< the same, as Adreno counts them; 0 elsewhere
    int warp_size = 0;
    int warps = 0; ///< warps that run on a core together, as far as the kernel limits them
    CompiledLimit limit = CompiledLimit::warp_limit;
    int instructions = 0;                            ///< as the compiler counts them
    std::array<int, instruction_classes> by_class{}; ///< a repeated instruction as often as it runs
    /// Texture reads issued between one wait for texture data and the next, in order.
    std::vector<int> reads_between_waits;
    int spill_stores = 0, spill_loads = 0;
    std::int64_t code_bytes = 0;
    int loops = 0;
    std::vector<ListingLine> listing;

    [[nodiscard]] int count(InstructionClass what) const
    {
        return by_class[static_cast<std::size_t>(what)];
    }
    int& count(InstructionClass what) { return by_class[static_cast<std::size_t>(what)]; }
    /// Most texture reads of a work-item that are under way before the first of them is waited for;
    /// 0 without any.
    [[nodiscard]] int reads_in_flight() const;
};

} // namespace texelscope::devices
