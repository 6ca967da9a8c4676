#include "tests/traces/c_expression.hpp"
#include "tests/traces/random_expr.hpp"
#include "traces/index/index_expr.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

using namespace texelscope::traces;
using namespace texelscope::test;

namespace {

constexpr int cases = 1500;
constexpr int points = 24;

std::map<std::string, std::int64_t> named(const std::vector<Variable>& variables,
                                          const Values& values)
{
    std::map<std::string, std::int64_t> result;
    for (const Variable& v : variables) {
        result[v.name] = values[static_cast<std::size_t>(v.slot)];
    }
    return result;
}

/// Calls f with every assignment of values to the variables.
template <class F>
void for_all_values(const std::vector<Variable>& variables, const F& f, Values values = {})
{
    if (values.size() == variables.size()) {
        f(values);
        return;
    }
    const Range range = variables[values.size()].range;
    for (std::int64_t v = range.min; v <= range.max; ++v) {
        values.push_back(v);
        for_all_values(variables, f, values);
        values.pop_back();
    }
}

/// Whether the expression mentions a variable whose slot is not in [first, last).
bool mentions_outside(const IndexExpr& e, int first, int last)
{
    return std::any_of(e.terms().begin(), e.terms().end(), [&](const IndexExpr::Term& t) {
        if (t.atom.kind == IndexAtom::Kind::variable) {
            return t.atom.variable.slot < first || t.atom.variable.slot >= last;
        }
        return mentions_outside(*t.atom.operand, first, last);
    });
}

} // namespace

TEST_CASE("floor_div and floor_mod of numbers round towards minus infinity")
{
    for (std::int64_t a = -100; a <= 100; ++a) {
        for (std::int64_t d = 1; d <= 17; ++d) {
            const std::int64_t q = floor_div(a, d);
            const std::int64_t r = floor_mod(a, d);
            INFO(a << " by " << d);
            REQUIRE(q * d + r == a);
            REQUIRE(r >= 0);
            REQUIRE(r < d);
        }
    }
    CHECK(floor_div(-1, 4) == -1);
    CHECK(floor_div(-4, 4) == -1);
    CHECK(floor_div(-5, 4) == -2);
    CHECK(floor_mod(-1, 4) == 3);
}

TEST_CASE("the small C evaluator knows C")
{
    const std::map<std::string, std::int64_t> v{{"a", -7}, {"b", 3}};
    CHECK(evaluate_c("a / b", v) == -2);
    CHECK(evaluate_c("a % b", v) == -1);
    CHECK(evaluate_c("1 + 2 * 3 - -4", v) == 11);
    CHECK(evaluate_c("10 - 4 - 3", v) == 3);
    CHECK(evaluate_c("(a >= 0 ? a : -(0 - a)) + (b & 1) * 2", v) == -5);
    CHECK(evaluate_c("a >> 1 < b == 1 && !0", v) == 1);
    CHECK(evaluate_c("b == 3 ? 5 : a / 0", v) == 5);
    CHECK_THROWS(evaluate_c("2000000000 + 2000000000", v));
    CHECK_THROWS(evaluate_c("a +", v));
    CHECK_THROWS(evaluate_c("c", v));
}

TEST_CASE("simplification keeps the value of random expressions, and bounds hold every value")
{
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        Random random(seed);
        const std::vector<Variable> variables = random_variables(random, random.small(1, 4));
        const TwinExpr twin = random_expr(random, variables, random.small(1, 5));
        const Range bounds = twin.expr.bounds();
        INFO("seed " << seed << ": " << twin.text << " printed as " << twin.expr.to_opencl());
        REQUIRE(bounds.min <= bounds.max);
        for (int i = 0; i < points; ++i) {
            const Values values = random_values(random, variables);
            const std::int64_t expected = twin.value(values);
            REQUIRE(twin.expr.evaluate(values) == expected);
            REQUIRE(bounds.min <= expected);
            REQUIRE(expected <= bounds.max);
            // Of each variable that value alone, and the values up to it: the bounds over a box.
            std::vector<Range> point;
            std::vector<Range> box;
            for (const std::int64_t value : values) {
                point.push_back({value, value});
                box.push_back({value - random.small(0, 3), value});
            }
            REQUIRE(twin.expr.bounds(point) == Range{expected, expected});
            const Range wider = twin.expr.bounds(box);
            REQUIRE(wider.min <= expected);
            REQUIRE(expected <= wider.max);
        }
        if (twin.expr.is_constant()) {
            REQUIRE(bounds == Range{twin.expr.constant(), twin.expr.constant()});
        }
    }
}

