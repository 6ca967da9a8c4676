#pragma once

#include "base/layers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace texelscope::codegen {

/// A function that kernels call. A row of the table below is all that anybody knows of it: kernel
/// text, the simulator's work, registers, the model and references go by the row.
struct NumberFunction {
    std::string_view name; ///< as call() takes it
    std::string_view text; ///< OpenCL C, {0} and {1} for what it is called with
    int operands = 1;
    /// What a number of the result takes: operations as Work counts them, and how many times as
    /// much as an exponential.
    double operations = 0;
    double exponentials = 0;
    /// In double precision. The second number is not looked at where it takes one.
    double (*reference)(double, double) = nullptr;
    /// Whoever takes the result does it on the way; where nobody does, it is an operation.
    bool modifies = false;
    /// One number of all of a vector's, with so many operations for each of those.
    bool sums = false;
};

/// Costs are what Mesa 26.1.6 makes of each in float32: its instructions for a number, but for
/// waits. An exponential has 30 on the Adreno 740 and 33 on the Mali-G610; longer series are
/// rounded to a number of those. (Each: expm1 34 and -, log 63 and -, log1p 69 and -, tanh 60 and
/// 65, erf 146 and 169, pow 196 and -, where - ends the compiler.) A sine has 334, but branches
/// around 240 of them where its argument is small.
inline constexpr NumberFunction function_table[] = {
    {"fmax", "fmax({0}, {1})", 2, 1, 0, [](double a, double b) { return std::fmax(a, b); }},
    {"fmin", "fmin({0}, {1})", 2, 1, 0, [](double a, double b) { return std::fmin(a, b); }},
    {"fabs", "fabs({0})", 1, 0, 0, [](double x, double) { return std::abs(x); }, true},
    {"sign", "sign({0})", 1, 1, 0,
     [](double x, double) { return static_cast<double>((x > 0) - (x < 0)); }},
    {"floor", "floor({0})", 1, 1, 0, [](double x, double) { return std::floor(x); }},
    {"ceil", "ceil({0})", 1, 1, 0, [](double x, double) { return std::ceil(x); }},
    {"rint", "rint({0})", 1, 1, 0, [](double x, double) { return std::nearbyint(x); }},
    {"sqrt", "sqrt({0})", 1, 1, 0, [](double x, double) { return std::sqrt(x); }},
    {"rsqrt", "rsqrt({0})", 1, 1, 0, [](double x, double) { return 1 / std::sqrt(x); }},
    {"exp", "exp({0})", 1, 0, 1, [](double x, double) { return std::exp(x); }},
    {"expm1", "expm1({0})", 1, 0, 1, [](double x, double) { return std::expm1(x); }},
    {"log", "log({0})", 1, 0, 2, [](double x, double) { return std::log(x); }},
    {"log1p", "log1p({0})", 1, 0, 2, [](double x, double) { return std::log1p(x); }},
    {"tanh", "tanh({0})", 1, 0, 2, [](double x, double) { return std::tanh(x); }},
    {"erf", "erf({0})", 1, 0, 5, [](double x, double) { return std::erf(x); }},
    {"pow", "pow({0}, {1})", 2, 0, 7, [](double a, double b) { return std::pow(a, b); }},
    {"sin", "sin({0})", 1, 0, 3, [](double x, double) { return std::sin(x); }},
    {"cos", "cos({0})", 1, 0, 3, [](double x, double) { return std::cos(x); }},
    {"dot", "dot({0}, {1})", 2, 1, 0, [](double a, double b) { return a * b; }, false, true},
};

/// A function by its row. A name that no row has does not compile.
class FunctionRow {
public:
    consteval FunctionRow(const char* name) // NOLINT: names are functions
    {
        const std::string_view wanted = name;
        while (function_table[row_].name !=
               wanted) { // past the end there is nothing to look at, which does not compile
            ++row_;
        }
    }
    constexpr explicit FunctionRow(std::size_t row) : row_(static_cast<std::uint8_t>(row)) {}

    [[nodiscard]] constexpr std::uint8_t row() const { return row_; }

private:
    std::uint8_t row_ = 0;
};

} // namespace texelscope::codegen
