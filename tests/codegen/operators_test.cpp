#include "codegen/operator.hpp"
#include "codegen/operators/contraction_operator.hpp"
#include "tests/codegen/contraction_cases.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

using namespace texelscope;
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

/// Tensor `name` of the operator of that text and padding: "X 1,5,5,2".
std::vector<std::int64_t> shape_of(const std::string& op, const std::string& shape, const std::string& padding,
                                   const std::string& tensor)
{
    const Operator parsed = parse_operator(op, shape, padding);
    for (const Tensor& input : parsed.inputs) {
        if (input.name == tensor) {
            return input.shape;
        }
    }
    REQUIRE(parsed.output.name == tensor);
    return parsed.output.shape;
}

using Shape = std::vector<std::int64_t>;

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
        CHECK(std::all_of(expected.written.begin(), expected.written.end(), [](int times) { return times == 1; }));
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
                return std::any_of(over.begin(), over.end(), [&](int s) { return index.uses_slots(s, s + 1); });
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
            const auto pass = [&](Pass p) { return conv_operator(convolution(family, p, conv.shape, conv.padding)); };
            check_adjoint({pass(Pass::forward), pass(Pass::first_gradient), pass(Pass::second_gradient)});
        }
    }
}

TEST_CASE("A transposed convolution with same padding is the gradient of one from the larger image")
{
    constexpr std::uint64_t seed = 14;
    Random random(seed);
    for (int i = 0; i < 30; ++i) {
        const auto size = [&](int most) { return random.between(1, most); };
        const std::int64_t n = size(2), h = size(5), w = size(5), kh = size(5), kw = size(5), s = size(4);
        const Operator deconv = conv_operator(convolution(deconv2d_family, Pass::forward, {n, h, w, 1, 1, kh, kw, s}));
        const Operator gradient =
            conv_operator(convolution(conv2d_family, Pass::first_gradient, {n, h * s, w * s, 1, 1, kh, kw, s}));
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
    const auto result = [](const std::string& name, const std::string& shape, const std::string& padding,
                           const TensorValues& inputs) {
        return parse_operator(name, shape, padding).reference(inputs);
    };
    const std::vector<float> ones(9, 1);
    // How many of the nine taps lie inside of the image.
    CHECK(result("conv2d", "1,3,3,1,1,3,3,1", "same", {ones, ones}) == std::vector<float>{4, 6, 4, 6, 9, 6, 4, 6, 4});
    CHECK(result("conv2d", "1,3,3,1,1,3,3,1", "valid", {ones, ones}) == std::vector<float>{9});
    // Taps are not mirrored, the second channel of the weights is the output's: 1*1 + 2*3 | 1*2 + 2*4
    CHECK(result("conv2d", "1,1,2,1,2,1,2,1", "valid", {{1, 2}, {1, 2, 3, 4}}) == std::vector<float>{7, 10});
    CHECK(result("conv2d", "1,1,1,2,1,1,1,1", "same", {{1, 2}, {3, 4}}) == std::vector<float>{11});
    // Row of 5, stride 2, same: total padding 1 for a kernel of 2, none of it in front.
    CHECK(result("conv2d", "1,1,5,1,1,1,2,2", "same", {{1, 2, 3, 4, 5}, {10, 1}}) == std::vector<float>{12, 34, 50});
    // A transposed one stamps the kernel, 1 and 2 places apart.
    CHECK(result("deconv2d", "1,1,2,1,1,1,3,1", "valid", {{1, 10}, {1, 2, 3}}) == std::vector<float>{1, 12, 23, 30});
    CHECK(result("deconv2d", "1,1,2,1,1,1,3,2", "valid", {{1, 10}, {1, 2, 3}}) == std::vector<float>{1, 2, 13, 20, 30});
    CHECK(result("deconv2d", "1,1,2,1,1,1,3,2", "same", {{1, 10}, {1, 2, 3}}) ==
          std::vector<float>{1, 2, 13, 20, 0, 0, 0, 0});
    CHECK(result("deconv2d", "1,1,2,1,1,3,3,2", "1", {{1, 10}, {4, 5, 6, 1, 2, 3, 7, 8, 9}}) ==
          std::vector<float>{2, 13, 20});
    CHECK(result("deconv2d", "1,1,1,2,2,1,1,1", "same", {{1, 10}, {1, 2, 3, 4}}) == std::vector<float>{31, 42});
    // Each channel by itself.
    CHECK(result("dwconv2d", "1,1,2,2,1,2,1", "valid", {{1, 2, 3, 4}, {1, 10, 100, 1000}}) ==
          std::vector<float>{301, 4020});
    CHECK(result("conv3d", "1,2,1,2,1,1,2,1,2,1", "valid", {{1, 2, 3, 4}, {1, 10, 100, 1000}}) ==
          std::vector<float>{4321});
    // dW of the row of 5 above: each tap sees its own places.
    CHECK(result("conv2d_dw", "1,1,5,1,1,1,2,2", "same", {{1, 2, 3, 4, 5}, {1, 10, 100}}) ==
          std::vector<float>{531, 42});
}

TEST_CASE("Padding gives the sizes of its closed forms")
{
    // H, K, stride, padding, output along H, first padding. W has size 1 and a kernel of 1.
    struct Row {
        std::int64_t h, k, s;
        std::string padding;
        std::int64_t output, before;
    };
    const std::vector<Row> direct{
        {5, 3, 1, "same", 5, 1},  {5, 3, 2, "same", 3, 1},  {4, 3, 2, "same", 2, 0},  {7, 1, 3, "same", 3, 0},
        {5, 2, 1, "same", 5, 0},  {5, 5, 1, "same", 5, 2},  {2, 5, 2, "same", 1, 1},  {5, 3, 1, "valid", 3, 0},
        {5, 3, 2, "valid", 2, 0}, {6, 3, 2, "valid", 2, 0}, {5, 5, 4, "valid", 1, 0}, {5, 3, 1, "0", 3, 0},
        {5, 3, 1, "1", 5, 1},     {5, 3, 2, "1", 3, 1},     {1, 3, 1, "1", 1, 1},     {2, 1, 1, "2", 6, 2},
        {224, 7, 2, "3", 112, 3}, {224, 7, 2, "", 112, 2},  {224, 11, 4, "2", 55, 2},
    };
    for (const Row& row : direct) {
        const Convolution conv =
            convolution(conv2d_family, Pass::forward, {1, row.h, 8, 1, 1, row.k, 1, row.s}, row.padding);
        CAPTURE(row.h, row.k, row.s, row.padding);
        CHECK(conv.axes[0].coarse == row.output);
        CHECK(conv.axes[0].before == row.before);
    }
    const std::vector<Row> transposed{
        {4, 3, 1, "same", 4, 1}, {4, 3, 2, "same", 8, 0},  {4, 4, 2, "same", 8, 1},   {4, 1, 3, "same", 12, 0},
        {4, 5, 2, "", 8, 1},     {4, 3, 2, "valid", 9, 0}, {4, 1, 3, "valid", 10, 0}, {4, 3, 2, "1", 7, 1},
        {4, 4, 2, "1", 8, 1},    {1, 3, 1, "1", 1, 1},
    };
    for (const Row& row : transposed) {
        const Convolution conv =
            convolution(deconv2d_family, Pass::forward, {1, row.h, 8, 1, 1, row.k, 3, row.s}, row.padding);
        CAPTURE(row.h, row.k, row.s, row.padding);
        CHECK(conv.axes[0].fine == row.output);
        CHECK(conv.axes[0].before == row.before);
    }
}

TEST_CASE("Operators have the tensors that their shape says")
{
    const std::string shape = "2,9,8,3,5,3,2,2";
    CHECK(shape_of("conv2d", shape, "valid", "X") == Shape{2, 9, 8, 3});
    CHECK(shape_of("conv2d", shape, "valid", "W") == Shape{3, 2, 3, 5});
    CHECK(shape_of("conv2d", shape, "valid", "Y") == Shape{2, 4, 4, 5});
    CHECK(shape_of("conv2d_dx", shape, "", "dY") == Shape{2, 5, 4, 5});
    CHECK(shape_of("conv2d_dx", shape, "", "dX") == Shape{2, 9, 8, 3});
    CHECK(shape_of("conv2d_dw", shape, "", "dW") == Shape{3, 2, 3, 5});
    CHECK(shape_of("deconv2d", shape, "", "Y") == Shape{2, 18, 16, 5});
    CHECK(shape_of("deconv2d_dx", shape, "valid", "dY") == Shape{2, 19, 16, 5});
    CHECK(shape_of("deconv2d_dw", shape, "", "X") == Shape{2, 9, 8, 3});
    CHECK(shape_of("dwconv2d", "2,9,8,3,3,2,2", "", "W") == Shape{3, 2, 3});
    CHECK(shape_of("dwconv2d_dw", "2,9,8,3,3,2,2", "", "dY") == Shape{2, 5, 4, 3});
    CHECK(shape_of("dwconv2d_dx", "2,9,8,3,3,2,2", "", "dX") == Shape{2, 9, 8, 3});
    CHECK(shape_of("conv3d", "2,4,9,8,3,5,2,3,2,1", "", "Y") == Shape{2, 4, 9, 8, 5});
    CHECK(shape_of("conv3d", "2,4,9,8,3,5,2,3,1,1", "", "W") == Shape{2, 3, 1, 3, 5});
    CHECK(shape_of("matmul", "2,3,4", "", "B") == Shape{4, 3});
    CHECK(shape_of("matmul_da", "2,3,4", "", "dC") == Shape{2, 3});
    CHECK(shape_of("matmul_db", "2,3,4", "", "dB") == Shape{4, 3});
}

TEST_CASE("Dimensions and reduction loops have the names of the field")
{
    const auto loops = [](const std::string& name, const std::string& shape) {
        return parse_operator(name, shape).reduction_loops;
    };
    using Names = std::vector<std::string>;
    CHECK(loops("matmul", "2,2,2") == Names{"k"});
    CHECK(loops("matmul_da", "2,2,2") == Names{"n"});
    CHECK(loops("matmul_db", "2,2,2") == Names{"m"});
    CHECK(loops("conv2d", "1,4,4,2,2,3,3,1") == Names{"kh", "kw", "ci"});
    CHECK(loops("conv2d_dx", "1,4,4,2,2,3,3,1") == Names{"jh", "jw", "co"});
    CHECK(loops("conv2d_dw", "1,4,4,2,2,3,3,1") == Names{"n", "oh", "ow"});
    CHECK(loops("deconv2d", "1,4,4,2,2,3,3,2") == Names{"jh", "jw", "ci"});
    CHECK(loops("deconv2d_dx", "1,4,4,2,2,3,3,2") == Names{"kh", "kw", "co"});
    CHECK(loops("deconv2d_dw", "1,4,4,2,2,3,3,2") == Names{"n", "ih", "iw"});
    CHECK(loops("dwconv2d", "1,4,4,2,3,3,1") == Names{"kh", "kw"});
    CHECK(loops("conv3d", "1,4,4,4,2,2,3,3,3,1") == Names{"kd", "kh", "kw", "ci"});

    // Phases are dimensions only where there is more than one.
    const auto dims = [](std::int64_t stride) {
        std::vector<std::string> names;
        for (const Variable& dim :
             conv_contraction(convolution(deconv2d_family, Pass::forward, {1, 4, 4, 2, 2, 3, 3, stride})).dims) {
            names.push_back(dim.name);
        }
        return names;
    };
    CHECK(dims(1) == Names{"n", "qh", "qw", "co", "jh", "jw", "ci"});
    CHECK(dims(2) == Names{"n", "ph", "pw", "qh", "qw", "co", "jh", "jw", "ci"});
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

TEST_CASE("An operator prints as it was given")
{
    CHECK(to_string(parse_operator("matmul", "64,32,16")) == "matmul 64,32,16");
    CHECK(to_string(parse_operator("conv2d_dx", "1,8,8,4,4,3,3,2")) == "conv2d_dx 1,8,8,4,4,3,3,2");
    CHECK(to_string(parse_operator("conv2d", "1,8,8,4,4,3,3,2", "valid")) == "conv2d 1,8,8,4,4,3,3,2 --padding valid");
    CHECK(parse_operator("conv2d", "1,8,8,4,4,3,3,2").padding == "same");
    CHECK(parse_operator("conv2d", "1,8,8,4,4,3,3,2", "02").padding == "2");
    CHECK(parse_operator("matmul", "1,8,8").padding.empty());
}

TEST_CASE("Every name makes an operator of that name")
{
    const std::vector<std::string> names = operator_names();
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    for (const std::string& name : names) {
        CAPTURE(name);
        // The message of a wrong count names the sizes.
        std::string sizes;
        try {
            (void)parse_operator(name, "1,1,1,1,1,1,1,1,1,1,1,1");
        } catch (const Error& error) {
            const std::string text = error.what();
            sizes = text.substr(text.rfind(' ') + 1);
        }
        std::string shape = "4";
        for (auto i = std::count(sizes.begin(), sizes.end(), ','); i > 0; --i) {
            shape += ",4";
        }
        const Operator op = parse_operator(name, shape);
        CHECK(op.name == name);
        CHECK(to_string(op) == name + " " + shape);
    }
}

TEST_CASE("Bad operators, shapes and paddings are refused with a reason")
{
    CHECK_THROWS_WITH(parse_operator("conv", "1"), Contains("no operator 'conv'") && Contains("conv2d_dw"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,0,4"), Contains("size 0") && Contains("M,N,K"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,-1,4"), Contains("size -1"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,16777217,4"), Contains("size 16777217"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,4"), Contains("2 sizes"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,x,4"), Contains("'x'"));
    CHECK_THROWS_WITH(parse_operator("matmul", ""), Contains("'' is not a whole number"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,99999999999999999999,4"), Contains("is not a whole number"));
    CHECK_THROWS_WITH(parse_operator("matmul", "4,4,4", "same"), Contains("takes no padding"));
    CHECK_THROWS_WITH(parse_operator("matmul", "65536,32768,1"),
                      Contains("C of 65536x32768") && Contains("2147483647"));
    CHECK_NOTHROW(parse_operator("matmul", "65536,32767,1"));
    CHECK_NOTHROW(parse_operator("matmul", "1,1,16777216"));

    const std::string shape = "1,8,8,4,4,3,3,2";
    for (const std::string padding : {"SAME", "-1", "1.5", "1,1", "16777217", " 1", "99999999999999999999"}) {
        CHECK_THROWS_WITH(parse_operator("conv2d", shape, padding), Contains("padding '" + padding + "'"));
    }
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,8,4,4,3,3"),
                      Contains("7 sizes") && Contains("N,H,W,CIN,COUT,KH,KW,STRIDE"));
    CHECK_THROWS_WITH(parse_operator("dwconv2d", shape), Contains("8 sizes") && Contains("N,H,W,C,KH,KW,STRIDE"));
    CHECK_THROWS_WITH(parse_operator("conv3d", shape), Contains("N,D,H,W,CIN,COUT,KD,KH,KW,STRIDE"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,8,4,4,3,3,0"), Contains("size 0"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,8,2,4,4,3,3,2", "valid"), Contains("empty along w"));
    CHECK_THROWS_WITH(parse_operator("conv2d", "1,2,8,4,4,5,3,2", "1"), Contains("empty along h"));
    CHECK_THROWS_WITH(parse_operator("deconv2d", "1,2,8,4,4,1,1,1", "1"), Contains("empty along h"));
    CHECK_THROWS_WITH(parse_operator("deconv2d", "1,16777216,16777216,1,1,1,1,16777216"), Contains("elements"));
    CHECK_THROWS_WITH(parse_operator("conv2d_dw", "16777216,16777216,16777216,16777216,16777216,1,1,1"),
                      Contains("elements"));
    CHECK_THROWS_AS(convolution(conv2d_family, Pass::forward, {1, 8}), Error);
}
