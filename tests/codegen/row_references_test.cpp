// The references of the row operators: worked examples, slopes of a loss, plain float32 arithmetic,
// their C text.

#include "codegen/operators/layernorm.hpp"
#include "codegen/operators/softmax.hpp"
#include "tests/base/random.hpp"
#include "tests/codegen/compiled_c.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace texelscope;
using namespace texelscope::codegen;

namespace {

std::vector<float> random_values(test::Random& random, std::int64_t size, double centre,
                                 double spread)
{
    std::vector<float> values(static_cast<std::size_t>(size));
    for (float& value : values) {
        value = static_cast<float>(
            centre + spread * static_cast<double>(random.between(-1000, 1000)) / 1000);
    }
    return values;
}

/// The loss sum(dY * Y) of a forward pass in double precision, for differences.
template <class Forward>
double loss(const std::vector<double>& x, const std::vector<float>& dy, const Forward& forward)
{
    const std::vector<double> y = forward(x);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        sum += dy[i] * y[i];
    }
    return sum;
}

/// Derivative of the loss by each x, by central differences.
template <class Forward>
std::vector<double> differences(const std::vector<float>& x, const std::vector<float>& dy,
                                const Forward& forward)
{
    constexpr double step = 1e-5;
    std::vector<double> at(x.begin(), x.end());
    std::vector<double> slopes;
    for (double& value : at) {
        const double centre = value;
        value = centre + step;
        const double above = loss(at, dy, forward);
        value = centre - step;
        const double below = loss(at, dy, forward);
        value = centre;
        slopes.push_back((above - below) / (2 * step));
    }
    return slopes;
}

std::vector<double> softmax_row(const std::vector<double>& x)
{
    std::vector<double> y;
    double sum = 0;
    for (const double value : x) {
        y.push_back(std::exp(value));
        sum += y.back();
    }
    for (double& value : y) {
        value /= sum;
    }
    return y;
}

/// (x - mean) / sqrt(variance + 1e-5), the variance as mean of squares less square of the mean.
std::vector<double> normalized_row(const std::vector<double>& x)
{
    const auto n = static_cast<double>(x.size());
    double mean = 0;
    double squares = 0;
    for (const double value : x) {
        mean += value / n;
        squares += value * value / n;
    }
    std::vector<double> y;
    for (const double value : x) {
        y.push_back((value - mean) / std::sqrt(squares - mean * mean + 1e-5));
    }
    return y;
}

} // namespace

TEST_CASE("softmax of logarithms is the share in their sum, and of equal numbers 1 / COLS")
{
    TensorValues input{{}};
    for (int k = 1; k <= 7; ++k) {
        input[0].push_back(static_cast<float>(std::log(k)));
    }
    input[0].insert(input[0].end(), 7, 300.0F); // exp(300) is beyond float32
    const std::vector<float> y = softmax(2, 7).reference(input);
    for (std::size_t k = 0; k < 7; ++k) {
        CHECK(y[k] == Approx(static_cast<double>(k + 1) / 28).epsilon(1e-6));
        CHECK(y[7 + k] == Approx(1.0 / 7).epsilon(1e-6));
    }
}

TEST_CASE("layernorm of two numbers is plus and minus one but for epsilon, scaled and shifted")
{
    const std::vector<float> y = layernorm(2, 2).reference({{1, 3, 1000, 1000}, {2, 3}, {10, 20}});
    const double h = 1 / std::sqrt(1 + layernorm_epsilon);
    CHECK(y[0] == Approx(10 - 2 * h));
    CHECK(y[1] == Approx(20 + 3 * h));
    CHECK(y[2] == 10.0F); // no variance: the mean
    CHECK(y[3] == 20.0F);
}

TEST_CASE("The gradients of softmax and layernorm are the slopes of a loss")
{
    test::Random random(107);
    for (int i = 0; i < 20; ++i) {
        const std::int64_t cols = random.between(1, 12);
        const auto x = random_values(random, cols, 0.5, 2);
        const auto dy = random_values(random, cols, 0, 1);
        const auto gamma = random_values(random, cols, 1, 1);
        CAPTURE(cols);

        std::vector<float> y;
        for (const double value : softmax_row({x.begin(), x.end()})) {
            y.push_back(static_cast<float>(value));
        }
        const auto softmax_slopes = differences(x, dy, softmax_row);
        const auto softmax_gradient = softmax_dx(1, cols).reference({y, dy});

        const auto scaled = [&](const std::vector<double>& at) {
            std::vector<double> h = normalized_row(at);
            for (std::size_t c = 0; c < h.size(); ++c) {
                h[c] *= gamma[c];
            }
            return h;
        };
        const auto layernorm_slopes = differences(x, dy, scaled);
        const auto layernorm_gradient = layernorm_dx(1, cols).reference({x, dy, gamma});
        for (std::size_t c = 0; c < x.size(); ++c) {
            CHECK(softmax_gradient[c] == Approx(softmax_slopes[c]).margin(1e-5));
            if (cols > 1) { // one column has no variance, and differences see epsilon's steep slope
                CHECK(layernorm_gradient[c] ==
                      Approx(layernorm_slopes[c]).epsilon(1e-3).margin(1e-4));
            }
        }
    }
}

