#pragma once

#include "devices/registers/machine_code.hpp"

#include <span>

namespace texelscope::devices {

/// What of a GPU decides where values are kept.
struct RegisterKinds {
    /// Values that are the same in all work-items of a warp have registers of their own.
    bool shared = false;
    /// A texture read takes its coordinates from where they are: they need not be put side by side.
    bool aliases = false;
};

/// Where the values of a kernel live, and how many registers that takes. All sizes are in half
/// registers.
class Liveness {
public:
    /// The code must outlive it.
    Liveness(const MachineCode& code, const RegisterKinds& kinds);

    /// Registers of the work-item's own that a value takes.
    [[nodiscard]] int size(MachineValue value) const { return sizes_[index(value)]; }
    /// Whether anything uses the value.
    [[nodiscard]] bool is_used(MachineValue value) const { return used_[index(value)]; }
    /// Whether it is still needed when the block has been left.
    [[nodiscard]] bool outlives(MachineValue value, std::size_t block) const
    {
        return dies_[index(value)] > at(block);
    }

    /// Most registers that are taken at a time in a block whose instructions run in that order
    /// (numbers of its instructions).
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
    std::vector<std::size_t> dies_; ///< the last place where a value is needed
    std::vector<int> through_;      ///< of each block, what is live as it is entered
};

} // namespace texelscope::devices
