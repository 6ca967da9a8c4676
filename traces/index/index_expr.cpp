// The normal form of index expressions: a constant plus a sum of factors times atoms, where an atom
// is a variable, a quotient or a remainder. Atoms are distinct and in a fixed order, no factor is
// 0, so equal sums are equal term by term, which makes comparing and hashing cheap. Sums are shared
// and never changed after they were made.

#include "traces/index/index_expr.hpp"

#include <algorithm>
#include <stdexcept>

namespace texelscope::traces {
namespace {

using Term = IndexExpr::Term;

int compare(const IndexExpr& a, const IndexExpr& b);

/// Total order on atoms: variables by slot, then divisions and remainders by divisor and operand.
int compare(const IndexAtom& a, const IndexAtom& b)
{
    if (a.kind != b.kind) {
        return a.kind < b.kind ? -1 : 1;
    }
    if (a.kind == IndexAtom::Kind::variable) {
        return a.variable.slot - b.variable.slot;
    }
    if (a.divisor != b.divisor) {
        return a.divisor < b.divisor ? -1 : 1;
    }
    return compare(*a.operand, *b.operand);
}

int compare(const IndexExpr& a, const IndexExpr& b)
{
    if (a.constant() != b.constant()) {
        return a.constant() < b.constant() ? -1 : 1;
    }
    const auto ta = a.terms();
    const auto tb = b.terms();
    for (std::size_t i = 0; i < std::min(ta.size(), tb.size()); ++i) {
        if (const int c = compare(ta[i].atom, tb[i].atom); c != 0) {
            return c;
        }
        if (ta[i].factor != tb[i].factor) {
            return ta[i].factor < tb[i].factor ? -1 : 1;
        }
    }
    return ta.size() == tb.size() ? 0 : (ta.size() < tb.size() ? -1 : 1);
}

// A negative factor swaps the ends of a range.
Range scaled(Range r, std::int64_t factor)
{
    return factor >= 0 ? Range{r.min * factor, r.max * factor}
                       : Range{r.max * factor, r.min * factor};
}

bool before(const Term& a, const Term& b)
{
    return compare(a.atom, b.atom) < 0;
}

// A multiplicative hash: shifting the high bits down lets every bit of the number count.
std::size_t hash_with(std::size_t hash, std::int64_t number)
{
    constexpr std::size_t odd = 0x9e3779b97f4a7c15; // 2^64 over the golden ratio
    return (hash ^ (hash >> 29) ^ static_cast<std::size_t>(number)) * odd;
}

std::size_t hash_of(const std::vector<Term>& terms)
{
    std::size_t hash = 0;
    for (const Term& t : terms) {
        hash = hash_with(hash, t.factor);
        if (t.atom.kind == IndexAtom::Kind::variable) {
            hash = hash_with(hash, t.atom.variable.slot);
        } else {
            hash = hash_with(hash_with(hash, t.atom.divisor),
                             static_cast<std::int64_t>(t.atom.operand->hash()));
        }
    }
    return hash;
}

/// Sorts by atom, adds up equal atoms, drops zero factors.
std::vector<Term> collect(std::vector<Term> terms)
{
    const auto not_before = [](const Term& a, const Term& b) { return !before(a, b); };
    if (std::adjacent_find(terms.begin(), terms.end(), not_before) == terms.end() &&
        std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.factor != 0; })) {
        return terms; // distinct and in order
    }
    std::vector<Term> sum;
    sum.reserve(terms.size());
    for (Term& t : terms) {
        const auto place = std::lower_bound(sum.begin(), sum.end(), t, before);
        if (place != sum.end() && compare(place->atom, t.atom) == 0) {
            place->factor += t.factor;
        } else {
            sum.insert(place, std::move(t));
        }
    }
    std::erase_if(sum, [](const Term& t) { return t.factor == 0; });
    return sum;
}

/// The sum of terms that are in order and distinct on either side.
std::vector<Term> merge(std::span<const Term> a, std::span<const Term> b)
{
    std::vector<Term> sum;
    sum.reserve(a.size() + b.size());
    auto next = b.begin();
    for (const Term& t : a) {
        int order = 1;
        while (next != b.end() && (order = compare(next->atom, t.atom)) < 0) {
            sum.push_back(*next++);
        }
        const std::int64_t factor = t.factor + (order == 0 ? (next++)->factor : 0);
        if (factor != 0) {
            sum.push_back({factor, t.atom});
        }
    }
    sum.insert(sum.end(), next, b.end());
    return sum;
}

