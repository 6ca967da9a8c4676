// Expressions: their text, as a compiler of C understands it, against their reference; what is
// shared, and what is put in.

#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/number_expr.hpp"
#include "codegen/text/expression_text.hpp"
#include "tests/base/random.hpp"
#include "tests/codegen/compiled_c.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::codegen;
using test::Random;

namespace {

NumberExpr random_expression(Random& random, int depth)
{
    const auto below = [&] { return random_expression(random, depth - 1); };
    if (depth == 0) {
        return random.one_in(2) ? NumberExpr(static_cast<double>(random.between(-8, 8)) / 4)
                                : NumberExpr::argument(random.small(0, 1));
    }
    switch (random.between(0, 9)) {
    case 0:
        return below() + below();
    case 1:
        return below() - below();
    case 2:
        return below() * below();
    case 3:
        return below() / (4.0 + call("fabs", below()));
    case 4:
        return -below();
    case 5:
        return call("fmax", below(), below());
    case 6:
        return call("tanh", below());
    case 7:
        return choose(random.one_in(2) ? less(below(), below())
                                       : both(greater(below(), below()), less(below(), 1.0)),
                      below(), below());
    case 8:
        return below().grouped();
    default:
        return call("exp", -call("fabs", below()));
    }
}

} // namespace

TEST_CASE("Text of random expressions is C that computes what their reference does")
{
    constexpr int cases = 300;
    Random random(31);
    LoopNest nest;
    std::string c = "#include <math.h>\n";
    std::vector<NumberExpr> expressions;
    for (int i = 0; i < cases; ++i) {
        expressions.push_back(random_expression(random, random.small(1, 5)));
        std::string text = opencl_text(expressions.back(), nest);
        for (int number = 0; number < 2; ++number) {
            const std::string argument = "{" + std::to_string(number) + "}";
            for (std::size_t at = text.find(argument); at != std::string::npos;
                 at = text.find(argument, at)) {
                text.replace(at, argument.size(), number == 0 ? "a" : "b");
            }
        }
        c += "double e" + std::to_string(i) + "(double a, double b);\ndouble e" +
             std::to_string(i) +
             "(double a, double b)\n{\n    (void)a;\n    (void)b;\n    return " + text + ";\n}\n";
    }
    const test::CompiledC compiled(c);
    for (int i = 0; i < cases; ++i) {
        const auto function =
            compiled.function<double (*)(double, double)>("e" + std::to_string(i));
        for (const auto& arguments :
             {std::array{0.25, -1.5}, std::array{-3.0, 2.0}, std::array{0.0, 0.75}}) {
            const double wanted = function(arguments[0], arguments[1]);
            CAPTURE(opencl_text(expressions[static_cast<std::size_t>(i)], nest));
            CHECK(evaluate(expressions[static_cast<std::size_t>(i)], arguments) ==
                  Approx(wanted).epsilon(1e-12).margin(1e-12));
        }
    }
}

TEST_CASE("Parentheses are those that the order of operations asks for")
{
    LoopNest nest;
    const NumberExpr a = nest.add_value("a", 4), b = nest.add_value("b", 4),
                     c = nest.add_value("c", 1);
    const auto text = [&](const NumberExpr& e) { return opencl_text(e, nest); };
    CHECK(text(a - b - c) == "a - b - c");
    CHECK(text(a - (b - c)) == "a - (b - c)");
    CHECK(text((a - b).grouped() - c) == "(a - b) - c");
    CHECK(text(a * (b * c)) == "a * (b * c)");
    CHECK(text((a + b) / (1.0 + call("exp", -a))) == "(a + b) / (1.0f + exp(-a))");
    CHECK(text(-(a + b) * c) == "-(a + b) * c");
    CHECK(text(-(-a)) == "-(-a)"); // no decrement
    CHECK(text(-NumberExpr(-2.0)) == "-(-2.0f)");
    CHECK(text(a - -2.0) == "a - -2.0f");
    CHECK(text(choose(less(a, 0.0), 0.01 * a, a)) == "a < 0.0f ? 0.01f * a : a");
    CHECK(text(1.0 + choose(less(a, 0.0), b, a)) == "1.0f + (a < 0.0f ? b : a)");
    CHECK(text(c.vector(NumberType::single, 4)) == "(float4)(c)");
    CHECK(text((a + c).component(2)) == "(a + c).z");
    CHECK(text(a.beside(b).vector(NumberType::factor, 8)) == "(float8)(a, b)");
    CHECK(text(NumberExpr(a).part(4)) == "a.s4567");
    CHECK(text(NumberExpr::exact(1e-5)) == "1e-05f");
    CHECK(text(NumberExpr::exact(1)) == "1.0f");
    CHECK(text(1.0 / 3) == "0.333333333f");
    CHECK(text(-1e39) == "-FLT_MAX");
    const IndexExpr at(Variable{0, "at", {0, 9}});
    CHECK(text(a.pick(at)) == "PICK(a, at)");
    CHECK(text(NumberExpr::of_index(at) + c) == "(float)at + c");
    CHECK(text(NumberExpr::of_index(at + 1)) == "(float)(at + 1)");
    CHECK(text(both(NumberExpr::index_below(at, 5), NumberExpr::index_is(at, 3))) ==
          "(uint)at < 5 && at == 3");
    const NumberExpr there = NumberExpr::components_below(7 - at);
    CHECK(text(choose(there, a, b) - c) == "select(b, a, (int4)(0, 1, 2, 3) < -at + 7) - c");
    CHECK(text(a.keep_first(2)) == "as_float4(as_int4(a) & (int4)(-1, -1, 0, 0))");
    nest.half_sums = HalfSums{};
    CHECK(text(a.converted(NumberType::single, 4)) == "convert_float4(a)");
    CHECK(text(a.converted(NumberType::factor, 4)) == "AS_NUMBER(a)");
    CHECK(text(c.vector(NumberType::factor, 4)) == "(number4)(c)");
}

TEST_CASE("What is written twice is one node, and arguments take expressions")
{
    LoopNest nest;
    const NestValue v = nest.add_value("v", 4), w = nest.add_value("w", 4);
    const NumberExpr t = call("tanh", v + w);
    const NumberExpr twice = t + t * t;
    CHECK(twice.nodes().size() == 6); // v, w, their sum, its tanh, the product, the sum
    int values = 0;
    twice.for_each_value([&](NestValue) { ++values; });
    CHECK(values == 2);
    CHECK((t + t * t) == twice);
    CHECK_FALSE((t + t) == twice);

    const NumberExpr x = NumberExpr::argument(0), y = NumberExpr::argument(1);
    CHECK(x.is_argument(0));
    CHECK_FALSE((x + y).is_argument(0));
    CHECK((x + y).takes_argument(1));
    CHECK_FALSE((x * x).takes_argument(1));
    CHECK((x - y * x).with_arguments({v, w}) == v - w * v);
    CHECK((x - y).with_arguments({y, x}) == y - x); // all at once
    const NumberExpr z = v * w;
    CHECK((x + y).with_arguments({z, z}).nodes().size() == 4);
    const NumberExpr picked = x.pick(IndexExpr(Variable{3, "c", {0, 3}}));
    CHECK(opencl_text(picked.with_arguments({v}) + y.with_arguments({w, w}), nest) ==
          "PICK(v, c) + w");
    CHECK_THROWS_AS(evaluate(v + w, {}), std::logic_error);
}
