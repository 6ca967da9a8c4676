#include "sim/cache/set_of_line.hpp"

#include <bit>

namespace texelscope::sim {

SetOfLine::SetOfLine(std::int64_t sets, bool xor_folded) : sets_(sets), xor_folded_(xor_folded)
{
    if (std::has_single_bit(static_cast<std::uint64_t>(sets))) {
        mask_ = sets - 1;
        bits_ = std::countr_zero(static_cast<std::uint64_t>(sets));
    }
}

std::optional<std::int64_t> SetOfLine::rotation(const LineShift& shift) const
{
    // Under an xor of higher bits, no translation but the identity rotates the sets.
    if (xor_folded_ && sets_ > 1) {
        return shift.is_identity() ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    return shift.rotation(sets_);
}

} // namespace texelscope::sim
