// What expressions cost, counted by hand; and the values that statements use, against the names in
// their text.

#include "base/error.hpp"
#include "codegen/nest/arithmetic.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "codegen/text/expression_text.hpp"
#include "codegen/text/kernel_source.hpp"
#include "tests/codegen/random_schedule.hpp"
#include "tests/random_cases.hpp"

#include <catch2/catch.hpp>

#include <regex>
#include <set>
#include <string>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

/// Names of the nest's values that occur in a text, but for components.
std::set<std::string> names_in(const std::string& text, const LoopNest& nest)
{
    std::set<std::string> known, found;
    for (const LoopNest::Value& value : nest.values) {
        known.insert(value.name);
    }
    static const std::regex word(R"((\.?)\b([A-Za-z_]\w*))");
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
        if ((*at)[1].length() == 0 && known.contains((*at)[2])) {
            found.insert((*at)[2]);
        }
    }
    return found;
}

/// The text of one statement, behind the head of its kernel.
std::string text_of(const NestStatement& statement, LoopNest nest)
{
    nest.prologue = nest.epilogue = {};
    nest.names = {};
    nest.guards = {};
    nest.body = {statement};
    const std::string text = opencl_text(nest, TexelBackend::native);
    return text.substr(text.find("\nvoid "));
}

void check_uses(const std::vector<NestStatement>& body, const LoopNest& nest, int& statements)
{
    for (const NestStatement& statement : body) {
        if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            check_uses(loop->body, nest, statements);
            continue;
        }
        std::set<std::string> said;
        const auto note = [&](NestValue value) { said.insert(nest.name_of(value)); };
        std::visit([&](const auto& s) { for_each_used(s, note); }, statement);
        if (const auto* declare = std::get_if<NestDeclare>(&statement)) {
            note(declare->target);
        } else if (const auto* read = std::get_if<NestRead>(&statement)) {
            note(read->target);
        } else if (const auto* local = std::get_if<NestLocalRead>(&statement)) {
            note(local->target);
        }
        const std::string text = text_of(statement, nest);
        INFO(text);
        REQUIRE(said == names_in(text.substr(text.find('{')), nest));
        ++statements;
    }
}

} // namespace

TEST_CASE("Operations and exponentials are those that a device has to make")
{
    LoopNest nest;
    const NumberExpr x = nest.add_value("x", 4), y = nest.add_value("y", 4),
                     s = nest.add_value("s", 1);
    const auto cost = [&](const NumberExpr& e) {
        const Arithmetic a = arithmetic_of(e, nest);
        return std::pair(a.operations, a.exponentials);
    };
    using Cost = std::pair<double, double>;
    CHECK(cost(x) == Cost(0, 0));
    CHECK(cost(x + y) == Cost(4, 0));
    CHECK(cost(s + s * s) == Cost(2, 0));
    CHECK(cost(x * s) == Cost(4, 0)); // a number for all of a vector
    // What a text's characters told wrongly.
    CHECK(cost(2.0 * call("expm1", x)) == Cost(4, 4));
    CHECK(cost(call("log1p", call("exp", -call("fabs", x)))) ==
          Cost(0, 12)); // modifiers are taken on the way
    CHECK(cost(call("rsqrt", s + NumberExpr::exact(1e-5))) == Cost(2, 0));
    CHECK(cost(x * -0.5) == Cost(4, 0));
    CHECK(cost(call("fabs", x)) == Cost(4, 0));
    CHECK(cost(-x) == Cost(4, 0));
    CHECK(cost(call("fmax", x, -1e39)) == Cost(4, 0));
    CHECK(cost(s.vector(NumberType::single, 4) * y) == Cost(4, 0)); // no mere join of values
    CHECK(cost(call("fabs", s.vector(NumberType::single, 4)) + y) == Cost(4, 0));
    // Quotients.
    CHECK(cost(x / y) == Cost(48, 0));
    CHECK(cost(1.0 / s) == Cost(12, 0));
    CHECK(cost(s / 64.0) == Cost(1, 0)); // a product
    // What occurs twice is calculated once.
    const NumberExpr t = call("tanh", x);
    CHECK(cost(t * (1.0 - t * t)) == Cost(12, 8));
    // Vectors.
    CHECK(cost((x.component(0) + x.component(1)) + (x.component(2) + x.component(3))) ==
          Cost(3, 0));
    CHECK(cost(call("dot", x, y)) == Cost(4, 0));
    CHECK(cost(call("dot", x, NumberExpr(1.0).vector(NumberType::factor, 4))) == Cost(3, 0));
    const IndexExpr at(Variable{0, "at", {0, 9}});
    CHECK(cost(x.pick(at).beside(y.pick(at)).vector(NumberType::factor, 2)) == Cost(6, 0));
    // Choices.
    CHECK(cost(choose(less(x, 0.0), 0.1 * x, x)) == Cost(20, 0));
    CHECK(cost(choose(less(s, 0.0), 0.1 * s, s)) == Cost(3, 0));
    CHECK(cost(choose(NumberExpr::components_below(7 - at), x, y)) == Cost(8, 0));
    CHECK(cost(choose(NumberExpr::components_below(2), x, y)) ==
          Cost(0, 0)); // as the kernel is compiled
    CHECK(cost(choose(NumberExpr::index_is(at, 4), x.keep_first(2), x)) == Cost(5, 0));
    CHECK(cost(NumberExpr::of_index(at) + s) == Cost(2, 0));
    // Conversions are something where there are two kinds of numbers.
    CHECK(cost(x.converted(NumberType::single, 4) + y) == Cost(4, 0));
    nest.half_sums = HalfSums{};
    CHECK(cost(x.converted(NumberType::single, 4) + y) == Cost(8, 0));
}

