#include "tests/traces/random_expr.hpp"

#include <algorithm>

namespace texelscope::test {
using namespace traces;

std::int64_t slow_floor_div(std::int64_t dividend, std::int64_t divisor)
{
    std::int64_t quotient = dividend / divisor; // rounded towards zero: at most one too high
    while (quotient * divisor > dividend) {
        --quotient;
    }
    return quotient;
}

TwinExpr random_expr(Random& random, const std::vector<Variable>& variables, int depth)
{
    if (depth == 0 || random.one_in(6)) {
        if (random.one_in(4)) {
            const std::int64_t c = random.between(-20, 20);
            return {IndexExpr(c), [c](const Values&) { return c; }, std::to_string(c)};
        }
        const Variable v = random.pick(variables);
        const auto slot = static_cast<std::size_t>(v.slot);
        return {IndexExpr(v), [slot](const Values& values) { return values[slot]; }, v.name};
    }
    const TwinExpr a = random_expr(random, variables, depth - 1);
    switch (random.small(0, 5)) {
    case 0: {
        const TwinExpr b = random_expr(random, variables, depth - 1);
        return {a.expr + b.expr, [a, b](const Values& v) { return a.value(v) + b.value(v); },
                "(" + a.text + " + " + b.text + ")"};
    }
    case 1: {
        const TwinExpr b = random_expr(random, variables, depth - 1);
        return {a.expr - b.expr, [a, b](const Values& v) { return a.value(v) - b.value(v); },
                "(" + a.text + " - " + b.text + ")"};
    }
    case 2: {
        const std::int64_t f =
            random.pick(std::vector<std::int64_t>{-4, -3, -1, 0, 1, 2, 3, 4, 5, 8, 12});
        return {random.one_in(2) ? a.expr * f : f * a.expr,
                [a, f](const Values& v) { return a.value(v) * f; },
                "(" + a.text + " * " + std::to_string(f) + ")"};
    }
    default: {
        const std::int64_t d = random.pick(std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 8, 12, 16});
        if (random.one_in(2)) {
            return {floor_div(a.expr, d),
                    [a, d](const Values& v) { return slow_floor_div(a.value(v), d); },
                    "div(" + a.text + ", " + std::to_string(d) + ")"};
        }
        return {mod(a.expr, d),
                [a, d](const Values& v) { return a.value(v) - d * slow_floor_div(a.value(v), d); },
                "mod(" + a.text + ", " + std::to_string(d) + ")"};
    }
    }
}

std::vector<Variable> random_variables(Random& random, int count)
{
    std::vector<Variable> variables;
    for (int slot = 0; slot < count; ++slot) {
        const std::int64_t min = random.one_in(3) ? random.between(-12, 6) : 0;
        const std::int64_t extent =
            random.pick(std::vector<std::int64_t>{1, 2, 3, 4, 7, 8, 16, 20});
        variables.push_back({slot, "v" + std::to_string(slot), {min, min + extent - 1}});
    }
    return variables;
}

Values random_values(Random& random, const std::vector<Variable>& variables)
{
    Values values;
    for (const Variable& v : variables) {
        const int choice = random.small(0, 5);
        values.push_back(choice == 0   ? v.range.min
                         : choice == 1 ? v.range.max
                                       : random.between(v.range.min, v.range.max));
    }
    return values;
}

} // namespace texelscope::test
