#pragma once

#include "devices/registers/machine_code.hpp"

#include <span>

namespace texelscope::devices {

/// The properties of a GPU that decide where values are kept.
struct RegisterKinds {
    /// Values that are the same in all work-items of a warp (uniform) have a register file of their
    /// own.
    bool shared = false;
    /// A texture read takes its coordinates from any registers, so that they need not be moved side
    /// by side.
    bool aliases = false;
};

/// Liveness analysis: at which instructions the values of a kernel are live, and how many registers
/// that takes. All sizes are in half registers.
class Liveness {
public:
    /// The code must outlive it.
    Liveness(const MachineCode& code, const RegisterKinds& kinds);

    /// Registers of the work-item that a value takes; uniform values may take none.
    [[nodiscard]] int size(MachineValue value) const { return sizes_[index(value)]; }
    /// Whether anything uses the value.
    [[nodiscard]] bool is_used(MachineValue value) const { return used_[index(value)]; }
    /// Whether the value is live at the end of the block.
    [[nodiscard]] bool outlives(MachineValue value, std::size_t block) const
    {
        return dies_[index(value)] > at(block);
    }

    /// Largest number of registers that are live at once in a block if its instructions run in this
    /// order (numbers of instructions).
    [[nodiscard]] int pressure(std::size_t block, std::span<const std::size_t> order) const;

private:
    static std::size_t index(MachineValue value) { return static_cast<std::size_t>(value); }
    /// Places: in a block, and behind it.
    static std::size_t at(std::size_t block) { return 2 * block; }
    static std::size_t behind(std::size_t block) { return 2 * block + 1; }
    [[nodiscard]] std::vector<MachineValues> sources(std::size_t block,
                                                     std::span<const std::size_t> order) const;

    const MachineCode& code_;
    RegisterKinds kinds_;
    std::vector<int> sizes_;
    std::vector<bool> used_;
    std::vector<std::size_t> dies_; ///< for each value, the last place where it is needed
    std::vector<int> through_;      ///< for each block, registers that are live when it is entered
};

} // namespace texelscope::devices