TEST_CASE("Operations follow on each other once for each number, those of an exponential as four")
{
    LoopNest nest;
    const NumberExpr x = nest.add_value("x", 4), top = nest.add_value("top", 1);
    const NestValue sum = nest.add_value("sum", 4);
    CHECK(arithmetic_of(sum + call("exp", x - top), nest).chain() == 6);
    CHECK(arithmetic_of(NestAssign{sum, x, NestAssign::How::add}, nest).chain() == 1);
    CHECK(arithmetic_of(NestAssign{sum, x * x, NestAssign::How::add}, nest).operations == 8);
    CHECK(arithmetic_of(NestAssign{sum, x * x, NestAssign::How::replace}, nest).operations == 4);
}

TEST_CASE("Values side by side are no instruction, what is calculated of them is one")
{
    LoopNest nest;
    const NumberExpr a = nest.add_value("a", 4), b = nest.add_value("b", 4);
    CHECK(joins_values(a.beside(b).vector(NumberType::factor, 8)));
    CHECK(joins_values(a.component(0).beside(b.component(1)).vector(NumberType::factor, 2)));
    CHECK_FALSE(joins_values(a)); // one value waits for its read
    CHECK_FALSE(joins_values(a.component(0).beside(a.component(1)).vector(NumberType::factor, 2)));
    CHECK_FALSE(joins_values(a.component(0).vector(NumberType::single, 4) * b));
}

TEST_CASE("The values that statements say they use are those that their text names")
{
    const int cases = test::random_cases(20, 400);
    int statements = 0;
    for (const std::string& name : operator_names()) {
        for (int i = 0; i < cases; ++i) {
            test::Random random(static_cast<std::uint64_t>(900 + i));
            const Operator op = test::random_operator(random, name);
            Schedule schedule = test::random_schedule(random, op);
            if (i % 2 == 1) {
                schedule.storage = Storage::fp16;
            }
            LoopNest nest;
            try {
                nest = loop_nest(op, schedule);
            } catch (const Error&) {
                continue; // not legal in half precision
            }
            CAPTURE(nest.operator_text, nest.schedule_text);
            check_uses(nest.prologue, nest, statements);
            check_uses(nest.body, nest, statements);
            check_uses(nest.epilogue, nest, statements);
        }
    }
    CHECK(statements > 5000);
}
