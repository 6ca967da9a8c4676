#include "traces/index_expr.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace texelscope {
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

Range scaled(Range r, std::int64_t factor)
{
    return factor >= 0 ? Range{r.min * factor, r.max * factor} : Range{r.max * factor, r.min * factor};
}

/// Sorts by atom, adds up equal atoms, drops zero factors.
std::vector<Term> collect(std::vector<Term> terms)
{
    const auto before = [](const Term& a, const Term& b) { return compare(a.atom, b.atom) < 0; };
    const auto not_before = [&](const Term& a, const Term& b) { return !before(a, b); };
    if (std::adjacent_find(terms.begin(), terms.end(), not_before) == terms.end() &&
        std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.factor != 0; })) {
        return terms; // distinct and in order
    }
    if (!std::is_sorted(terms.begin(), terms.end(), before)) {
        std::stable_sort(terms.begin(), terms.end(), before);
    }
    std::vector<Term> sum;
    sum.reserve(terms.size());
    for (Term& t : terms) {
        if (!sum.empty() && compare(sum.back().atom, t.atom) == 0) {
            sum.back().factor += t.factor;
        } else {
            sum.push_back(std::move(t));
        }
    }
    std::erase_if(sum, [](const Term& t) { return t.factor == 0; });
    return sum;
}

