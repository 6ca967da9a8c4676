// Every row of the table of functions: text, costs and reference against what is written here
// beside.

#include "codegen/nest/arithmetic.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/expression_text.hpp"
#include "tests/base/random.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

/// What a row has to say of a vector of four numbers x, and another y.
struct Expected {
    std::string text;
    double operations = 0, exponentials = 0; ///< of all four
    std::function<double(double, double)> of;
};

const std::map<std::string, Expected>& expected()
{
    static const std::map<std::string, Expected> all{
        {"fmax", {"fmax(x, y)", 4, 0, [](double a, double b) { return a > b ? a : b; }}},
        {"fmin", {"fmin(x, y)", 4, 0, [](double a, double b) { return a < b ? a : b; }}},
        {"fabs",
         {"fabs(x)", 4, 0,
          [](double a, double) { return a < 0 ? -a : a; }}}, // alone it is an operation
        {"sign",
         {"sign(x)", 4, 0, [](double a, double) { return a == 0 ? 0.0 : std::copysign(1.0, a); }}},
        {"floor", {"floor(x)", 4, 0, [](double a, double) { return std::floor(a); }}},
        {"ceil", {"ceil(x)", 4, 0, [](double a, double) { return std::ceil(a); }}},
        {"rint", {"rint(x)", 4, 0, [](double a, double) { return std::rint(a); }}},
        {"sqrt", {"sqrt(x)", 4, 0, [](double a, double) { return std::sqrt(a); }}},
        {"rsqrt", {"rsqrt(x)", 4, 0, [](double a, double) { return std::pow(a, -0.5); }}},
        {"exp", {"exp(x)", 0, 4, [](double a, double) { return std::exp(a); }}},
        {"expm1", {"expm1(x)", 0, 4, [](double a, double) { return std::expm1(a); }}},
        {"log", {"log(x)", 0, 8, [](double a, double) { return std::log(a); }}},
        {"log1p", {"log1p(x)", 0, 8, [](double a, double) { return std::log1p(a); }}},
        {"tanh", {"tanh(x)", 0, 8, [](double a, double) { return std::tanh(a); }}},
        {"erf", {"erf(x)", 0, 20, [](double a, double) { return std::erf(a); }}},
        {"pow", {"pow(x, y)", 0, 28, [](double a, double b) { return std::pow(a, b); }}},
        {"sin", {"sin(x)", 0, 12, [](double a, double) { return std::sin(a); }}},
        {"cos", {"cos(x)", 0, 12, [](double a, double) { return std::cos(a); }}},
        {"dot", {"dot(x, y)", 4, 0, [](double a, double b) { return a * b; }}},
    };
    return all;
}

} // namespace

TEST_CASE("Every function has the text, the costs and the reference that are expected of it")
{
    LoopNest nest;
    const NestValue x = nest.add_value("x", 4), y = nest.add_value("y", 4);
    test::Random random(11);
    std::set<std::string> seen;
    for (std::size_t row = 0; row < std::size(function_table); ++row) {
        const NumberFunction& function = function_table[row];
        const std::string name(function.name);
        CAPTURE(name);
        REQUIRE(expected().contains(name));
        REQUIRE(seen.insert(name).second);
        const Expected& wanted = expected().at(name);
        const bool two = wanted.text.find('y') != std::string::npos;
        const NumberExpr call_of_row =
            two ? call(FunctionRow(row), x, y) : call(FunctionRow(row), x);
        CHECK(function.operands == (two ? 2 : 1));
        CHECK(opencl_text(call_of_row, nest) == wanted.text);
        const Arithmetic cost = arithmetic_of(call_of_row, nest);
        CHECK(cost.operations == wanted.operations);
        CHECK(cost.exponentials == wanted.exponentials);
        CHECK(cost.numbers == (name == "dot" ? 1 : 4));
        const bool negative =
            name != "log" && name != "log1p" && name != "sqrt" && name != "rsqrt" && name != "pow";
        for (int i = 0; i < 50; ++i) {
            const double a = static_cast<double>(random.between(negative ? -300 : 1, 300)) / 64;
            const double b = static_cast<double>(random.between(-300, 300)) / 64;
            const NumberExpr of_arguments =
                two ? call(FunctionRow(row), NumberExpr::argument(0), NumberExpr::argument(1))
                    : call(FunctionRow(row), NumberExpr::argument(0));
            CAPTURE(a, b);
            CHECK(evaluate(of_arguments, std::array{a, b}) ==
                  Approx(wanted.of(a, b)).epsilon(1e-12).margin(1e-300));
        }
    }
    CHECK(seen.size() == expected().size());
}

TEST_CASE("A function is found by its name as the program is compiled")
{
    static_assert(function_table[FunctionRow("expm1").row()].name == "expm1");
    static_assert(function_table[FunctionRow("fmax").row()].operands == 2);
    CHECK(FunctionRow("exp").row() != FunctionRow("expm1").row());
}
