// The gradients of a layer normalisation by its parameters: sums down the columns, so a work-item
// owns columns and goes along the rows.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/layernorm.hpp"
#include "codegen/operators/sweep_operator.hpp"

#include <fmt/format.h>

#include <cmath>

namespace texelscope::codegen {
namespace {

using Point = SweepNest::Point;

/// Sums a term of each element down the columns; a row that is not there has gradient zero, and so
/// has the term.
template <class Term>
LoopNest build_sums(SweepNest nest, const std::vector<std::size_t>& inputs, const Term& term,
                    double operations)
{
    const auto sums = nest.accumulators("s", 0);
    nest.pass(inputs,
              [&](const Point& at) { nest.assign(sums[at.line], sums[at.line] + term(at)); });
    const auto total = nest.meet(sums, "s", SweepNest::Meet::sum);
    for (std::size_t i = 0; i < nest.lines(); ++i) {
        nest.write_line(i, total[i]);
    }
    return std::move(nest).finish(operations);
}

LoopNest build_dgamma(SweepNest nest)
{
    const auto term = [](const Point& at) {
        const NumberExpr mean = NumberExpr(at.read[2]).component(0),
                         rstd = NumberExpr(at.read[3]).component(0);
        return at.read[1] * ((at.read[0] - mean) * rstd);
    };
    return build_sums(std::move(nest), {0, 1, 2, 3}, term, 3);
}

LoopNest build_dbeta(SweepNest nest)
{
    const auto term = [](const Point& at) { return at.read[0]; };
    return build_sums(std::move(nest), {0}, term, 1);
}

/// Sums over the rows of `term(row, column)`; the magnitude is the sum of their sizes.
template <class Term>
SweepOperator::Reference sum_of_rows(std::int64_t rows, std::int64_t cols, const Term& term)
{
    SweepOperator::Reference result;
    for (std::size_t c = 0; c < static_cast<std::size_t>(cols); ++c) {
        double sum = 0;
        double size = 0;
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
            const double value = term(r, r * static_cast<std::size_t>(cols) + c);
            sum += value;
            size += std::abs(value);
        }
        result.value.push_back(sum);
        result.magnitude.push_back(size);
    }
    return result;
}

std::string sum_of_rows_c(const char* output, const char* term)
{
    return fmt::format(R"(    for (int c = 0; c < COLS; ++c) {{
        double sum = 0.0, size = 0.0;
        for (int r = 0; r < ROWS; ++r) {{
            const double value = {};
            sum += value;
            size += fabs(value);
        }}
        {}[c] = sum;
        MAGNITUDE[c] = size;
    }}
)",
                       term, output);
}

} // namespace

Operator layernorm_dgamma(std::int64_t rows, std::int64_t cols)
{
    const auto reference = [=](const TensorValues& in) {
        return sum_of_rows(rows, cols, [&](std::size_t r, std::size_t at) {
            return double{in[1][at]} * (double{in[0][at]} - in[2][r]) * in[3][r];
        });
    };
    return sweep_operator(
        {.name = "layernorm_dgamma",
         .lines = SweepLines::columns,
         .rows = rows,
         .cols = cols,
         .inputs = {{"X", {rows, cols}, {"row", "column"}},
                    {"dY", {rows, cols}, {"row", "column"}},
                    {"mean", {rows}, {"row"}},
                    {"rstd", {rows}, {"row"}}},
         .output = {"dgamma", {cols}, {"column"}},
         .operations = 4,
         .build = build_dgamma,
         .reference = reference,
         // a sum of products of a difference and two factors
         .roundings = static_cast<double>(rows) + 4,
         .reference_c = sum_of_rows_c(
             "dgamma",
             "(double)dY[(long long)r * COLS + c] * ((double)X[(long long)r * COLS + c] - "
             "mean[r]) * rstd[r]")});
}

Operator layernorm_dbeta(std::int64_t rows, std::int64_t cols)
{
    const auto reference = [=](const TensorValues& in) {
        return sum_of_rows(rows, cols,
                           [&](std::size_t, std::size_t at) { return double{in[0][at]}; });
    };
    return sweep_operator({.name = "layernorm_dbeta",
                           .lines = SweepLines::columns,
                           .rows = rows,
                           .cols = cols,
                           .inputs = {{"dY", {rows, cols}, {"row", "column"}}},
                           .output = {"dbeta", {cols}, {"column"}},
                           .operations = 1,
                           .build = build_dbeta,
                           .reference = reference,
                           .roundings = static_cast<double>(rows),
                           .reference_c = sum_of_rows_c("dbeta", "dY[(long long)r * COLS + c]")});
}

} // namespace texelscope::codegen