TEST_CASE(
    "every expression is in normal form: non-zero factors, distinct atoms, divisors above one")
{
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        Random random(seed + 10'000);
        const std::vector<Variable> variables = random_variables(random, random.small(1, 4));
        const TwinExpr twin = random_expr(random, variables, random.small(1, 5));
        INFO("seed " << seed << ": " << twin.text << " printed as " << twin.expr.to_opencl());
        const auto terms = twin.expr.terms();
        for (std::size_t i = 0; i < terms.size(); ++i) {
            REQUIRE(terms[i].factor != 0);
            REQUIRE((terms[i].atom.kind == IndexAtom::Kind::variable || terms[i].atom.divisor > 1));
            for (std::size_t j = 0; j < i; ++j) {
                const IndexAtom& a = terms[i].atom;
                const IndexAtom& b = terms[j].atom;
                const bool same =
                    a.kind == b.kind && (a.kind == IndexAtom::Kind::variable
                                             ? a.variable.slot == b.variable.slot
                                             : a.divisor == b.divisor && *a.operand == *b.operand);
                REQUIRE_FALSE(same);
            }
        }
    }
}

TEST_CASE("equal expressions have equal values")
{
    int equal_pairs = 0;
    for (std::uint64_t seed = 1; seed <= 4 * cases; ++seed) {
        Random random(seed + 20'000);
        const std::vector<Variable> variables = random_variables(random, 2);
        const TwinExpr a = random_expr(random, variables, random.small(1, 2));
        const TwinExpr b = random_expr(random, variables, random.small(1, 2));
        if (!(a.expr == b.expr)) {
            continue;
        }
        ++equal_pairs;
        INFO("seed " << seed << ": " << a.text << " == " << b.text);
        for_all_values(variables, [&](const Values& v) { REQUIRE(a.value(v) == b.value(v)); });
    }
    CHECK(equal_pairs > 20); // the property was tried on something
}

TEST_CASE("sums have one normal form, whatever the order in which they are built")
{
    for (std::uint64_t seed = 1; seed <= cases / 2; ++seed) {
        Random random(seed + 30'000);
        const std::vector<Variable> variables = random_variables(random, 3);
        const IndexExpr a = random_expr(random, variables, 3).expr;
        const IndexExpr b = random_expr(random, variables, 3).expr;
        // Without divisions: a quotient and its remainder may be put together again on the way,
        // which a later step does not take back.
        const auto linear = [&] {
            IndexExpr sum(random.between(-9, 9));
            for (const Variable& variable : variables) {
                sum = sum + IndexExpr(variable) * random.between(-3, 3);
            }
            return sum;
        };
        const IndexExpr u = linear();
        const IndexExpr v = linear();
        const IndexExpr w = linear();
        INFO("seed " << seed << ": " << a.to_opencl() << " and " << b.to_opencl());
        CHECK(a + b == b + a);
        CHECK((u + v) + w == u + (v + w));
        CHECK((u + v) - v == u);
        CHECK(a - a == IndexExpr(0));
        CHECK(a * 0 == IndexExpr(0));
        CHECK(a * 1 == a);
        CHECK(3 * (a + b) == 3 * a + b * 3);
        CHECK(floor_div(a, 1) == a);
        CHECK(mod(a, 1) == IndexExpr(0));
        CHECK((a == b) == (b == a));
    }
}

TEST_CASE("divisions and remainders that the ranges decide disappear")
{
    const IndexExpr x(Variable{0, "x", {0, 7}});
    const IndexExpr y(Variable{1, "y", {0, 99}});
    CHECK(floor_div(x, 8) == IndexExpr(0));
    CHECK(mod(x, 8) == x);
    CHECK(floor_div(y * 8 + x, 8) == y);
    CHECK(mod(y * 8 + x, 8) == x);
    CHECK(floor_div(y * 4, 4) == y);
    CHECK(mod(y * 12, 4) == IndexExpr(0));
    CHECK(floor_div(y + 24, 8) == floor_div(y, 8) + 3);
}

TEST_CASE("division by zero or a negative number is refused")
{
    const IndexExpr x(Variable{0, "x", {0, 7}});
    CHECK_THROWS_AS(floor_div(x, 0), std::invalid_argument);
    CHECK_THROWS_AS(floor_div(x, -2), std::invalid_argument);
    CHECK_THROWS_AS(mod(x, 0), std::invalid_argument);
    CHECK_THROWS_AS(mod(x, -2), std::invalid_argument);
    CHECK_THROWS_AS(floor_div(IndexExpr(7), 0), std::invalid_argument);
}

TEST_CASE("bounds are exact where atoms share no variable")
{
    // Each variable once, only sums, factors and divisions: these are monotone in each variable.
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed + 40'000);
        std::vector<Variable> variables = random_variables(random, 3);
        for (Variable& v : variables) {
            v.range.max = std::min(v.range.max, v.range.min + 7);
        }
        TwinExpr e{IndexExpr(random.between(-9, 9)), {}, ""};
        std::string text;
        for (const Variable& v : variables) {
            const std::int64_t f = random.between(-4, 4);
            const std::int64_t d = random.between(1, 5);
            const std::int64_t g = random.between(1, 5);
            e.expr = e.expr + f * floor_div(IndexExpr(v) * g + random.between(-3, 3), d);
        }
        Range seen{std::numeric_limits<std::int64_t>::max(),
                   std::numeric_limits<std::int64_t>::min()};
        for_all_values(variables, [&](const Values& v) {
            const std::int64_t value = e.expr.evaluate(v);
            seen = {std::min(seen.min, value), std::max(seen.max, value)};
        });
        INFO("seed " << seed << ": " << e.expr.to_opencl());
        REQUIRE(e.expr.bounds() == seen);
    }
}

TEST_CASE("the batch evaluation agrees with the single one")
{
    for (std::uint64_t seed = 1; seed <= cases / 3; ++seed) {
        Random random(seed + 50'000);
        const std::vector<Variable> variables = random_variables(random, random.small(1, 4));
        const TwinExpr twin = random_expr(random, variables, random.small(1, 5));
        const auto count = static_cast<std::size_t>(random.small(0, 70));
        std::vector<std::vector<std::int32_t>> columns(variables.size());
        std::vector<Values> rows;
        for (std::size_t i = 0; i < count; ++i) {
            rows.push_back(random_values(random, variables));
            for (std::size_t v = 0; v < variables.size(); ++v) {
                columns[v].push_back(static_cast<std::int32_t>(rows[i][v]));
            }
        }
        std::vector<std::span<const std::int32_t>> views(columns.begin(), columns.end());
        for (std::size_t v = 0; v < variables.size(); ++v) {
            const int slot = static_cast<int>(v);
            if (!twin.expr.uses_slots(slot, slot + 1)) {
                views[v] = {}; // a column of a variable that does not occur may be empty
            }
        }
        std::vector<std::int32_t> out(count, 12345);
        twin.expr.evaluate(views, out);
        INFO("seed " << seed << ": " << twin.text);
        for (std::size_t i = 0; i < count; ++i) {
            REQUIRE(out[i] == twin.value(rows[i]));
        }
    }
}

TEST_CASE("uses_slots is false only for slots that do not matter")
{
    for (std::uint64_t seed = 1; seed <= cases / 3; ++seed) {
        Random random(seed + 60'000);
        const std::vector<Variable> variables = random_variables(random, 4);
        const TwinExpr twin = random_expr(random, variables, 4);
        INFO("seed " << seed << ": " << twin.text);
        bool any = false;
        for (int slot = 0; slot < 4; ++slot) {
            any = any || twin.expr.uses_slots(slot, slot + 1);
            if (twin.expr.uses_slots(slot, slot + 1)) {
                continue;
            }
            for (int i = 0; i < points; ++i) {
                Values values = random_values(random, variables);
                const std::int64_t before = twin.value(values);
                const Range range = variables[static_cast<std::size_t>(slot)].range;
                values[static_cast<std::size_t>(slot)] = random.between(range.min, range.max);
                REQUIRE(twin.value(values) == before);
            }
        }
        CHECK(twin.expr.uses_slots(0, 4) == any);
        CHECK(any == !twin.expr.is_constant());
        CHECK_FALSE(twin.expr.uses_slots(4, 100));
        CHECK_FALSE(twin.expr.uses_slots(2, 2));
    }
}

TEST_CASE("substitution is evaluation at the replaced value")
{
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        Random random(seed + 70'000);
        const std::vector<Variable> variables = random_variables(random, 3);
        const TwinExpr twin = random_expr(random, variables, 4);
        const int slot = random.small(0, 2);
        const Range range = variables[static_cast<std::size_t>(slot)].range;
        // The replacement stays in the range of the variable, which simplification may have used;
        // it may mention it.
        const std::int64_t extent = range.max - range.min + 1;
        TwinExpr inner = random_expr(random, variables, 2);
        const IndexExpr replacement =
            random.one_in(4) ? IndexExpr(range.max) : mod(inner.expr, extent) + range.min;
        const IndexExpr replaced = twin.expr.substitute(slot, replacement);
        INFO("seed " << seed << ": " << twin.text << " with v" << slot << " = "
                     << replacement.to_opencl());
        for (int i = 0; i < points; ++i) {
            const Values values = random_values(random, variables);
            Values changed = values;
            changed[static_cast<std::size_t>(slot)] = replacement.evaluate(values);
            REQUIRE(replaced.evaluate(values) == twin.value(changed));
        }
    }
}

TEST_CASE("a split puts each term on its side")
{
    for (std::uint64_t seed = 1; seed <= cases / 2; ++seed) {
        Random random(seed + 80'000);
        const std::vector<Variable> variables = random_variables(random, 4);
        const TwinExpr twin = random_expr(random, variables, 5);
        const int first = random.small(0, 3);
        const int last = random.small(first, 4);
        const IndexExpr::Split split = twin.expr.split(first, last);
        INFO("seed " << seed << ": " << twin.text << " at [" << first << ", " << last << ")");
        CHECK(split.inside.constant() == 0);
        CHECK(split.rest.constant() == twin.expr.constant());
        CHECK_FALSE(mentions_outside(split.inside, first, last));
        CHECK(split.inside.terms().size() + split.rest.terms().size() == twin.expr.terms().size());
        for (const IndexExpr::Term& t : split.rest.terms()) {
            const bool outside = t.atom.kind == IndexAtom::Kind::variable
                                     ? t.atom.variable.slot < first || t.atom.variable.slot >= last
                                     : mentions_outside(*t.atom.operand, first, last);
            CHECK(outside);
        }
        for (int i = 0; i < points; ++i) {
            const Values values = random_values(random, variables);
            REQUIRE(split.inside.evaluate(values) + split.rest.evaluate(values) ==
                    twin.value(values));
        }
    }
}

TEST_CASE("the OpenCL text computes the same value under C's rules")
{
    for (std::uint64_t seed = 1; seed <= cases; ++seed) {
        Random random(seed + 90'000);
        const std::vector<Variable> variables = random_variables(random, random.small(1, 4));
        const TwinExpr twin = random_expr(random, variables, random.small(1, 5));
        const std::string text = twin.expr.to_opencl();
        INFO("seed " << seed << ": " << twin.text << " printed as " << text);
        for (int i = 0; i < points; ++i) {
            const Values values = random_values(random, variables);
            REQUIRE(evaluate_c(text, named(variables, values)) == twin.value(values));
        }
        // The text may stand inside of a larger expression once it has parentheses around it.
        const Values values = random_values(random, variables);
        REQUIRE(evaluate_c("7 - (" + text + ") * 2", named(variables, values)) ==
                7 - twin.value(values) * 2);
    }
}

TEST_CASE("constants and single variables print plainly")
{
    CHECK(IndexExpr(42).to_opencl() == "42");
    CHECK(IndexExpr(0).to_opencl() == "0");
    CHECK(IndexExpr(Variable{0, "gx", {0, 3}}).to_opencl() == "gx");
    CHECK(evaluate_c(IndexExpr(-42).to_opencl(), {}) == -42);
}
