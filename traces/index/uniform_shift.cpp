// After how many steps of a variable an expression has moved by a constant distance, whatever the
// other variables are. That is what jumps over loops need to know (sim/repetition). Periods longer
// than `longest` are given up: nobody could jump by them.

#include "traces/index/uniform_shift.hpp"

#include <numeric>

namespace texelscope::traces {
namespace {

std::optional<UniformShift> uniform_shift(const IndexAtom& atom, int slot, std::int64_t longest)
{
    if (atom.kind == IndexAtom::Kind::variable) {
        return UniformShift{1, atom.variable.slot == slot ? 1 : 0};
    }
    auto shift = traces::uniform_shift(*atom.operand, slot, longest);
    if (!shift) {
        return std::nullopt;
    }
    // floor((u + k d) / d) = floor(u / d) + k and (u + k d) mod d = u mod d: so the operand has to
    // move by a multiple of d, which it does after d / gcd(distance, d) periods.
    const std::int64_t times = atom.divisor / std::gcd(shift->distance, atom.divisor);
    if (times > longest / shift->period) {
        return std::nullopt;
    }
    return UniformShift{shift->period * times, atom.kind == IndexAtom::Kind::mod
                                                   ? 0
                                                   : shift->distance * times / atom.divisor};
}

} // namespace

std::optional<UniformShift> uniform_shift(const IndexExpr& e, int slot, std::int64_t longest)
{
    // The sum of terms repeats when all of them do: after the least common multiple of their
    // periods.
    UniformShift sum;
    for (const IndexTerm& term : e.terms()) {
        const auto one = uniform_shift(term.atom, slot, longest);
        if (!one) {
            return std::nullopt;
        }
        const std::int64_t period = std::lcm(sum.period, one->period);
        if (period > longest) {
            return std::nullopt;
        }
        sum = {period, sum.distance * (period / sum.period) +
                           term.factor * one->distance * (period / one->period)};
    }
    return sum;
}

} // namespace texelscope::traces
