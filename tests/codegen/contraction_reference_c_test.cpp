#include "codegen/operators/contraction_operator.hpp"
#include "tests/codegen/compiled_c.hpp"
#include "tests/codegen/contraction_cases.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace texelscope::codegen;
using namespace texelscope::test;

namespace {

using Function = void (*)(const float*, const float*, double*, double*);

/// Each reference under a name of its own, called by a function that is visible: case0, case1, ...
std::string text_of(const std::vector<ContractionCase>& cases)
{
    std::string text;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        text += fmt::format("#define reference reference{}\n{}#undef reference\n", i,
                            reference_c(cases[i].contraction));
        text += fmt::format("void case{0}(const float *a, const float *b, double *c, double *m);\n"
                            "void case{0}(const float *a, const float *b, double *c, double *m)\n"
                            "{{\n    reference{0}(a, b, c, m);\n}}\n",
                            i);
    }
    return text;
}

} // namespace

TEST_CASE("The C text of a reference computes the contraction, compiled as strict C99")
{
    constexpr std::uint64_t seed = 21;
    const std::vector<ContractionCase> cases = random_contraction_cases(seed, 8);
    const CompiledC compiled(text_of(cases));
    Random random(seed + 1);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [op, contraction] = cases[i];
        CAPTURE(seed, to_string(op));
        const TensorValues inputs = random_inputs(random, op);
        const Evaluated expected = evaluate(contraction, inputs);
        std::vector<double> output(expected.output.size(), -1.0);
        std::vector<double> magnitude(expected.output.size(), -1.0);
        compiled.function<Function>(fmt::format("case{}", i))(inputs[0].data(), inputs[1].data(),
                                                              output.data(), magnitude.data());
        CHECK(output == expected.output);
        CHECK(magnitude == expected.magnitude);
    }
}

TEST_CASE("The C text of a matrix product reads as its definition")
{
    CHECK(matmul(2, 3, 4).reference_c() ==
          R"(static void reference(const float *A, const float *B, double *C, double *MAGNITUDE)
{
    for (int m = 0; m < 2; ++m) {
        for (int n = 0; n < 3; ++n) {
            const int C_0 = m;
            const int C_1 = n;
            double sum = 0.0;
            double magnitude = 0.0;
            for (int k = 0; k < 4; ++k) {
                const int A_0 = m;
                const int A_1 = k;
                const int B_0 = k;
                const int B_1 = n;
                const double product = (double)A[(long long)A_0 * 4 + A_1] * (double)B[(long long)B_0 * 3 + B_1];
                sum += product;
                magnitude += product < 0.0 ? -product : product;
            }
            C[(long long)C_0 * 3 + C_1] = sum;
            MAGNITUDE[(long long)C_0 * 3 + C_1] = magnitude;
        }
    }
}
)");
}
