#include "codegen/operators/contraction_operator.hpp"
#include "codegen/operators/operator.hpp"
#include "tests/codegen/contraction_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

using namespace texelscope::codegen;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

std::vector<float> as_floats(const std::vector<double>& values)
{
    return {values.begin(), values.end()};
}

double dot(const std::vector<float>& a, const std::vector<float>& b)
{
    REQUIRE(a.size() == b.size());
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

bool same_tensor(const Tensor& a, const Tensor& b)
{
    return a.name == b.name && a.shape == b.shape;
}

} // namespace

TEST_CASE("A contraction, evaluated as it is defined, is the reference of its operator")
{
    constexpr std::uint64_t seed = 11;
    Random random(seed + 1);
    for (const ContractionCase& c : random_contraction_cases(seed, 60)) {
        const TensorValues inputs = random_inputs(random, c.op);
        const Evaluated expected = evaluate(c.contraction, inputs);
        CAPTURE(seed, to_string(c.op));
        CHECK(c.op.reference(inputs) == as_floats(expected.output));
        CHECK(c.op.magnitude(inputs) == as_floats(expected.magnitude));
        CHECK(c.op.flops == 2.0 * static_cast<double>(expected.products));
        // Every element of the output is computed at exactly one point.
        CHECK(std::all_of(expected.written.begin(), expected.written.end(),
                          [](int times) { return times == 1; }));
    }
}

TEST_CASE("Contractions are well-formed, and their operators say the same of them")
{
    constexpr std::uint64_t seed = 12;
    for (const auto& [op, contraction] : random_contraction_cases(seed, 10)) {
        CAPTURE(seed, to_string(op));
        CHECK(contraction.kernel == op.name);
        std::set<std::string> names;
        for (std::size_t i = 0; i < contraction.dims.size(); ++i) {
            CHECK(contraction.dims[i].slot == static_cast<int>(i));
            CHECK(contraction.dims[i].range.min == 0);
            names.insert(contraction.dims[i].name);
        }
        CHECK(names.size() == contraction.dims.size());

        std::vector<int> slots = contraction.outputs;
        slots.insert(slots.end(), contraction.reductions.begin(), contraction.reductions.end());
        std::vector<int> all(contraction.dims.size());
        std::iota(all.begin(), all.end(), 0);
        CHECK(slots == all);
        std::vector<int> grid = contraction.z;
        grid.push_back(contraction.y);
        grid.push_back(contraction.x);
        std::sort(grid.begin(), grid.end());
        CHECK(grid == contraction.outputs);

        REQUIRE(contraction.inputs.size() == op.inputs.size());
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const Contraction::Input& input = contraction.inputs[i];
            CHECK(same_tensor(input.tensor, op.inputs[i]));
            REQUIRE(input.index.size() == input.tensor.shape.size());
            CHECK(input.thread != input.reduction);
        }
        CHECK(same_tensor(contraction.output, op.output));
        CHECK(contraction.output_index.size() == op.output.shape.size());

        const Schedule schedule = op.default_schedule;
        CHECK(parse_schedule(to_string(schedule)) == schedule);
        CHECK(schedule.patterns.size() == op.inputs.size());
        CHECK(schedule.tile.size() == op.grid.extents.size());
        CHECK(schedule.group[0] * schedule.group[1] * schedule.group[2] <= 64);
        std::int64_t grid_points = op.grid.planes;
        std::int64_t points = 1;
        for (const std::int64_t extent : op.grid.extents) {
            grid_points *= extent;
        }
        for (const int slot : contraction.outputs) {
            points *= contraction.dims[static_cast<std::size_t>(slot)].range.max + 1;
        }
        CHECK(grid_points == points);
        std::vector<std::string> loops;
        for (const int slot : contraction.reductions) {
            loops.push_back(contraction.dims[static_cast<std::size_t>(slot)].name);
        }
        CHECK(op.reduction_loops == loops);
    }
}

