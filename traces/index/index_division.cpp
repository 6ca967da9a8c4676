// How divisions and remainders of index expressions are simplified.

#include "traces/index/index_expr.hpp"

#include <numeric>
#include <optional>
#include <stdexcept>

namespace texelscope::traces {

using Term = IndexExpr::Term;

/// e = divisor * multiple + rest, termwise: the largest part that the divisor divides.
struct IndexExpr::Divided {
    IndexExpr multiple;
    IndexExpr rest;
};

IndexExpr::Divided IndexExpr::divide_terms(const IndexExpr& e, std::int64_t divisor)
{
    std::vector<Term> multiple;
    std::vector<Term> rest;
    for (const Term& t : e.terms()) {
        if (t.factor % divisor == 0) {
            multiple.push_back({t.factor / divisor, t.atom});
        } else {
            rest.push_back(t);
        }
    }
    const std::int64_t quotient = floor_div(e.constant(), divisor);
    const std::int64_t remainder = e.constant() - quotient * divisor;
    if (multiple.empty()) {
        return {quotient, {remainder, e.sum_}};
    }
    return {{quotient, sum_of(std::move(multiple))}, {remainder, sum_of(std::move(rest))}};
}

/// e = g * multiple + rest with g > 1 a divisor of `divisor` and rest always in [0, g), where there
/// is such a g. Then floor(e / (g*b)) = floor(multiple / b), and mod(e, g*b) = g * mod(multiple, b)
/// + rest.
struct IndexExpr::Coarsened {
    std::int64_t g;
    Divided parts;
};

std::optional<IndexExpr::Coarsened> IndexExpr::coarsen(const IndexExpr& e, std::int64_t divisor)
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
    const auto [multiple, rest] = IndexExpr::divide_terms(e, divisor);
    const Range r = rest.bounds();
    const std::int64_t first = floor_div(r.min, divisor);
    if (first == floor_div(r.max, divisor)) {
        return multiple + first;
    }
    if (const auto coarse = IndexExpr::coarsen(rest, divisor)) {
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
        rest.terms()[0].atom.kind == IndexAtom::Kind::mod &&
        rest.terms()[0].atom.divisor % divisor == 0) {
        const IndexAtom& inner = rest.terms()[0].atom;
        return multiple + mod(floor_div(*inner.operand, divisor), inner.divisor / divisor);
    }
    IndexAtom atom{
        IndexAtom::Kind::floor_div, {}, std::make_shared<const IndexExpr>(rest), divisor};
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
    const IndexExpr rest = IndexExpr::divide_terms(e, divisor).rest;
    if (rest.is_constant()) {
        return floor_mod(rest.constant(), divisor);
    }
    const Range r = rest.bounds();
    if (const std::int64_t first = floor_div(r.min, divisor); first == floor_div(r.max, divisor)) {
        return rest - first * divisor;
    }
    if (const auto coarse = IndexExpr::coarsen(rest, divisor)) {
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

} // namespace texelscope::traces
