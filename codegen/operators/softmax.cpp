#include "codegen/operators/softmax.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/sweep_operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::codegen {
namespace {

using Point = SweepNest::Point;

double softmax_roundings(std::int64_t cols)
{
    return static_cast<double>(cols) + 22;
}

/// Let d = X - m <= 0, rounded to d(1 + e) with |e| <= u. exp of it is off by |d| u + 8u
/// relatively, a term of the sum as much, and the sum of COLS terms by COLS u more: together,
/// relative to Y,
///     u (|d| + 8  +  D + 8 + COLS  +  5 for the reciprocal + 1 for the product),    D = sum of
///     Y|d|,
/// which is the count of roundings times 1 + (|d| + D) / count. An exp and a Y below 2^-126 may be
/// flushed to zero, at most 2^-125 together: the count of roundings times 2^-101 / count.
SweepOperator::Reference softmax_reference(std::int64_t rows, std::int64_t cols,
                                           const TensorValues& inputs)
{
    const auto n = static_cast<std::size_t>(cols);
    const double count = softmax_roundings(cols);
    SweepOperator::Reference result;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        const float* x = inputs[0].data() + row * n;
        const double top = *std::max_element(x, x + n);
        double sum = 0;
        double depth = 0;
        for (std::size_t c = 0; c < n; ++c) {
            const double term = std::exp(x[c] - top);
            sum += term;
            // a masked element, -inf, has no part in it
            depth += term > 0 ? term * (top - x[c]) : 0;
        }
        for (std::size_t c = 0; c < n; ++c) {
            const double y = std::exp(x[c] - top) / sum;
            result.value.push_back(y);
            const double argument = y > 0 ? top - x[c] : 0;
            result.magnitude.push_back(y * (1 + (argument + depth / sum) / count) +
                                       std::ldexp(1.0, -101) / count);
        }
    }
    return result;
}

constexpr const char* softmax_c = R"(    const double count = COLS + 22;
    for (int r = 0; r < ROWS; ++r) {
        const float *x = X + (long long)r * COLS;
        double top = x[0], sum = 0.0, depth = 0.0;
        for (int c = 1; c < COLS; ++c) {
            top = fmax(top, x[c]);
        }
        for (int c = 0; c < COLS; ++c) {
            const double term = exp(x[c] - top);
            sum += term;
            depth += term > 0.0 ? term * (top - x[c]) : 0.0; // a masked element, -inf, has no part in it
        }
        for (int c = 0; c < COLS; ++c) {
            const double y = exp(x[c] - top) / sum;
            Y[(long long)r * COLS + c] = y;
            const double argument = y > 0.0 ? top - x[c] : 0.0;
            MAGNITUDE[(long long)r * COLS + c] = y * (1.0 + (argument + depth / sum) / count) +
                                              ldexp(1.0, -101) / count;
        }
    }
)";

LoopNest build_softmax_dx(SweepNest nest)
{
    const auto products = nest.accumulators("s", 0); // of what is not there: zero
    nest.pass({0, 1}, [&](const Point& at) {
        nest.assign(products[at.line], products[at.line] + at.read[0] * at.read[1]);
    });
    const auto total = nest.meet(products, "sum", SweepNest::Meet::sum);
    nest.pass({0, 1},
              [&](const Point& at) { nest.write(at, at.read[0] * (at.read[1] - total[at.line])); });
    return std::move(nest).finish(1 + 2);
}

/// With s = sum of dY*Y, which is off by (COLS + 1) u sum|dY*Y|: the difference and the product add
/// 2u |Y| (|dY| + |s|).
SweepOperator::Reference softmax_dx_reference(std::int64_t rows, std::int64_t cols,
                                              const TensorValues& inputs)
{
    const auto n = static_cast<std::size_t>(cols);
    SweepOperator::Reference result;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        const float* y = inputs[0].data() + row * n;
        const float* dy = inputs[1].data() + row * n;
        double sum = 0;
        double size = 0;
        for (std::size_t c = 0; c < n; ++c) {
            sum += double{dy[c]} * y[c];
            size += std::abs(double{dy[c]} * y[c]);
        }
        for (std::size_t c = 0; c < n; ++c) {
            result.value.push_back(y[c] * (dy[c] - sum));
            result.magnitude.push_back(std::abs(y[c]) * (std::abs(dy[c]) + size));
        }
    }
    return result;
}