TEST_CASE("The gradients by gamma and beta are sums down the columns")
{
    const std::vector<float> x{1, 2, 3, 4};
    const std::vector<float> dy{10, 20, 30, 40};
    CHECK(layernorm_dgamma(2, 2).reference({x, dy, {1, 2}, {2, 0.5F}}) ==
          std::vector<float>{15, 80});
    CHECK(layernorm_dbeta(2, 2).reference({dy}) == std::vector<float>{40, 60});
    CHECK(layernorm_dbeta(2, 2).magnitude({{1, -2, -3, 4}}) == std::vector<float>{4, 6});
}

TEST_CASE("Plain float32 arithmetic stays within the tolerance, also where the mean is large")
{
    test::Random random(109);
    for (int i = 0; i < 60; ++i) {
        const std::int64_t cols = random.between(1, 200);
        const double centre = random.pick(std::vector<double>{0, 10, 1000});
        const double spread = random.pick(std::vector<double>{0, 0.01, 1, 40});
        const auto x = random_values(random, cols, centre, spread);
        const auto gamma = random_values(random, cols, 1, 2);
        const auto beta = random_values(random, cols, 0, 1);
        const auto n = static_cast<float>(cols);
        CAPTURE(cols, centre, spread);
        const auto within = [](const Operator& op, const TensorValues& in, std::size_t c,
                               float value) {
            const double allowed = op.tolerance * op.magnitude(in)[c];
            return std::abs(double{value} - op.reference(in)[c]) <= allowed;
        };

        float top = x[0];
        float mean = 0;
        for (const float value : x) {
            top = std::max(top, value);
            mean += value;
        }
        mean /= n;
        float sum = 0;
        float variance = 0;
        for (const float value : x) {
            sum += std::exp(value - top);
            variance += (value - mean) * (value - mean);
        }
        const float rstd = 1 / std::sqrt(variance / n + 1e-5F);
        const Operator soft = softmax(1, cols);
        const Operator norm = layernorm(1, cols);
        for (std::size_t c = 0; c < x.size(); c += 7) {
            const float y = std::exp(x[c] - top) / sum;
            CHECK(within(soft, {x}, c, y));
            // the tolerance is not so wide that anything passes
            CHECK((y < 1e-30F || !within(soft, {x}, c, y * 1.01F)));
            CHECK(within(norm, {x, gamma, beta}, c, (x[c] - mean) * rstd * gamma[c] + beta[c]));
        }
    }
}

TEST_CASE("The C text of the references of row operators computes the same, compiled as strict C99")
{
    test::Random random(113);
    std::vector<Operator> ops;
    std::string text = "#include <math.h>\n";
    for (const auto make :
         {softmax, softmax_dx, layernorm, layernorm_dx, layernorm_dgamma, layernorm_dbeta}) {
        ops.push_back(make(random.between(1, 12), random.between(1, 12)));
        const std::string number = std::to_string(ops.size() - 1);
        std::string arguments;
        for (std::size_t i = 0; i < ops.back().inputs.size(); ++i) {
            arguments += "in[" + std::to_string(i) + "], ";
        }
        const std::string head =
            "void case" + number + "(const float *const *in, double *out, double *magnitude)";
        text += "#define reference reference" + number + "\n" + ops.back().reference_c() + head +
                ";\n" + head + "\n{\n    reference(" + arguments +
                "out, magnitude);\n}\n#undef reference\n";
    }
    const test::CompiledC compiled(text);
    for (std::size_t i = 0; i < ops.size(); ++i) {
        CAPTURE(to_string(ops[i]));
        TensorValues inputs;
        std::vector<const float*> pointers;
        for (const Tensor& input : ops[i].inputs) {
            inputs.push_back(random_values(random, input.size(), 1, 3));
        }
        for (const auto& input : inputs) {
            pointers.push_back(input.data());
        }
        std::vector<double> output(static_cast<std::size_t>(ops[i].output.size()), -1);
        std::vector<double> magnitude = output;
        using Function = void (*)(const float* const*, double*, double*);
        compiled.function<Function>("case" + std::to_string(i))(pointers.data(), output.data(),
                                                                magnitude.data());
        const auto expected = ops[i].reference(inputs);
        const auto expected_magnitude = ops[i].magnitude(inputs);
        for (std::size_t e = 0; e < output.size(); ++e) {
            CHECK(output[e] == Approx(expected[e]).epsilon(1e-6).margin(1e-12));
            CHECK(magnitude[e] == Approx(expected_magnitude[e]).epsilon(1e-6));
        }
    }
}
