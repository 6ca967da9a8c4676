#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/formula.hpp"
#include "codegen/operators/formula_operator.hpp"
#include "codegen/text/kernel_source.hpp"
#include "tests/codegen/compiled_c.hpp"
#include "tests/codegen/contraction_cases.hpp"
#include "tests/codegen/random_formula.hpp"
#include "tests/codegen/random_schedule.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <regex>

using namespace texelscope;
using namespace texelscope::codegen;
using namespace texelscope::test;

namespace {

const std::string convolution_formula =
    "Y[n,oh,ow,co] = sum(kh,kw,ci) X[n, S*oh+kh-P : H, S*ow+kw-P : W, ci] * W[kh,kw,ci,co]";

/// That formula and its sizes for a built-in convolution of the shape N,H,W,CIN,COUT,KH,KW,S with P
/// zeros on every side.
struct BothWays {
    std::string formula;
    std::string sizes;
    std::string shape;
    std::string padding;
};

BothWays random_convolution(Random& random, std::int64_t stride)
{
    while (true) {
        const std::int64_t h = random.between(3, 9), w = random.between(3, 9);
        const std::int64_t ci = random.between(1, 9), co = random.between(1, 9);
        const std::int64_t kh = random.between(1, 4), kw = random.between(1, 4);
        const std::int64_t p = random.between(0, 2);
        const std::int64_t oh = (h + 2 * p - kh) / stride + 1, ow = (w + 2 * p - kw) / stride + 1;
        if (h + 2 * p < kh || w + 2 * p < kw) {
            continue;
        }
        std::string formula =
            std::regex_replace(convolution_formula, std::regex("S"), std::to_string(stride));
        formula = std::regex_replace(formula, std::regex("P"), std::to_string(p));
        return {formula, fmt::format("2,{},{},{},{},{},{},{},{}", oh, ow, co, kh, kw, ci, h, w),
                fmt::format("2,{},{},{},{},{},{},{}", h, w, ci, co, kh, kw, stride),
                std::to_string(p)};
    }
}

/// The text of a kernel without its head and its name.
std::string body(const Operator& op, const Schedule& schedule)
{
    const std::string text = opencl_text(loop_nest(op, schedule), TexelBackend::native);
    return std::regex_replace(text.substr(text.find("\nkernel ")),
                              std::regex(" (matmul|conv2d|formula)\\("), " K(");
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b)
{
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(double{a[i]} - b[i]));
    }
    return largest;
}

} // namespace

TEST_CASE("A formula's text parses back to itself")
{
    for (const auto& [text, sizes] : formulas) {
        const Formula formula = parse_formula(text);
        CAPTURE(text, formula.text);
        CHECK(parse_formula(formula.text).text == formula.text);
    }
    CHECK(parse_formula("O[i]=2*(sum(k)A[i,k])-(B[i]-(C[i]+1))").text ==
          "O[i] = 2 * (sum(k) A[i,k]) - (B[i] - (C[i] + 1))");
    CHECK(parse_formula("O[i] = -(A[2*(i+1)-1 : 9] + 1e-5)").text ==
          "O[i] = -(A[2*(i+1)-1:9] + 1e-05)");
}