/// d * floor_div(e, d) + mod(e, d) = e: where both occur with factors f*d and f, f*e takes their
/// place. Returns true after one such step.
bool recombine(std::vector<Term>& terms, std::int64_t& constant)
{
    for (std::size_t m = 0; m < terms.size(); ++m) {
        if (terms[m].atom.kind != IndexAtom::Kind::mod) {
            continue;
        }
        for (std::size_t q = 0; q < terms.size(); ++q) {
            const IndexAtom& quotient = terms[q].atom;
            if (quotient.kind == IndexAtom::Kind::floor_div &&
                quotient.divisor == terms[m].atom.divisor &&
                terms[q].factor == terms[m].factor * quotient.divisor &&
                *quotient.operand == *terms[m].atom.operand) {
                const std::int64_t factor = terms[m].factor;
                const IndexExpr whole = *quotient.operand;
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(m, q)));
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::min(m, q)));
                for (const Term& t : whole.terms()) {
                    terms.push_back({t.factor * factor, t.atom});
                }
                constant += whole.constant() * factor;
                return true;
            }
        }
    }
    return false;
}

} // namespace

IndexExpr IndexAtom::expr() const
{
    return kind == Kind::variable ? IndexExpr(variable) : over(*operand);
}

IndexExpr IndexAtom::over(const IndexExpr& other) const
{
    switch (kind) {
    case Kind::floor_div:
        return floor_div(other, divisor);
    case Kind::mod:
        return mod(other, divisor);
    case Kind::variable:
        break;
    }
    throw std::logic_error("a variable has no operand");
}

Range IndexAtom::bounds_over(Range operand_range) const
{
    const Range r = operand_range;
    // As long as the quotient is the same over the whole range, the remainder rises with the
    // operand and has a range of its own; otherwise any remainder may occur.
    const Range quotient{floor_div(r.min, divisor), floor_div(r.max, divisor)};
    if (kind == Kind::floor_div) {
        return quotient;
    }
    if (quotient.min == quotient.max) {
        return {r.min - quotient.min * divisor, r.max - quotient.min * divisor};
    }
    return {0, divisor - 1};
}

Range IndexAtom::bounds() const
{
    return kind == Kind::variable ? variable.range : bounds_over(operand->bounds());
}

Range IndexAtom::bounds(std::span<const Range> by_slot) const
{
    return kind == Kind::variable ? by_slot[static_cast<std::size_t>(variable.slot)]
                                  : bounds_over(operand->bounds(by_slot));
}

Range IndexExpr::bounds(std::span<const Range> by_slot) const
{
    Range sum{constant_, constant_};
    for (const Term& t : terms()) {
        const Range r = scaled(t.atom.bounds(by_slot), t.factor);
        sum = {sum.min + r.min, sum.max + r.max};
    }
    return sum;
}

IndexExpr::IndexExpr(std::int64_t constant) : constant_(constant) {}

IndexExpr::IndexExpr(const Variable& variable)
    : IndexExpr(0, {Term{1, IndexAtom{IndexAtom::Kind::variable, variable, nullptr, 1}}})
{}

IndexExpr::IndexExpr(std::int64_t constant, std::vector<Term> terms) : constant_(constant)
{
    terms = collect(std::move(terms));
    while (recombine(terms, constant_)) {
        // Recombining may make terms that recombine again.
        terms = collect(std::move(terms));
    }
    // A variable with a single value is that value.
    std::erase_if(terms, [&](const Term& t) {
        const Range r = t.atom.bounds();
        if (r.min == r.max) {
            constant_ += t.factor * r.min;
            return true;
        }
        return false;
    });
    sum_ = sum_of(std::move(terms));
}