constexpr const char* softmax_dx_c = R"(    for (int r = 0; r < ROWS; ++r) {
        const float *y = Y + (long long)r * COLS, *dy = dY + (long long)r * COLS;
        double sum = 0.0, size = 0.0;
        for (int c = 0; c < COLS; ++c) {
            sum += (double)dy[c] * y[c];
            size += fabs((double)dy[c] * y[c]);
        }
        for (int c = 0; c < COLS; ++c) {
            dX[(long long)r * COLS + c] = y[c] * (dy[c] - sum);
            MAGNITUDE[(long long)r * COLS + c] = fabs(y[c]) * (fabs(dy[c]) + size);
        }
    }
)";

} // namespace

LoopNest softmax_nest(SweepNest nest, bool logarithm)
{
    constexpr std::size_t x = 0;
    // The lowest number is where a component that is not there leaves the maximum alone, and exp of
    // it is zero.
    constexpr double lowest = -std::numeric_limits<float>::max();
    const auto maxima = nest.accumulators("m", lowest);
    nest.pass({x}, [&](const Point& at) {
        const auto value = SweepNest::counted(at, at.read[0], lowest);
        nest.assign(maxima[at.line], call("fmax", maxima[at.line], value));
    });
    const auto top = nest.meet(maxima, "top", SweepNest::Meet::largest);
    const auto sums = nest.accumulators("s", 0);
    nest.pass({x}, [&](const Point& at) {
        const auto value = SweepNest::counted(at, at.read[0], lowest);
        nest.assign(sums[at.line], sums[at.line] + call("exp", value - top[at.line]));
    });
    const auto total = nest.meet(sums, "sum", SweepNest::Meet::sum);
    if (logarithm) {
        const auto bottom =
            nest.line_values("bottom", [&](std::size_t i) { return call("log", total[i]); });
        nest.pass({x}, [&](const Point& at) {
            nest.write(at, (at.read[0] - top[at.line]).grouped() - bottom[at.line]);
        });
        return std::move(nest).finish(1 + 3 + 2);
    }
    const auto scale = nest.line_values("scale", [&](std::size_t i) { return 1.0 / total[i]; });
    nest.pass({x}, [&](const Point& at) {
        nest.write(at, call("exp", at.read[0] - top[at.line]) * scale[at.line]);
    });
    return std::move(nest).finish(1 + 3 + 3);
}

Operator softmax(std::int64_t rows, std::int64_t cols)
{
    return sweep_operator(
        {.name = "softmax",
         .rows = rows,
         .cols = cols,
         .inputs = {{"X", {rows, cols}, {"row", "column"}}},
         .output = {"Y", {rows, cols}, {"row", "column"}},
         .operations = 5, // maximum, difference, exp, sum, quotient
         .build = [](SweepNest nest) { return softmax_nest(std::move(nest)); },
         .reference = [=](const TensorValues& in) { return softmax_reference(rows, cols, in); },
         .roundings = softmax_roundings(cols),
         .reference_c = softmax_c});
}

Operator softmax_dx(std::int64_t rows, std::int64_t cols)
{
    return sweep_operator(
        {.name = "softmax_dx",
         .rows = rows,
         .cols = cols,
         .inputs = {{"Y", {rows, cols}, {"row", "column"}},
                    {"dY", {rows, cols}, {"row", "column"}}},
         .output = {"dX", {rows, cols}, {"row", "column"}},
         .operations = 4, // product and sum; difference, product
         .build = build_softmax_dx,
         .reference = [=](const TensorValues& in) { return softmax_dx_reference(rows, cols, in); },
         .roundings = static_cast<double>(cols) + 4,
         .reference_c = softmax_dx_c});
}

} // namespace texelscope::codegen