TEST_CASE("What is no formula is refused with its column and a remedy")
{
    struct Case {
        std::string text;
        std::string shape;
        std::string said;
    };
    const std::vector<Case> cases{
        {"O[m,n] = sum(k) A[m,k] * B[q,n]", "1,1,1", "column 28: q is neither an index"},
        {"O[m,n] = sum(k A[m,k]", "1,1,1", "column 16: A stands where ) should"},
        {"O[m,n] = sum(k) A[m*n,k]", "1,1,1", "column 20: a product of two variables"},
        {"O[m,n] = foo(A[m,n])", "1,1", "column 10: there is no function foo"},
        {"O[m,n] = sum(k) A[m,k] + sum(j) C[j]", "1,1,1,1", "column 26: a second reduction"},
        {"O[m] = A[m] + m", "1", "column 15: 'm' has no brackets"},
        {"O[m] = A[m] ; 2", "1", "column 13: a character that means nothing"},
        {"O[m] = A[m] 2", "1", "column 13: '2' is too much"},
        {"O[m] = A[m/n]", "1", "column 11: an index divided by what is no number"},
        {"O[m] = A[m/0]", "1", "column 11: an index divided by what is no number"},
        {"O[m] = A[m:0]", "1", "column 12: a size of 0"},
        {"O[m] = A[1.5*m]", "1", "column 10: 1.5 is no whole number"},
        {"O[m] = 3", "1", "column 1: no tensor is read"},
        {"O[m] = sum(k) 2 + A[m]", "1,1", "column 15: no tensor is read in what is reduced"},
        {"O[m] = A[m] + O[m]", "1", "column 15: O is read and written"},
        {"O[m,n] = sum(k) A[m,k] * A[n,k]", "1,1,1", "column 26: A is read in two ways"},
        {"O[m,m] = A[m]", "1", "column 5: m is a variable twice"},
        {"O[m] = sum(k) A[m,k] + B[k]", "1,1", "column 26: k is neither an index"},
        {"O[m] = A[m,0] + A[m]", "1", "column 17: A has another number of indices"},
        {"O[m] = A[m-9]", "4", "column 8: index 1 of A is from -9 to -6"},
        {"O[m] = pow(A[m])", "1", "column 8: pow has 1 arguments"},
        {"O[m,n] = sum(k) A[m,k] * B[k,n]", "1,1", "k is missing"},
        {"O[m,n] = sum(k) A[m,k] * B[k,n]", "m=1,n=2,j=3", "the formula has no size j"},
        {"O[m,n] = sum(k) A[m,k] * B[k,n]", "m=1,m=2,k=3", "m is given twice"},
        {"O[m,n] = sum(k) A[m,k] * B[k,n]", "1,1,0", "the size 0 is not between"},
        {"O[m,n] = sum(k) A[m,k] * B[k,n]", "1,1,x", "'x' is not a whole number"},
        {"d Q of O[m,n] = sum(k) A[m,k] * B[k,n]", "1,1,1",
         "column 3: the formula does not read Q"},
        {"d A of O[m,n] = exp(sum(k) A[m,k] * B[k,n])", "1,1,1", "no sum of products"},
        {"d X of O[m] = max(k) X[m,k]", "1,1", "no sum of products"},
        {"d X of O[m] = X[m/2]", "4", "an index with / or %"},
        {"d X of O[m,n] = sum(k) X[2*m+2*k] * W[k,n]", "4,4,4", "no variable of this index"},
    };
    for (const auto& [text, shape, said] : cases) {
        CAPTURE(text, shape, said);
        CHECK_THROWS_WITH(parse_operator(text, shape), Catch::Contains(said));
    }
    CHECK_THROWS_WITH(parse_operator("O[m] = A[m]", "4", "same"),
                      Catch::Contains("leave --padding"));
}

TEST_CASE("Sizes may be named, in any order")
{
    const std::string text = "O[m,n] = sum(k) A[m,k] * B[k,n]";
    CHECK(to_string(parse_operator(text, "k=3,m=5,n=7")) == text + " 5,7,3");
    const Operator padded = parse_operator("O[i] = sum(k:3) X[i+k-1]", "10");
    CHECK(padded.inputs[0].shape == std::vector<std::int64_t>{10});
    CHECK(padded.flops == 28); // an addition each; the first and the last have one term less
}

TEST_CASE("Built-in operators stated as formulas have the same kernels and references")
{
    Random random(5);
    for (int i = 0; i < 30; ++i) {
        const std::int64_t m = random.between(1, 40), n = random.between(1, 40),
                           k = random.between(1, 40);
        const Operator built_in = parse_operator("matmul", fmt::format("{},{},{}", m, n, k));
        const Operator stated = parse_operator("C[m,n] = sum(k) A[m,k] * B[k,n]",
                                               fmt::format("m={},n={},k={}", m, n, k));
        const Schedule schedule = random_schedule(random, built_in);
        CAPTURE(i, to_string(built_in), to_string(schedule));
        CHECK(body(built_in, schedule) == body(stated, schedule));
        CHECK(built_in.flops == stated.flops);
        const TensorValues inputs = random_inputs(random, built_in);
        CHECK(built_in.reference(inputs) == stated.reference(inputs));
    }
    for (int i = 0; i < 40; ++i) {
        const BothWays both = random_convolution(random, random.between(1, 3));
        const Operator built_in = parse_operator("conv2d", both.shape, both.padding);
        const Operator stated = parse_operator(both.formula, both.sizes);
        Schedule schedule = random_schedule(random, built_in);
        schedule.frameworks.clear(); // which ask what is an image and what are weights
        CAPTURE(i, to_string(built_in), both.formula, both.sizes, to_string(schedule));
        CHECK(body(built_in, schedule) == body(stated, schedule));
        CHECK(built_in.flops == stated.flops);
        const TensorValues inputs = random_inputs(random, built_in);
        CHECK(built_in.reference(inputs) == stated.reference(inputs));
    }
}

