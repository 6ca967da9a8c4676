#pragma once

#include "base/layers.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace texelscope::codegen {

/// A function that kernels call. Its row in the table below is all that the program knows of it:
/// kernel text, the simulator's work, registers, the model and references are all derived from the
/// row.
struct NumberFunction {
    std::string_view name; ///< the name that call() takes
    std::string_view text; ///< OpenCL C; {0} and {1} stand for the arguments
    int operands = 1;
    /// Cost of one number of the result: operations as Work counts them, and exponentials (2: as
    /// much as two of them).
    double operations = 0;
    double exponentials = 0;
    /// The function in double precision. One that takes a single operand ignores the second number.
    double (*reference)(double, double) = nullptr;
    /// It is a modifier: the instruction that uses the result does it for free. Where none uses it,
    /// it costs one operation.
    bool modifies = false;
    /// It makes one number from all numbers of a vector; `operations` are then for each number of
    /// the vector.
    bool sums = false;
};

/// Costs are the instructions that Mesa 26.1.6 emits for one number in float32, waits not counted.
/// An exponential has 30 on the Adreno 740 and 33 on the Mali-G610; longer series are rounded to a
/// number of those. (Adreno 740 and Mali-G610 of each: expm1 34 and -, log 63 and -, log1p 69 and
/// -, tanh 60 and 65, erf 146 and 169, pow 196 and -, where - means that the compiler fails.) A
/// sine has 334, but branches around 240 of them where its argument is small.
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

/// A function, as the number of its row. It is made from a name at compile time; a name that no row
/// has does not compile.
class FunctionRow {
public:
    consteval FunctionRow(const char* name) // NOLINT: names are functions
    {
        const std::string_view wanted = name;
        // Reading past the end of the table is no constant expression: an unknown name does not
        // compile.
        while (function_table[row_].name != wanted) {
            ++row_;
        }
    }
    constexpr explicit FunctionRow(std::size_t row) : row_(static_cast<std::uint8_t>(row)) {}

    [[nodiscard]] constexpr std::uint8_t row() const { return row_; }

private:
    std::uint8_t row_ = 0;
};

} // namespace texelscope::codegen