std::shared_ptr<const IndexExpr::Sum> IndexExpr::sum_of(std::vector<Term> terms)
{
    if (terms.empty()) {
        return nullptr;
    }
    Range bounds;
    for (const Term& t : terms) {
        const Range r = scaled(t.atom.bounds(), t.factor);
        bounds = {bounds.min + r.min, bounds.max + r.max};
    }
    const std::size_t hash = hash_of(terms);
    return std::make_shared<const Sum>(Sum{std::move(terms), bounds, hash});
}

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b)
{
    std::int64_t constant = a.constant_ + b.constant_;
    // Adding a constant leaves the sum as it is: it is shared, not copied.
    if (!a.sum_ || !b.sum_) {
        return {constant, a.sum_ ? a.sum_ : b.sum_};
    }
    std::vector<Term> terms = merge(a.terms(), b.terms());
    return recombine(terms, constant) ? IndexExpr(constant, std::move(terms))
                                      : IndexExpr(constant, IndexExpr::sum_of(std::move(terms)));
}

IndexExpr operator-(const IndexExpr& a, const IndexExpr& b)
{
    return a + b * -1;
}

IndexExpr operator*(const IndexExpr& a, std::int64_t factor)
{
    if (factor == 0) {
        return 0;
    }
    if (factor == 1 || !a.sum_) {
        return {a.constant_ * factor, a.sum_};
    }
    // A factor other than 0 keeps the atoms distinct and in order, so nothing has to be collected
    // anew.
    IndexExpr::Sum product = *a.sum_;
    for (Term& t : product.terms) {
        t.factor *= factor;
    }
    product.bounds = scaled(product.bounds, factor);
    product.hash = hash_of(product.terms);
    return {a.constant_ * factor, std::make_shared<const IndexExpr::Sum>(std::move(product))};
}

bool operator==(const IndexExpr& a, const IndexExpr& b)
{
    return a.constant_ == b.constant_ &&
           (a.sum_ == b.sum_ ||
            (a.sum_ && b.sum_ && a.sum_->hash == b.sum_->hash && compare(a, b) == 0));
}

std::size_t IndexExpr::hash() const
{
    return hash_with(sum_ ? sum_->hash : 0, constant_);
}

std::int64_t IndexExpr::evaluate(std::span<const std::int64_t> values) const
{
    std::int64_t sum = constant_;
    for (const Term& t : terms()) {
        switch (t.atom.kind) {
        case IndexAtom::Kind::variable:
            sum += t.factor * values[static_cast<std::size_t>(t.atom.variable.slot)];
            break;
        case IndexAtom::Kind::floor_div:
            sum += t.factor * floor_div(t.atom.operand->evaluate(values), t.atom.divisor);
            break;
        case IndexAtom::Kind::mod:
            sum += t.factor * floor_mod(t.atom.operand->evaluate(values), t.atom.divisor);
            break;
        }
    }
    return sum;
}

// The same for many work-items at once, in 32 bits: one pass over a column for each term, which
// compilers turn into vector instructions.
void IndexExpr::evaluate(std::span<const std::span<const std::int32_t>> columns,
                         std::span<std::int32_t> out) const
{
    std::fill(out.begin(), out.end(), static_cast<std::int32_t>(constant_));
    std::vector<std::int32_t> scratch;
    for (const Term& t : terms()) {
        const auto factor = static_cast<std::int32_t>(t.factor);
        if (t.atom.kind == IndexAtom::Kind::variable) {
            const auto column = columns[static_cast<std::size_t>(t.atom.variable.slot)];
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] += factor * column[i];
            }
            continue;
        }
        scratch.resize(out.size());
        t.atom.operand->evaluate(columns, scratch);
        const std::int64_t d = t.atom.divisor;
        const bool quotient = t.atom.kind == IndexAtom::Kind::floor_div;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::int64_t value =
                quotient ? floor_div(scratch[i], d) : floor_mod(scratch[i], d);
            out[i] += factor * static_cast<std::int32_t>(value);
        }
    }
}

const Variable* IndexExpr::as_variable() const
{
    const auto terms = this->terms();
    const bool is_one = constant_ == 0 && terms.size() == 1 && terms[0].factor == 1 &&
                        terms[0].atom.kind == IndexAtom::Kind::variable;
    return is_one ? &terms[0].atom.variable : nullptr;
}

} // namespace texelscope::traces
