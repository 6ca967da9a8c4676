#pragma once

#include "tests/base/random.hpp"
#include "traces/index/index_expr.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace texelscope::test {
using namespace traces;

using Values = std::vector<std::int64_t>;

/// An expression built twice: as IndexExpr, and as plain functions that nothing simplifies.
struct TwinExpr {
    IndexExpr expr;
    std::function<std::int64_t(const Values&)> value;
    std::string text; ///< as it was written, for failure messages
};

/// Rounds towards minus infinity, by search; small numbers only.
std::int64_t slow_floor_div(std::int64_t dividend, std::int64_t divisor);

/// A random tree of at most 2^depth leaves over the variables.
TwinExpr random_expr(Random& random, const std::vector<Variable>& variables, int depth);

/// Variables in slots 0 .. count-1 named v0, v1, ..., with small ranges, some of them negative,
/// some of one value.
std::vector<Variable> random_variables(Random& random, int count);

/// A value for each variable, ends of the ranges more often than the rest.
Values random_values(Random& random, const std::vector<Variable>& variables);

} // namespace texelscope::test
