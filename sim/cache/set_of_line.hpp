#pragma once

#include "sim/layout/line_shift.hpp"

#include <cstdint>
#include <optional>

namespace texelscope::sim {

/// Where a line of a cache goes: set = line mod sets, or the xor of the line number's groups of
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
    /// Where set = line & mask: the mask.
    [[nodiscard]] std::optional<std::int64_t> mask() const
    {
        return mask_ >= 0 && !xor_folded_ ? std::optional(mask_) : std::nullopt;
    }
    /// The rotation of the sets under a translation of the lines; nothing where it is not a
    /// rotation.
    [[nodiscard]] std::optional<std::int64_t> rotation(const LineShift& shift) const;

private:
    std::int64_t sets_;
    std::int64_t mask_ = -1; ///< sets - 1 where that is a mask
    int bits_ = 0;
    bool xor_folded_;
};

} // namespace texelscope::sim