TEST_CASE("Thread indices vary with x or y, reduction indices with a reduction")
{
    // An index over dimensions of one element is a constant, so that all have several.
    std::vector<Contraction> contractions;
    for (const Pass pass : all_passes) {
        contractions.push_back(matmul_contraction(pass, 4, 4, 4));
        for (const ConvFamily& family : all_conv_families) {
            std::vector<std::int64_t> shape(family.rank == 3 ? 10 : family.depthwise ? 7 : 8, 4);
            for (const std::int64_t stride : {1, 2}) {
                shape.back() = stride;
                contractions.push_back(conv_contraction(convolution(family, pass, shape)));
            }
        }
    }
    for (const Contraction& contraction : contractions) {
        for (const Contraction::Input& input : contraction.inputs) {
            CAPTURE(contraction.kernel, input.tensor.name);
            const auto varies = [&](int dimension, const std::vector<int>& over) {
                const IndexExpr& index = input.index.at(static_cast<std::size_t>(dimension));
                return std::any_of(over.begin(), over.end(),
                                   [&](int s) { return index.uses_slots(s, s + 1); });
            };
            CHECK(varies(input.thread, {contraction.x, contraction.y}));
            CHECK(varies(input.reduction, contraction.reductions));
        }
    }
}

TEST_CASE("Gradients are the adjoints of their operator")
{
    constexpr std::uint64_t seed = 13;
    Random random(seed);
    const auto check_adjoint = [&](const std::array<Operator, 3>& passes) {
        const auto& [forward, first, second] = passes;
        CAPTURE(seed, to_string(forward));
        const TensorValues inputs = random_inputs(random, forward);
        const std::vector<float> d_result = random_whole_numbers(random, forward.output.size());
        CHECK(first.output.shape == forward.inputs[0].shape);
        CHECK(second.output.shape == forward.inputs[1].shape);
        // <dY, f(X, W)> = <dX, X> = <dW, W>, exactly: all are whole numbers.
        const double expected = dot(d_result, forward.reference(inputs));
        CHECK(dot(first.reference({d_result, inputs[1]}), inputs[0]) == expected);
        CHECK(dot(second.reference({inputs[0], d_result}), inputs[1]) == expected);
        CHECK(first.flops == forward.flops);
        CHECK(second.flops == forward.flops);
    };
    for (int i = 0; i < 20; ++i) {
        const auto size = [&] { return random.between(1, 9); };
        const std::int64_t m = size();
        const std::int64_t n = size();
        const std::int64_t k = size();
        check_adjoint({matmul(m, n, k), matmul_da(m, n, k), matmul_db(m, n, k)});
        for (const ConvFamily& family : all_conv_families) {
            const Convolution conv = random_convolution(random, family, Pass::forward);
            const auto pass = [&](Pass p) {
                return conv_operator(convolution(family, p, conv.shape, conv.padding));
            };
            check_adjoint(
                {pass(Pass::forward), pass(Pass::first_gradient), pass(Pass::second_gradient)});
        }
    }
}

TEST_CASE("A transposed convolution with same padding is the gradient of one from the larger image")
{
    constexpr std::uint64_t seed = 14;
    Random random(seed);
    for (int i = 0; i < 30; ++i) {
        const auto size = [&](int most) { return random.between(1, most); };
        const std::int64_t n = size(2), h = size(5), w = size(5), kh = size(5), kw = size(5),
                           s = size(4);
        const Operator deconv =
            conv_operator(convolution(deconv2d_family, Pass::forward, {n, h, w, 1, 1, kh, kw, s}));
        const Operator gradient = conv_operator(
            convolution(conv2d_family, Pass::first_gradient, {n, h * s, w * s, 1, 1, kh, kw, s}));
        CAPTURE(seed, to_string(deconv));
        const TensorValues inputs = random_inputs(random, deconv);
        CHECK(deconv.output.shape == gradient.output.shape);
        CHECK(deconv.reference(inputs) == gradient.reference(inputs));
    }
}

TEST_CASE("Products written out")
{
    const TensorValues ab{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}};
    CHECK(matmul(2, 2, 3).reference(ab) == std::vector<float>{58, 64, 139, 154});
    // dA[2x1] = dC[2x2] B[1x2]^T and dB[1x2] = A[2x1]^T dC[2x2]
    CHECK(matmul_da(2, 2, 1).reference({{1, 2, 3, 4}, {5, 6}}) == std::vector<float>{17, 39});
    CHECK(matmul_db(2, 2, 1).reference({{5, 6}, {1, 2, 3, 4}}) == std::vector<float>{23, 34});
}

