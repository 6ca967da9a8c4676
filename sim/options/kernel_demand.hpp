#pragma once

#include "base/units.hpp"

#include <optional>

namespace texelscope::sim {

/// Through which cache of the first level reads of buffers go.
struct BufferPath {
    enum class Kind {
        images_l1, ///< that of the images
        own_l1,    ///< one beside it, which differs in its capacity alone
        l2,        ///< none: each warp access asks the next level for what it reads
    } kind = Kind::images_l1;
    Bytes capacity{0}; ///< of own_l1

    bool operator==(const BufferPath&) const = default;
};

/// What a kernel asks of a core, beside its reads, which the trace has.
struct KernelDemand {
    std::optional<int> registers_per_item =
        {}; ///< 32-bit registers of a work-item. Nothing: not known, and not limiting.
    int spilled_registers =
        0; ///< of a work-item: what the kernel needs beyond them, kept in memory
    /// Warps that it leaves room for on a core, where its compiler has told. Nothing: by the rule
    /// (Machine::register_rule).
    std::optional<int> compiled_warps = {};
    std::optional<int> local_warps =
        {}; ///< whose work-groups the local memory of a core has room for. Nothing: all.
    std::optional<int> occupancy = {}; ///< warps, set by hand: overrides what all else gives
    BufferPath buffers;                ///< the way of its reads of buffers, if it has some
    double alu_cycles_per_step = 0;    ///< arithmetic of one warp between two of its accesses
    /// Instructions of a multiply-add and the like: less than one where the kernel's numbers are
    /// halves and go in pairs.
    double operation = 1;

    bool operator==(const KernelDemand&) const = default;

    /// Whether reads of an image, or of a buffer, go past the images' L1.
    [[nodiscard]] bool past_l1(bool buffer) const
    {
        return buffer && buffers.kind != BufferPath::Kind::images_l1;
    }
};

} // namespace texelscope::sim
