#pragma once

#include "base/units.hpp"

#include <optional>

namespace texelscope::sim {

/// Which cache reads of buffers meet first.
struct BufferPath {
    enum class Kind {
        images_l1, ///< the L1 of the images
        own_l1,    ///< an L1 of their own, which differs from that of the images in capacity alone
        l2,        ///< the level behind L1
    } kind = Kind::images_l1;
    Bytes capacity{0}; ///< of own_l1

    bool operator==(const BufferPath&) const = default;
};

/// What a kernel asks of a core, besides its reads, which are in the trace.
struct KernelDemand {
    /// 32-bit registers of a work-item. nullopt: not known, and registers do not limit the warps.
    std::optional<int> registers_per_item = {};
    /// Registers that a work-item needs beyond these; their values are kept in memory.
    int spilled_registers = 0;
    /// How many words of 32 bits a work-item stores and loads for them in all, by what the kernel's
    /// compiler has told. nullopt: this follows from the machine's SpillRule.
    std::optional<double> spill_accesses = {};
    /// Warps that fit on a core by what the kernel's compiler has told. nullopt: they follow from
    /// Machine::register_rule.
    std::optional<int> compiled_warps = {};
    /// Warps for whose work-groups the local memory of a core has room. nullopt: no limit.
    std::optional<int> local_warps = {};
    std::optional<int> occupancy = {}; ///< warps of a core, set by hand: overrides all limits
    BufferPath buffers;                ///< the way of the kernel's reads of buffers
    double alu_cycles_per_step = 0;    ///< cycles of arithmetic of a warp between two accesses
    /// Instructions of a multiply-add and the like; less than 1 where the kernel computes in half
    /// precision, with two numbers per instruction, more where its text writes loops out
    /// (Instructions::unroll_slowdown).
    double operation = 1;

    bool operator==(const KernelDemand&) const = default;

    /// Whether reads do not go through the images' L1. `buffer`: they are reads of a buffer.
    [[nodiscard]] bool past_l1(bool buffer) const
    {
        return buffer && buffers.kind != BufferPath::Kind::images_l1;
    }
};

} // namespace texelscope::sim