/// d * floor_div(e, d) + mod(e, d) = e: where both occur with factors f*d and f, f*e takes their place.
/// Returns true after one such step.
bool recombine(std::vector<Term>& terms, std::int64_t& constant)
{
    for (std::size_t m = 0; m < terms.size(); ++m) {
        if (terms[m].atom.kind != IndexAtom::Kind::mod) {
            continue;
        }
        for (std::size_t q = 0; q < terms.size(); ++q) {
            const IndexAtom& quotient = terms[q].atom;
            if (quotient.kind == IndexAtom::Kind::floor_div && quotient.divisor == terms[m].atom.divisor &&
                terms[q].factor == terms[m].factor * quotient.divisor && *quotient.operand == *terms[m].atom.operand) {
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

/// e = divisor * multiple + rest, termwise: the largest part that the divisor divides.
struct Divided {
    IndexExpr multiple;
    IndexExpr rest;
};
Divided divide_terms(const IndexExpr& e, std::int64_t divisor)
{
    Divided result;
    const std::int64_t quotient = floor_div(e.constant(), divisor);
    result.multiple = IndexExpr(quotient);
    result.rest = IndexExpr(e.constant() - quotient * divisor);
    for (const Term& t : e.terms()) {
        if (t.factor % divisor == 0) {
            result.multiple = result.multiple + t.atom.expr() * (t.factor / divisor);
        } else {
            result.rest = result.rest + t.atom.expr() * t.factor;
        }
    }
    return result;
}

/// e = g * multiple + rest with g > 1 a divisor of `divisor` and rest always in [0, g), where there is such a g.
/// Then floor(e / (g*b)) = floor(multiple / b), and mod(e, g*b) = g * mod(multiple, b) + rest.
struct Coarsened {
    std::int64_t g;
    Divided parts;
};
std::optional<Coarsened> coarsen(const IndexExpr& e, std::int64_t divisor)
{
    for (const Term& t : e.terms()) {
        const std::int64_t g = std::gcd(t.factor, divisor);
        if (g == 1 || g == divisor) {
            continue;
        }
        const Divided parts = divide_terms(e, g);
        if (const Range r = parts.rest.bounds(); r.min >= 0 && r.max < g) {
            return Coarsened{g, parts};
        }
    }
    return std::nullopt;
}

IndexExpr atom_expr(const IndexAtom& atom, const std::function<IndexExpr(const Variable&)>& variable)
{
    const auto rebuild = [&](const IndexExpr& e) {
        IndexExpr sum(e.constant());
        for (const Term& t : e.terms()) {
            sum = sum + atom_expr(t.atom, variable) * t.factor;
        }
        return sum;
    };
    switch (atom.kind) {
    case IndexAtom::Kind::variable:
        return variable(atom.variable);
    case IndexAtom::Kind::floor_div:
        return floor_div(rebuild(*atom.operand), atom.divisor);
    case IndexAtom::Kind::mod:
        return mod(rebuild(*atom.operand), atom.divisor);
    }
    throw std::logic_error("unknown atom");
}

} // namespace

IndexExpr IndexAtom::expr() const
{
    switch (kind) {
    case Kind::variable:
        return IndexExpr(variable);
    case Kind::floor_div:
        return floor_div(*operand, divisor);
    case Kind::mod:
        return mod(*operand, divisor);
    }
    throw std::logic_error("unknown atom");
}

Range IndexAtom::bounds() const
{
    switch (kind) {
    case Kind::variable:
        return variable.range;
    case Kind::floor_div: {
        const Range r = operand->bounds();
        return {floor_div(r.min, divisor), floor_div(r.max, divisor)};
    }
    case Kind::mod: {
        const Range r = operand->bounds();
        const std::int64_t first = floor_div(r.min, divisor);
        if (first == floor_div(r.max, divisor)) {
            return {r.min - first * divisor, r.max - first * divisor};
        }
        return {0, divisor - 1};
    }
    }
    throw std::logic_error("unknown atom");
}

IndexExpr::IndexExpr(std::int64_t constant) : constant_(constant), bounds_{constant, constant} {}

IndexExpr::IndexExpr(const Variable& variable)
    : IndexExpr(0, {Term{1, IndexAtom{IndexAtom::Kind::variable, variable, nullptr, 1}}})
{}

IndexExpr::IndexExpr(std::int64_t constant, std::vector<Term> terms) : constant_(constant)
{
    terms_ = collect(std::move(terms));
    while (recombine(terms_, constant_)) {
        terms_ = collect(std::move(terms_));
    }
    // A variable with a single value is that value.
    std::erase_if(terms_, [&](const Term& t) {
        const Range r = t.atom.bounds();
        if (r.min == r.max) {
            constant_ += t.factor * r.min;
            return true;
        }
        return false;
    });
    bounds_ = {constant_, constant_};
    for (const Term& t : terms_) {
        const Range r = scaled(t.atom.bounds(), t.factor);
        bounds_ = {bounds_.min + r.min, bounds_.max + r.max};
    }
}

IndexExpr operator+(const IndexExpr& a, const IndexExpr& b)
{
    if (a.terms_.empty() || b.terms_.empty()) { // terms stay as they are, and so does their order
        IndexExpr sum = a.terms_.empty() ? b : a;
        const std::int64_t constant = a.terms_.empty() ? a.constant_ : b.constant_;
        sum.constant_ += constant;
        sum.bounds_ = {sum.bounds_.min + constant, sum.bounds_.max + constant};
        return sum;
    }
    std::vector<Term> terms;
    terms.reserve(a.terms_.size() + b.terms_.size());
    std::merge(a.terms_.begin(), a.terms_.end(), b.terms_.begin(), b.terms_.end(), std::back_inserter(terms),
               [](const Term& x, const Term& y) { return compare(x.atom, y.atom) < 0; });
    return {a.constant_ + b.constant_, std::move(terms)};
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
    IndexExpr product = a;
    product.constant_ *= factor;
    for (Term& t : product.terms_) {
        t.factor *= factor;
    }
    product.bounds_ = scaled(a.bounds_, factor);
    return product;
}

IndexExpr floor_div(const IndexExpr& e, std::int64_t divisor)
{
    if (divisor <= 0) {
        throw std::invalid_argument("floor_div needs a positive divisor");
    }
    if (divisor == 1) {
        return e;
    }
    if (e.is_constant()) {
        return floor_div(e.constant(), divisor);
    }
    // floor((d*m + rest) / d) = m + floor(rest / d)
    const auto [multiple, rest] = divide_terms(e, divisor);
    const Range r = rest.bounds();
    const std::int64_t first = floor_div(r.min, divisor);
    if (first == floor_div(r.max, divisor)) {
        return multiple + first;
    }
    if (const auto coarse = coarsen(rest, divisor)) {
        return multiple + floor_div(coarse->parts.multiple, divisor / coarse->g);
    }
    // floor(floor(a / c) / b) = floor(a / (c*b))
    if (rest.constant() == 0 && rest.terms().size() == 1 && rest.terms()[0].factor == 1 &&
        rest.terms()[0].atom.kind == IndexAtom::Kind::floor_div) {
        const IndexAtom& inner = rest.terms()[0].atom;
        return multiple + floor_div(*inner.operand, inner.divisor * divisor);
    }
    // floor(mod(a, c*d) / d) = mod(floor(a / d), c)
    if (rest.constant() == 0 && rest.terms().size() == 1 && rest.terms()[0].factor == 1 &&
        rest.terms()[0].atom.kind == IndexAtom::Kind::mod && rest.terms()[0].atom.divisor % divisor == 0) {
        const IndexAtom& inner = rest.terms()[0].atom;
        return multiple + mod(floor_div(*inner.operand, divisor), inner.divisor / divisor);
    }
    IndexAtom atom{IndexAtom::Kind::floor_div, {}, std::make_shared<const IndexExpr>(rest), divisor};
    return multiple + IndexExpr(0, {Term{1, std::move(atom)}});
}

IndexExpr mod(const IndexExpr& e, std::int64_t divisor)
{
    if (divisor <= 0) {
        throw std::invalid_argument("mod needs a positive divisor");
    }
    if (divisor == 1) {
        return 0;
    }
    const IndexExpr rest = divide_terms(e, divisor).rest;
    if (rest.is_constant()) {
        return floor_mod(rest.constant(), divisor);
    }
    const Range r = rest.bounds();
    if (const std::int64_t first = floor_div(r.min, divisor); first == floor_div(r.max, divisor)) {
        return rest - first * divisor;
    }
    if (const auto coarse = coarsen(rest, divisor)) {
        return mod(coarse->parts.multiple, divisor / coarse->g) * coarse->g + coarse->parts.rest;
    }
    // mod(mod(a, c*d) + b, d) = mod(a + b, d)
    for (const Term& t : rest.terms()) {
        if (t.atom.kind == IndexAtom::Kind::mod && t.atom.divisor % divisor == 0) {
            const IndexExpr without = rest - IndexExpr(0, {t});
            return mod(without + *t.atom.operand * t.factor, divisor);
        }
    }
    IndexAtom atom{IndexAtom::Kind::mod, {}, std::make_shared<const IndexExpr>(rest), divisor};
    return {0, {Term{1, std::move(atom)}}};
}

bool operator==(const IndexExpr& a, const IndexExpr& b)
{
    return compare(a, b) == 0;
}

bool IndexExpr::uses_slots(int first, int last) const
{
    return std::any_of(terms_.begin(), terms_.end(), [&](const Term& t) {
        return t.atom.kind == IndexAtom::Kind::variable ? t.atom.variable.slot >= first && t.atom.variable.slot < last
                                                        : t.atom.operand->uses_slots(first, last);
    });
}

std::int64_t IndexExpr::evaluate(std::span<const std::int64_t> values) const
{
    std::int64_t sum = constant_;
    for (const Term& t : terms_) {
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

void IndexExpr::evaluate(std::span<const std::span<const std::int32_t>> columns, std::span<std::int32_t> out) const
{
    std::fill(out.begin(), out.end(), static_cast<std::int32_t>(constant_));
    std::vector<std::int32_t> scratch;
    for (const Term& t : terms_) {
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
            const std::int64_t value = quotient ? floor_div(scratch[i], d) : floor_mod(scratch[i], d);
            out[i] += factor * static_cast<std::int32_t>(value);
        }
    }
}

IndexExpr IndexExpr::substitute(int slot, const IndexExpr& replacement) const
{
    if (!uses_slots(slot, slot + 1)) {
        return *this;
    }
    IndexExpr sum(constant_);
    for (const Term& t : terms_) {
        sum = sum + t.factor * atom_expr(t.atom, [&](const Variable& v) {
                        return v.slot == slot ? replacement : IndexExpr(v);
                    });
    }
    return sum;
}

IndexExpr::Split IndexExpr::split(int first, int last) const
{
    std::vector<Term> inside;
    std::vector<Term> rest;
    for (const Term& t : terms_) {
        const IndexExpr alone(0, {t});
        const bool only_inside = !alone.uses_slots(0, first) && !alone.uses_slots(last, 1 << 30);
        (only_inside ? inside : rest).push_back(t);
    }
    return {IndexExpr(0, std::move(inside)), IndexExpr(constant_, std::move(rest))};
}

} // namespace texelscope