TEST_CASE("Convolutions written out")
{
    const auto result = [](const std::string& name, const std::string& shape,
                           const std::string& padding, const TensorValues& inputs) {
        return parse_operator(name, shape, padding).reference(inputs);
    };
    const std::vector<float> ones(9, 1);
    // How many of the nine taps lie inside of the image.
    CHECK(result("conv2d", "1,3,3,1,1,3,3,1", "same", {ones, ones}) ==
          std::vector<float>{4, 6, 4, 6, 9, 6, 4, 6, 4});
    CHECK(result("conv2d", "1,3,3,1,1,3,3,1", "valid", {ones, ones}) == std::vector<float>{9});
    // Taps are not mirrored, the second channel of the weights is the output's: 1*1 + 2*3 | 1*2 +
    // 2*4
    CHECK(result("conv2d", "1,1,2,1,2,1,2,1", "valid", {{1, 2}, {1, 2, 3, 4}}) ==
          std::vector<float>{7, 10});
    CHECK(result("conv2d", "1,1,1,2,1,1,1,1", "same", {{1, 2}, {3, 4}}) == std::vector<float>{11});
    // Row of 5, stride 2, same: total padding 1 for a kernel of 2, none of it in front.
    CHECK(result("conv2d", "1,1,5,1,1,1,2,2", "same", {{1, 2, 3, 4, 5}, {10, 1}}) ==
          std::vector<float>{12, 34, 50});
    // A transposed one stamps the kernel, 1 and 2 places apart.
    CHECK(result("deconv2d", "1,1,2,1,1,1,3,1", "valid", {{1, 10}, {1, 2, 3}}) ==
          std::vector<float>{1, 12, 23, 30});
    CHECK(result("deconv2d", "1,1,2,1,1,1,3,2", "valid", {{1, 10}, {1, 2, 3}}) ==
          std::vector<float>{1, 2, 13, 20, 30});
    CHECK(result("deconv2d", "1,1,2,1,1,1,3,2", "same", {{1, 10}, {1, 2, 3}}) ==
          std::vector<float>{1, 2, 13, 20, 0, 0, 0, 0});
    CHECK(result("deconv2d", "1,1,2,1,1,3,3,2", "1", {{1, 10}, {4, 5, 6, 1, 2, 3, 7, 8, 9}}) ==
          std::vector<float>{2, 13, 20});
    CHECK(result("deconv2d", "1,1,1,2,2,1,1,1", "same", {{1, 10}, {1, 2, 3, 4}}) ==
          std::vector<float>{31, 42});
    // Each channel by itself.
    CHECK(result("dwconv2d", "1,1,2,2,1,2,1", "valid", {{1, 2, 3, 4}, {1, 10, 100, 1000}}) ==
          std::vector<float>{301, 4020});
    CHECK(result("conv3d", "1,2,1,2,1,1,2,1,2,1", "valid", {{1, 2, 3, 4}, {1, 10, 100, 1000}}) ==
          std::vector<float>{4321});
    // dW of the row of 5 above: each tap sees its own places.
    CHECK(result("conv2d_dw", "1,1,5,1,1,1,2,2", "same", {{1, 2, 3, 4, 5}, {1, 10, 100}}) ==
          std::vector<float>{531, 42});
}

TEST_CASE("Float32 sums stay within the tolerance, in any order")
{
    constexpr std::uint64_t seed = 15;
    Random random(seed);
    for (int i = 0; i < 200; ++i) {
        const auto terms = static_cast<std::size_t>(random.between(1, 300));
        std::vector<float> a(terms);
        std::vector<float> b(terms);
        double exact = 0;
        double magnitude = 0;
        float sum = 0;
        for (std::size_t t = 0; t < terms; ++t) {
            a[t] = static_cast<float>(random.between(-1000000, 1000000)) / 999983.0F;
            b[t] = static_cast<float>(random.between(-1000000, 1000000)) / 999979.0F;
            exact += double{a[t]} * b[t];
            magnitude += std::abs(double{a[t]} * b[t]);
            sum += a[t] * b[t];
        }
        const Operator op = matmul(1, 1, static_cast<std::int64_t>(terms));
        CAPTURE(seed, terms);
        CHECK(op.reference({a, b})[0] == static_cast<float>(exact));
        CHECK(std::abs(sum - op.reference({a, b})[0]) <= op.tolerance * magnitude);
        CHECK(op.tolerance < 2e-5);
    }
    // It grows with the number of terms, without a break and without a pole.
    double last = 0;
    for (double terms = 1; terms < 1e12; terms *= 1.07) {
        const double tolerance = sum_tolerance(terms);
        CHECK(tolerance > last);
        CHECK(tolerance < 3 * std::max(last, 1e-7));
        last = tolerance;
    }
}