TEST_CASE("Gradients of a formula are those of the built-in operators")
{
    Random random(6);
    for (int i = 0; i < 40; ++i) {
        const BothWays both = random_convolution(random, random.between(1, 3));
        for (const std::string by : {"X", "W"}) {
            const Operator built_in =
                parse_operator(by == "X" ? "conv2d_dx" : "conv2d_dw", both.shape, both.padding);
            const Operator stated = parse_operator("d " + by + " of " + both.formula, both.sizes);
            CAPTURE(i, to_string(built_in), to_string(stated));
            REQUIRE(stated.output.shape == built_in.output.shape);
            TensorValues inputs = random_inputs(random, built_in);
            const std::vector<float> expected = built_in.reference(inputs);
            if (by == "W") { // the formula has the gradient first
                std::swap(inputs[0], inputs[1]);
            }
            CHECK(expected == stated.reference(inputs));
        }
    }
}

TEST_CASE("Gradients of products are what the output moves by")
{
    // The output is linear in each tensor: the sum over the outputs of dO times the difference that
    // one more in an element makes is the gradient there.
    Random random(7);
    for (const auto& [text, sizes] : formulas) {
        if (text.rfind("d ", 0) != 0) {
            continue;
        }
        const std::string by = text.substr(2, text.find(' ', 2) - 2);
        const std::string shape = random_sizes(random, sizes);
        const Operator forward = parse_operator(text.substr(text.find("of ") + 3), shape);
        const Operator gradient = parse_operator(text, shape);
        CAPTURE(text, shape);
        TensorValues inputs = random_inputs(random, forward);
        const std::vector<float> weights = random_whole_numbers(random, forward.output.size());
        TensorValues of_gradient{weights};
        std::size_t place = 0;
        for (std::size_t t = 0; t < forward.inputs.size(); ++t) {
            if (forward.inputs[t].name == by) {
                place = t;
            } else {
                of_gradient.push_back(inputs[t]);
            }
        }
        REQUIRE(gradient.output.shape == forward.inputs[place].shape);
        const std::vector<float> found = gradient.reference(of_gradient);
        const std::vector<float> before = forward.reference(inputs);
        for (int draw = 0; draw < 20; ++draw) {
            const auto element =
                static_cast<std::size_t>(random.between(0, forward.inputs[place].size() - 1));
            inputs[place][element] += 1;
            const std::vector<float> after = forward.reference(inputs);
            inputs[place][element] -= 1;
            double expected = 0;
            for (std::size_t o = 0; o < after.size(); ++o) {
                expected += double{weights[o]} * (double{after[o]} - before[o]);
            }
            CHECK(found[element] == Approx(expected).margin(1e-6));
        }
    }
}

TEST_CASE("The C text of a formula's reference computes what the reference does")
{
    Random random(8);
    std::string text = "#include <math.h>\n";
    std::vector<Operator> operators;
    for (const auto& [formula, sizes] : formulas) {
        operators.push_back(parse_operator(formula, random_sizes(random, sizes)));
        const std::size_t i = operators.size() - 1;
        std::string pointers;
        for (std::size_t t = 0; t < operators[i].inputs.size(); ++t) {
            pointers += fmt::format("in[{}], ", t);
        }
        text += fmt::format("#define reference reference{0}\n{1}#undef reference\n"
                            "void case{0}(const float *const *in, double *c, double *m);\n"
                            "void case{0}(const float *const *in, double *c, double *m)\n"
                            "{{\n    reference{0}({2}c, m);\n}}\n",
                            i, operators[i].reference_c(), pointers);
    }
    const CompiledC compiled(text);
    for (std::size_t i = 0; i < operators.size(); ++i) {
        CAPTURE(to_string(operators[i]));
        const TensorValues inputs = random_inputs(random, operators[i]);
        std::vector<const float*> pointers;
        for (const std::vector<float>& tensor : inputs) {
            pointers.push_back(tensor.data());
        }
        const auto outputs = static_cast<std::size_t>(operators[i].output.size());
        std::vector<double> values(outputs), magnitudes(outputs);
        compiled.function<void (*)(const float* const*, double*, double*)>(
            fmt::format("case{}", i))(pointers.data(), values.data(), magnitudes.data());
        CHECK(largest_difference({values.begin(), values.end()}, operators[i].reference(inputs)) <
              1e-6);
        const std::vector<float> expected = operators[i].magnitude(inputs);
        for (std::size_t o = 0; o < outputs; ++o) {
            CHECK(magnitudes[o] == Approx(expected[o]).epsilon(1e-3).margin(1e-6));
        }
    }
}
