// Which variables index expressions use, and what stands in their place.

#include "traces/index/index_expr.hpp"

#include <algorithm>
#include <iterator>

namespace texelscope::traces {

bool IndexExpr::uses_slots(int first, int last) const
{
    const auto terms = this->terms();
    return std::any_of(terms.begin(), terms.end(), [&](const Term& t) {
        return t.atom.kind == IndexAtom::Kind::variable
                   ? t.atom.variable.slot >= first && t.atom.variable.slot < last
                   : t.atom.operand->uses_slots(first, last);
    });
}

// Only terms whose value really changes are built anew; an expression that stays the same is
// shared.
IndexExpr IndexExpr::replace(const Replacement& value) const
{
    const auto replaced = [&](const IndexAtom& atom) -> std::optional<IndexExpr> {
        if (atom.kind == IndexAtom::Kind::variable) {
            return value(atom.variable);
        }
        const IndexExpr operand = atom.operand->replace(value);
        const bool stays =
            operand.constant_ == atom.operand->constant_ && operand.sum_ == atom.operand->sum_;
        return stays ? std::nullopt : std::optional(atom.over(operand));
    };
    IndexExpr changed;
    std::vector<Term> unchanged;
    for (const Term& t : terms()) {
        if (const std::optional<IndexExpr> atom = replaced(t.atom)) {
            changed = changed + *atom * t.factor;
        } else {
            unchanged.push_back(t);
        }
    }
    return unchanged.size() == terms().size()
               ? *this
               : changed + IndexExpr(constant_, sum_of(std::move(unchanged)));
}

IndexExpr IndexExpr::substitute(int slot, const IndexExpr& replacement) const
{
    if (!uses_slots(slot, slot + 1)) {
        return *this;
    }
    return replace([&](const Variable& v) {
        return v.slot == slot ? std::optional(replacement) : std::nullopt;
    });
}

// `inside` decides for each term; the constant always belongs to the rest.
IndexExpr::Split IndexExpr::split(const std::function<bool(const IndexAtom&)>& inside) const
{
    const auto all = terms();
    const auto is_inside = [&](const Term& t) { return inside(t.atom); };
    const auto count = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_inside));
    if (count == all.size()) {
        return {{0, sum_}, constant_};
    }
    if (count == 0) {
        return {0, *this};
    }
    std::vector<Term> in;
    std::vector<Term> rest;
    in.reserve(count);
    rest.reserve(all.size() - count);
    std::partition_copy(all.begin(), all.end(), std::back_inserter(in), std::back_inserter(rest),
                        is_inside);
    return {{0, sum_of(std::move(in))}, {constant_, sum_of(std::move(rest))}};
}

IndexExpr::Split IndexExpr::split(int first, int last) const
{
    return split([&](const IndexAtom& atom) {
        const IndexExpr alone = atom.expr();
        return !alone.uses_slots(0, first) && !alone.uses_slots(last, 1 << 30);
    });
}

} // namespace texelscope::traces
