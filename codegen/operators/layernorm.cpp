#include "codegen/operators/layernorm.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/sweep_operator.hpp"

#include <fmt/format.h>

#include <cmath>

namespace texelscope::codegen {
namespace {

using Point = SweepNest::Point;

/// Mean and 1 / standard deviation of each row that a work-item owns.
struct Statistics {
    std::vector<NestValue> mean;
    std::vector<NestValue> rstd;
};

/// The mean of what the accumulators hold.
std::vector<NestValue> means(SweepNest& nest, const std::vector<NestValue>& accumulators,
                             const std::string& name, std::int64_t cols)
{
    const auto sums = nest.meet(accumulators, name + "_sum", SweepNest::Meet::sum);
    return nest.line_values(name,
                            [&](std::size_t i) { return sums[i] / static_cast<double>(cols); });
}

/// Mean and reciprocal standard deviation, in two passes over the row: a variance from sums of
/// squares would lose its digits where the mean is large.
Statistics statistics(SweepNest& nest, std::size_t x, std::int64_t cols,
                      double epsilon = layernorm_epsilon)
{
    const auto sums = nest.accumulators("s", 0);
    nest.pass({x},
              [&](const Point& at) { nest.assign(sums[at.line], sums[at.line] + at.read[0]); });
    const auto mean = means(nest, sums, "mean", cols);
    const auto squares = nest.accumulators("v", 0);
    nest.pass({x}, [&](const Point& at) {
        const auto difference = at.read[0] - mean[at.line];
        const NestValue d = nest.define(at, "d", SweepNest::counted(at, difference, 0));
        nest.assign(squares[at.line], squares[at.line] + d * d);
    });
    const auto variance = means(nest, squares, "var", cols);
    const auto root = [&](std::size_t i) {
        return call("rsqrt", variance[i] + NumberExpr::exact(epsilon));
    };
    return {mean, nest.line_values("rstd", root)};
}
constexpr double statistics_operations = 3; // of a component: sum; difference, square added

/// What the row's statistics are in exact arithmetic, with the mean of |X|, which bounds the mean's
/// rounding error.
struct RowStatistics {
    double mean = 0;
    double rstd = 0;
    double size = 0;
};

RowStatistics row_statistics(const float* x, std::size_t n)
{
    RowStatistics row;
    for (std::size_t c = 0; c < n; ++c) {
        row.mean += x[c] / static_cast<double>(n);
        row.size += std::abs(x[c]) / static_cast<double>(n);
    }
    double variance = 0;
    for (std::size_t c = 0; c < n; ++c) {
        variance += (x[c] - row.mean) * (x[c] - row.mean) / static_cast<double>(n);
    }
    row.rstd = 1 / std::sqrt(variance + layernorm_epsilon);
    return row;
}

constexpr const char* row_statistics_c = R"(        const float *x = X + (long long)r * COLS;
        double mean = 0.0, size = 0.0, variance = 0.0;
        for (int c = 0; c < COLS; ++c) {
            mean += x[c] / (double)COLS;
            size += fabs(x[c]) / (double)COLS;
        }
        for (int c = 0; c < COLS; ++c) {
            variance += (x[c] - mean) * (x[c] - mean) / (double)COLS;
        }
        const double rstd = 1.0 / sqrt(variance + 1e-5);
        const double k = size * rstd, q = 1.0 + 0.5 * (COLS + 16) * ldexp(1.0, -24) * k * k;
)";

double normalized_roundings(std::int64_t cols)
{
    return static_cast<double>(cols) + 16;
}

/// Rounding errors of h = (X - mean) * rstd, in units of T u with T = normalized_roundings(COLS).
/// The mean is off by D <= (COLS + 5) u mean|X| (the sum, the quotient). The variance from there is
/// too large by D^2, and off by (COLS + 8) u relatively. With k = mean|X| * rstd, h is off by
///     D rstd <= T u k    and    |h| (u (COLS + 8) / 2 + (D rstd)^2 / 2 + 8u: epsilon added, rsqrt,
///     difference, product),
/// of which the second is below T u |h| q with q = 1 + T u k^2 / 2; rstd alone is off by T u q
/// relatively, too.
struct NormalizedError {
    double k = 0;
    double q = 1;
};

NormalizedError normalized_error(const RowStatistics& row, std::int64_t cols)
{
    const double k = row.size * row.rstd;
    return {k, 1 + 0.5 * normalized_roundings(cols) * unit_roundoff * k * k};
}

/// The error of h times |gamma|, and two roundings of |h gamma| and one of |beta|, for which T
/// leaves room.
SweepOperator::Reference layernorm_reference(std::int64_t rows, std::int64_t cols,
                                             const TensorValues& inputs)
{
    const auto n = static_cast<std::size_t>(cols);
    SweepOperator::Reference result;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
        const float* x = inputs[0].data() + r * n;
        const RowStatistics row = row_statistics(x, n);
        const auto [k, q] = normalized_error(row, cols);
        for (std::size_t c = 0; c < n; ++c) {
            const double gamma = inputs[1][c];
            const double beta = inputs[2][c];
            const double h = (x[c] - row.mean) * row.rstd;
            result.value.push_back(h * gamma + beta);
            result.magnitude.push_back((k + std::abs(h) * q) * std::abs(gamma) + std::abs(beta));
        }
    }
    return result;
}

