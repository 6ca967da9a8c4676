#pragma once

#include "base/layers.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::devices {

/// Number of a value in MachineCode::values: one number of one work-item, or a pair of coordinates.
using MachineValue = std::int32_t;
/// A few of them: those of one instruction.
using MachineValues = boost::container::small_vector<MachineValue, 4>;

/// What an instruction does, as far as its place in the order depends on it.
enum class MachineKind : std::uint8_t {
    arithmetic,
    collect, ///< puts numbers side by side for a read or a write that takes them so
    texture, ///< reads a texel of an image
    load,    ///< reads a buffer
    local_load,
    store, ///< to an image or a buffer
    local_store,
    barrier,
};

struct MachineInstruction {
    MachineKind kind = MachineKind::arithmetic;
    MachineValues uses; ///< each once, ascending
    MachineValues makes;
    int cycles = 1; ///< to issue it
};

/// Instructions in source order, without a jump between them.
using MachineBlock = std::vector<MachineInstruction>;

/// A loop that stays one.
struct MachineLoop {
    std::size_t first = 0, last = 0; ///< its blocks
    /// Values that an iteration hands to the next: as they come in, and as they leave. They share a
    /// register.
    std::vector<std::pair<MachineValue, MachineValue>> carried;
};

/// A kernel as a compiler has it before it orders the instructions and hands out registers.
struct MachineCode {
    struct Value {
        std::int8_t half_registers = 2; ///< that it takes: 2 are 32 bits
        bool uniform = false;           ///< the same in all work-items of a warp
        /// Kept in a register that they share, where the GPU has those.
        bool shared = false;
    };
    std::vector<Value> values;
    std::vector<MachineBlock> blocks;
    std::vector<MachineLoop> loops;
};

} // namespace texelscope::devices
