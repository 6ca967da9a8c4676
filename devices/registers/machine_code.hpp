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

/// Kind of an instruction, as far as the order of instructions depends on it.
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
    int cycles = 1; ///< cycles to issue it
};

/// Instructions in source order, without a jump between them.
using MachineBlock = std::vector<MachineInstruction>;

/// A loop that is not unrolled.
struct MachineLoop {
    std::size_t first = 0, last = 0; ///< numbers of its first and last block
    /// Values that an iteration passes to the next: each as it enters the iteration, and as it
    /// leaves it. Both share a register.
    std::vector<std::pair<MachineValue, MachineValue>> carried;
};

/// A kernel as a compiler has it before it orders the instructions and hands out registers.
struct MachineCode {
    struct Value {
        std::int8_t half_registers = 2; ///< size in half registers: 2 are 32 bits
        bool uniform = false;           ///< the same in all work-items of a warp
        /// Such a value is kept in a shared register, if the GPU has those.
        bool shared = false;
    };
    std::vector<Value> values;
    std::vector<MachineBlock> blocks;
    std::vector<MachineLoop> loops;
};

} // namespace texelscope::devices