constexpr const char* layernorm_c = R"(        for (int c = 0; c < COLS; ++c) {
            const double h = (x[c] - mean) * rstd;
            Y[(long long)r * COLS + c] = h * gamma[c] + beta[c];
            MAGNITUDE[(long long)r * COLS + c] = (k + fabs(h) * q) * fabs(gamma[c]) + fabs(beta[c]);
        }
)";

LoopNest build_layernorm_dx(SweepNest nest, std::int64_t cols)
{
    const Statistics row = statistics(nest, 0, cols);
    const auto gradient = [&](const Point& at) { return at.read[1] * at.read[2]; };
    const auto normalized = [&](const Point& at) {
        return (at.read[0] - row.mean[at.line]) * row.rstd[at.line];
    };
    const auto sums = nest.accumulators("a", 0);
    const auto products = nest.accumulators("b", 0);
    nest.pass({0, 1, 2}, [&](const Point& at) { // what is not there has gradient zero
        const NestValue g = nest.define(at, "g", gradient(at));
        nest.assign(sums[at.line], sums[at.line] + g);
        nest.assign(products[at.line], products[at.line] + g * normalized(at));
    });
    const auto mean_g = means(nest, sums, "mean_g", cols);
    const auto mean_gh = means(nest, products, "mean_gh", cols);
    nest.pass({0, 1, 2}, [&](const Point& at) {
        nest.write(at, row.rstd[at.line] *
                           (gradient(at) - mean_g[at.line] - normalized(at) * mean_gh[at.line]));
    });
    return std::move(nest).finish(statistics_operations + 5 + 6);
}

/// With G = mean|g|, H = mean|g h|, and the errors of h and rstd from above, in units of T u:
/// mean(g) is off by G, mean(g h) by k G + H q + H, h by k + |h| q, rstd by q relatively, and the
/// last line's own roundings by the sum of the sizes of its terms. As |dX| <= rstd (|g| + G + |h|
/// H) and q >= 1, it comes to at most
///     rstd (2 q (|g| + G) + k (|h| G + H) + 5 q |h| H).
SweepOperator::Reference layernorm_dx_reference(std::int64_t rows, std::int64_t cols,
                                                const TensorValues& inputs)
{
    const auto n = static_cast<std::size_t>(cols);
    SweepOperator::Reference result;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
        const float* x = inputs[0].data() + r * n;
        const RowStatistics row = row_statistics(x, n);
        const auto [k, q] = normalized_error(row, cols);
        std::vector<double> g(n);
        std::vector<double> h(n);
        double mean_g = 0;
        double mean_gh = 0;
        double size_g = 0;
        double size_gh = 0;
        for (std::size_t c = 0; c < n; ++c) {
            g[c] = double{inputs[1][r * n + c]} * inputs[2][c];
            h[c] = (x[c] - row.mean) * row.rstd;
            mean_g += g[c] / static_cast<double>(n);
            mean_gh += g[c] * h[c] / static_cast<double>(n);
            size_g += std::abs(g[c]) / static_cast<double>(n);
            size_gh += std::abs(g[c] * h[c]) / static_cast<double>(n);
        }
        for (std::size_t c = 0; c < n; ++c) {
            const double a = std::abs(h[c]);
            result.value.push_back(row.rstd * (g[c] - mean_g - h[c] * mean_gh));
            result.magnitude.push_back(row.rstd *
                                       (2 * q * (std::abs(g[c]) + size_g) +
                                        k * (a * size_g + size_gh) + 5 * q * a * size_gh));
        }
    }
    return result;
}

