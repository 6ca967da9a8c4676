#pragma once

#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <optional>

namespace texelscope::sim {

/// The set of a line (SetIndex): line mod sets, or the xor of the line number's groups of
/// log2(sets) bits.
class SetOfLine {
public:
    SetOfLine(std::int64_t sets, bool xor_folded);
    [[nodiscard]] std::int64_t operator()(std::int64_t line) const
    {
        if (!xor_folded_) {
            return mask_ >= 0 ? line & mask_ : line % sets_;
        }
        std::int64_t set = 0;
        for (; bits_ > 0 && line > 0; line >>= bits_) {
            set ^= line & mask_;
        }
        return set;
    }
    [[nodiscard]] std::int64_t sets() const { return sets_; }
    /// The mask where set = line & mask; nullopt for other functions.
    [[nodiscard]] std::optional<std::int64_t> mask() const
    {
        return mask_ >= 0 && !xor_folded_ ? std::optional(mask_) : std::nullopt;
    }
    /// By how many sets a translation of the lines rotates all sets; nullopt where it does not move
    /// all of them by the same number.
    [[nodiscard]] std::optional<std::int64_t> rotation(const LineShift& shift) const;

private:
    std::int64_t sets_;
    std::int64_t mask_ = -1; ///< sets - 1 where sets is a power of two, else -1
    int bits_ = 0;           ///< log2(sets), for xor_folded
    bool xor_folded_;
};

} // namespace texelscope::sim