constexpr const char* layernorm_dx_c =
    R"(        double mean_g = 0.0, mean_gh = 0.0, size_g = 0.0, size_gh = 0.0;
        for (int c = 0; c < COLS; ++c) {
            const double g = (double)dY[(long long)r * COLS + c] * gamma[c], h = (x[c] - mean) * rstd;
            mean_g += g / COLS;
            mean_gh += g * h / COLS;
            size_g += fabs(g) / COLS;
            size_gh += fabs(g * h) / COLS;
        }
        for (int c = 0; c < COLS; ++c) {
            const double g = (double)dY[(long long)r * COLS + c] * gamma[c], h = (x[c] - mean) * rstd;
            dX[(long long)r * COLS + c] = rstd * (g - mean_g - h * mean_gh);
            MAGNITUDE[(long long)r * COLS + c] = rstd * (2.0 * q * (fabs(g) + size_g) + k * (fabs(h) * size_g + size_gh) +
                                                      5.0 * q * fabs(h) * size_gh);
        }
)";

std::string over_rows(const char* body)
{
    return fmt::format("    for (int r = 0; r < ROWS; ++r) {{\n{}{}    }}\n", row_statistics_c,
                       body);
}

} // namespace

LoopNest layernorm_nest(SweepNest nest, std::int64_t cols, double epsilon, bool with_beta)
{
    const Statistics row = statistics(nest, 0, cols, epsilon);
    nest.pass(with_beta ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{0, 1},
              [&](const Point& at) {
                  const NumberExpr scaled =
                      (at.read[0] - row.mean[at.line]) * row.rstd[at.line] * at.read[1];
                  nest.write(at, with_beta ? scaled + at.read[2] : scaled);
              });
    return std::move(nest).finish(statistics_operations + 3);
}

Operator layernorm(std::int64_t rows, std::int64_t cols)
{
    return sweep_operator(
        {.name = "layernorm",
         .rows = rows,
         .cols = cols,
         .inputs = {{"X", {rows, cols}, {"row", "column"}},
                    {"gamma", {cols}, {"column"}},
                    {"beta", {cols}, {"column"}}},
         .output = {"Y", {rows, cols}, {"row", "column"}},
         // sum; difference, square, sum; difference, two products, sum
         .operations = 8,
         .build = [=](SweepNest nest) { return layernorm_nest(std::move(nest), cols); },
         .reference = [=](const TensorValues& in) { return layernorm_reference(rows, cols, in); },
         .roundings = normalized_roundings(cols),
         .reference_c = over_rows(layernorm_c)});
}

Operator layernorm_dx(std::int64_t rows, std::int64_t cols)
{
    return sweep_operator(
        {.name = "layernorm_dx",
         .rows = rows,
         .cols = cols,
         .inputs = {{"X", {rows, cols}, {"row", "column"}},
                    {"dY", {rows, cols}, {"row", "column"}},
                    {"gamma", {cols}, {"column"}}},
         .output = {"dX", {rows, cols}, {"row", "column"}},
         // 4 to the variance, 3 for g and h, 3 for their sums, 4 for dX
         .operations = 14,
         .build = [=](SweepNest nest) { return build_layernorm_dx(std::move(nest), cols); },
         .reference =
             [=](const TensorValues& in) { return layernorm_dx_reference(rows, cols, in); },
         .roundings = normalized_roundings(cols),
         .reference_c = over_rows(layernorm_dx_c)});
}

} // namespace texelscope::codegen
