#include "tests/networks/random_node.hpp"

#include "networks/operators/window.hpp"
#include "tests/networks/node_maker.hpp"

#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace texelscope::networks::test {
namespace {

/// Window of a convolution or pool over two dimensions.
Attributes window(Random& random, std::int64_t kh, std::int64_t kw, bool dilations = true)
{
    const auto pad = [&](std::int64_t kernel) { return random.between(0, kernel - 1); };
    return with(
        {{"kernel_shape", std::vector<std::int64_t>{kh, kw}},
         {"strides", std::vector<std::int64_t>{random.between(1, 3), random.between(1, 3)}},
         {"pads", std::vector<std::int64_t>{pad(kh), pad(kw), pad(kh), pad(kw)}},
         {"dilations", dilations && random.one_in(3)
                           ? std::vector<std::int64_t>{random.between(1, 2), random.between(1, 2)}
                           : std::vector<std::int64_t>{1, 1}}});
}

void conv(Maker& m)
{
    Random& r = m.random();
    const std::int64_t groups = r.one_in(4) ? r.between(2, 3) : 1;
    const std::int64_t kh = r.between(1, 3);
    const std::int64_t kw = r.between(1, 3);
    const std::int64_t channels = groups * r.between(1, 9);
    const std::int64_t outputs = groups * r.between(1, 9);
    Attributes attributes = window(r, kh, kw);
    attributes.set("group", groups);
    std::vector<ValueId> inputs{
        m.input({r.between(1, 2), channels, r.between(6, 13), r.between(6, 13)}),
        m.operand({outputs, channels / groups, kh, kw})};
    if (r.one_in(2)) {
        inputs.push_back(m.operand({outputs}));
    }
    m.follow(m.node("Conv", std::move(inputs), std::move(attributes)));
}

void depthwise(Maker& m)
{
    Random& r = m.random();
    const std::int64_t channels = r.between(2, 13);
    Attributes attributes = window(r, 3, 3);
    attributes.set("group", channels);
    m.follow(m.node("Conv",
                    {m.input({r.between(1, 2), channels, r.between(6, 13), r.between(6, 13)}),
                     m.constant({channels, 1, 3, 3}), m.constant({channels})},
                    std::move(attributes)));
}

void conv_of_rank(Maker& m)
{
    Random& r = m.random();
    const std::size_t rank = r.one_in(2) ? 1 : 3;
    const std::int64_t channels = r.between(1, 6);
    Shape image{1, channels};
    Shape weights{r.between(1, 7), channels};
    for (std::size_t d = 0; d < rank; ++d) {
        image.push_back(r.between(4, 8));
        weights.push_back(r.between(1, 3));
    }
    m.follow(m.node("Conv", {m.input(image), m.constant(weights)}));
}

void conv_transpose(Maker& m)
{
    Random& r = m.random();
    const std::int64_t groups = r.one_in(4) ? 2 : 1;
    const std::int64_t channels = groups * r.between(1, 6);
    const std::int64_t kh = r.between(2, 4);
    const std::int64_t kw = r.between(2, 4);
    const std::vector<std::int64_t> strides{r.between(1, 3), r.between(1, 3)};
    std::vector<std::int64_t> dilations;
    for (const std::int64_t stride : strides) {
        const std::int64_t dilation = r.one_in(3) ? r.between(1, 3) : 1;
        dilations.push_back(std::gcd(stride, dilation) == 1 ? dilation : 1);
    }
    m.follow(m.node("ConvTranspose",
                    {m.input({r.between(1, 2), channels, r.between(3, 6), r.between(3, 6)}),
                     m.operand({channels, r.between(1, 6), kh, kw})},
                    with({{"kernel_shape", std::vector<std::int64_t>{kh, kw}},
                          {"group", groups},
                          {"strides", strides},
                          {"dilations", dilations},
                          {"pads", std::vector<std::int64_t>{r.between(0, 1), r.between(0, 1),
                                                             r.between(0, 1), r.between(0, 1)}}})));
}

void gemm(Maker& m)
{
    Random& r = m.random();
    const std::int64_t rows = r.between(1, 20);
    const std::int64_t columns = r.between(1, 20);
    const std::int64_t inner = r.between(1, 20);
    const bool a = r.one_in(2);
    const bool b = r.one_in(2);
    const std::vector<Shape> biases{{columns}, {rows, columns}, {1, columns}, {rows, 1}, {}};
    m.follow(m.node("Gemm",
                    {m.input(a ? Shape{inner, rows} : Shape{rows, inner}),
                     m.operand(b ? Shape{columns, inner} : Shape{inner, columns}),
                     m.operand(r.pick(biases))},
                    with({{"transA", std::int64_t{a}},
                          {"transB", std::int64_t{b}},
                          {"alpha", r.one_in(2) ? 1.0 : 0.5},
                          {"beta", r.one_in(2) ? 1.0 : 0.25}})));
}

void matmul(Maker& m)
{
    Random& r = m.random();
    const std::int64_t inner = r.between(1, 12);
    Shape a{r.between(1, 3), r.between(1, 4), r.between(1, 13), inner};
    Shape b{a[0], a[1], inner, r.between(1, 13)};
    (r.one_in(2) ? a : b)[1] = r.one_in(2) ? 1 : a[1];
    if (r.one_in(3)) {
        b.erase(b.begin());
    }
    m.follow(m.node("MatMul", {m.input(a), m.operand(b)}));
}

void pool(Maker& m)
{
    Random& r = m.random();
    const bool largest = r.one_in(2);
    const std::int64_t kh = r.between(1, 3);
    const std::int64_t kw = r.between(2, 3);
    Attributes attributes = window(r, kh, kw, largest);
    if (!largest) {
        attributes.set("count_include_pad", std::int64_t{r.one_in(2)});
    }
    attributes.set("ceil_mode", std::int64_t{r.one_in(3)});
    m.follow(
        m.node(largest ? "MaxPool" : "AveragePool",
               {m.input({r.between(1, 2), r.between(1, 9), r.between(6, 13), r.between(6, 13)})},
               std::move(attributes)));
}

void global_pool(Maker& m)
{
    Random& r = m.random();
    const ValueId pooled =
        m.node(r.one_in(2) ? "GlobalMaxPool" : "GlobalAveragePool",
               {m.input({r.between(1, 2), r.between(1, 9), r.between(2, 7), r.between(2, 7)})});
    m.follow(m.node("Flatten", {pooled}));
}

void reduction(Maker& m)
{
    Random& r = m.random();
    const std::vector<std::string> ops{"ReduceSum", "ReduceMean", "ReduceMax",       "ReduceMin",
                                       "ReduceL1",  "ReduceL2",   "ReduceSumSquare", "ReduceProd"};
    std::vector<std::int64_t> axes{r.between(0, 2)};
    if (r.one_in(2)) {
        axes.push_back((axes[0] + 1) % 3);
    }
    m.follow(m.node(r.pick(ops), {m.input({r.between(1, 6), r.between(1, 9), r.between(1, 9)})},
                    with({{"axes", axes}, {"keepdims", std::int64_t{r.one_in(2)}}})));
}

void elementwise(Maker& m)
{
    Random& r = m.random();
    const Shape shape{r.between(1, 3), r.between(1, 9), r.between(1, 9)};
    const std::vector<Shape> others{shape, {shape[2]}, {shape[1], 1}, {}, {shape[0], 1, shape[2]}};
    const std::vector<std::string> two{"Add", "Sub", "Mul", "Max", "Min", "PRelu"};
    const std::vector<std::string> one{"Tanh",      "HardSwish", "Elu", "Softplus",
                                       "LeakyRelu", "Sign",      "Erf", "Abs"};
    m.follow(r.one_in(2) ? m.node(r.pick(two), {m.input(shape), m.operand(r.pick(others))})
                         : m.node(r.pick(one), {m.input(shape)}));
}

void sweep(Maker& m)
{
    Random& r = m.random();
    const Shape shape{r.between(1, 3), r.between(1, 9), r.between(1, 13)};
    if (r.one_in(2)) {
        m.node(r.one_in(2) ? "Softmax" : "LogSoftmax", {m.input(shape)},
               with({{"axis", r.between(0, 2)}}));
    } else {
        std::vector<ValueId> inputs{m.input(shape), m.constant({shape[2]})};
        if (r.one_in(2)) {
            inputs.push_back(m.constant({shape[2]}));
        }
        m.node("LayerNormalization", std::move(inputs));
    }
}

void batch_norm(Maker& m)
{
    Random& r = m.random();
    const std::int64_t channels = r.between(1, 9);
    const auto positive = [&] {
        const ValueId id = m.constant({channels});
        return m.node("Abs", {id});
    };
    const ValueId variance = positive();
    m.follow(m.node("BatchNormalization", {m.input({1, channels, r.between(2, 5), r.between(2, 5)}),
                                           m.constant({channels}), m.constant({channels}),
                                           m.constant({channels}), variance}));
}

void movement(Maker& m)
{
    Random& r = m.random();
    const Shape shape{r.between(1, 3), r.between(1, 6) * 2, r.between(2, 7)};
    const ValueId x = m.input(shape);
    switch (r.small(0, 6)) {
    case 0: {
        std::vector<std::int64_t> order{0, 1, 2};
        r.shuffle(order);
        m.follow(m.node("Transpose", {x}, with({{"perm", order}})));
        break;
    }
    case 1:
        m.follow(m.node(
            "Reshape", {x},
            with({{"shape", std::vector<std::int64_t>{shape[0] * 2, shape[1] / 2, shape[2]}}})));
        break;
    case 2:
        m.follow(m.node("Slice", {x},
                        with({{"starts", std::vector<std::int64_t>{1, -1}},
                              {"ends", std::vector<std::int64_t>{100, -100}},
                              {"axes", std::vector<std::int64_t>{2, 1}},
                              {"steps", std::vector<std::int64_t>{1, -1}}})));
        break;
    case 3: {
        const std::int64_t axis = r.between(0, 2);
        Shape other = shape;
        other[static_cast<std::size_t>(axis)] = r.between(1, 9);
        m.node("Concat", {x, m.input(other), m.input(shape)}, with({{"axis", axis}}));
        break;
    }
    case 4:
        m.node("Split", {x},
               with({{"axis", std::int64_t{1}},
                     {"split", std::vector<std::int64_t>{1, shape[1] - 1}}}),
               2);
        break;
    case 5:
        m.follow(m.node("Pad", {x}, with({{"pads", std::vector<std::int64_t>{0, 1, 2, 1, 0, 1}}})));
        break;
    default:
        m.node("Gather", {x},
               with({{"indices", Array{{4}, std::vector<std::int64_t>{1, 0, 1, 1}}},
                     {"axis", std::int64_t{1}}}));
    }
}

void weight_gradient(Maker& m)
{
    Random& r = m.random();
    const std::int64_t groups = r.one_in(3) ? r.between(2, 3) : 1;
    const bool depthwise = groups > 1 && r.one_in(2);
    Attributes attributes = window(r, r.between(1, 3), r.between(1, 3));
    attributes.set("group", groups);
    const Shape x{r.between(1, 2), groups * (depthwise ? 1 : r.between(1, 5)), r.between(6, 9),
                  r.between(6, 9)};
    const Window w = window_of(attributes, x, attributes.integers("kernel_shape"));
    const ValueId dy = m.input(w.shape(x[0], groups * (depthwise ? 1 : r.between(1, 6)), w.out));
    m.node("ConvWeightGradient", {m.input(x), dy}, std::move(attributes));
}

/// What a pool of largest numbers hands back.
void pool_gradient(Maker& m)
{
    Random& r = m.random();
    Attributes windows = window(r, r.between(1, 3), r.between(1, 3), false);
    windows.set("ceil_mode", std::int64_t{r.one_in(3)});
    const Shape shape{1, r.between(1, 6), r.between(4, 6), r.between(4, 6)};
    const ValueId x = m.input(shape);
    const ValueId y = m.node("MaxPool", {x}, windows);
    const ValueId tap = m.node("MaxPoolTap", {x, y}, windows);
    const ValueId dy = m.input(m.shape(y));
    windows.set("input_shape", std::vector<std::int64_t>{shape[2], shape[3]});
    m.node("TapScatter", {dy, tap}, std::move(windows));
}

/// Sums of products along axes, and sums of which one part is scaled.
void training_sums(Maker& m)
{
    Random& r = m.random();
    const Shape shape{r.between(1, 3), r.between(1, 9), r.between(1, 5), r.between(1, 5)};
    std::vector<std::int64_t> axes;
    for (std::int64_t d = 0; d < 4; ++d) {
        if (r.one_in(2)) {
            axes.push_back(d);
        }
    }
    const ValueId sum = axes.empty()
                            ? m.input(shape)
                            : m.node("ReduceSumProduct", {m.input(shape), m.operand(shape)},
                                     with({{"axes", axes}}));
    m.node("AddScaled", {m.input(shape), sum}, with({{"scale", -0.75}}));
}

void slope(Maker& m)
{
    Random& r = m.random();
    const std::vector<std::string> functions{
        "Relu",     "Clip", "Sigmoid",   "Tanh",        "LeakyRelu",
        "Erf",      "Gelu", "Elu",       "Selu",        "Softplus",
        "Softsign", "Abs",  "HardSwish", "HardSigmoid", "ThresholdedRelu",
        "Sin",      "Cos",  "Reciprocal"};
    const Shape shape{r.between(1, 2), r.between(1, 9), r.between(1, 5), r.between(1, 5)};
    Attributes attributes;
    const std::string function = r.pick(functions);
    if (function == "Clip") {
        attributes = with({{"min", -0.5}, {"max", 0.6}});
    } else if (function == "Gelu" && r.one_in(2)) {
        attributes = with({{"approximate", std::string("tanh")}});
    }
    m.node(function + "Gradient", {m.input(shape), m.operand(shape)}, std::move(attributes));
}

void depth_to_space(Maker& m)
{
    Random& r = m.random();
    m.follow(m.node("DepthToSpace",
                    {m.input({1, 4 * r.between(1, 3), r.between(1, 5), r.between(1, 5)})},
                    with({{"blocksize", std::int64_t{2}},
                          {"mode", std::string(r.one_in(2) ? "DCR" : "CRD")}})));
}

void resize(Maker& m)
{
    Random& r = m.random();
    const Shape shape{r.between(1, 2), r.between(1, 6), r.between(2, 9), r.between(2, 9)};
    const std::vector<std::string> modes{"nearest", "linear", "cubic"};
    const std::vector<std::string> places{"half_pixel", "asymmetric", "align_corners",
                                          "pytorch_half_pixel", "half_pixel_symmetric"};
    const std::vector<std::string> nearest{"round_prefer_floor", "round_prefer_ceil", "floor",
                                           "ceil"};
    const std::string& place = r.pick(places);
    Attributes attributes = with({{"mode", r.pick(modes)},
                                  {"coordinate_transformation_mode", place},
                                  {"nearest_mode", r.pick(nearest)}});
    const std::size_t axis = r.one_in(2) ? 2 : 3;
    // Corners are aligned where the scale makes a whole extent alone.
    if (place != "align_corners" && r.one_in(2)) {
        const std::vector<float> some{0.5F, 0.6F, 1.5F, 2, 3, 1.7F};
        std::vector<float> scales{1, 1, 1, 1};
        scales[axis] = r.pick(some);
        attributes.set("scales", Array{{4}, scales});
    } else {
        Shape sizes = shape;
        sizes[axis] = r.between(1, 17);
        attributes.set("sizes", sizes);
    }
    m.follow(m.node("Resize", {m.input(shape)}, std::move(attributes)));
}

void own_padding(Maker& m)
{
    Random& r = m.random();
    const std::vector<std::string> modes{"reflect", "edge", "wrap"};
    const Shape shape{1, r.between(2, 6), r.between(3, 7), r.between(3, 7)};
    const auto pad = [&] { return r.between(-1, 2); };
    const bool channels = r.one_in(4);
    m.node("Pad", {m.input(shape)},
           with({{"mode", r.pick(modes)},
                 {"pads", std::vector<std::int64_t>{0, channels ? 1 : 0, pad(), pad(), 0, 0, pad(),
                                                    pad()}}}));
}

/// Rows of a table by numbers that another kernel makes.
void look_up(Maker& m)
{
    Random& r = m.random();
    const std::int64_t axis = r.between(0, 1);
    Shape table{r.between(1, 4), r.between(1, 9)};
    table.insert(table.begin() + axis, r.between(9, 13)); // indices go from -8 to 8
    const Shape indices =
        r.one_in(2) ? Shape{r.between(1, 5)} : Shape{r.between(1, 3), r.between(1, 4)};
    const ValueId eight = m.scalar(8);
    const ValueId whole = m.node("Mul", {m.input(indices), eight});
    m.follow(m.node("Gather", {m.operand(table), whole}, with({{"axis", axis}})));
}

void local_response(Maker& m)
{
    Random& r = m.random();
    m.follow(m.node("LRN",
                    {m.input({r.between(1, 2), r.between(1, 9), r.between(1, 5), r.between(1, 5)})},
                    with({{"size", r.between(1, 5)}, {"alpha", 0.5}, {"bias", 1.5}})));
}

/// As a file's QuantizeLinear and DequantizeLinear are written: numbers are eighths, so that halves
/// come up and are exact.
void quantized(Maker& m)
{
    Random& r = m.random();
    const Shape shape{r.between(1, 2), r.between(1, 6), r.between(1, 5), r.between(1, 5)};
    const ValueId scale = m.scalar(0.25F);
    const ValueId zero = m.scalar(static_cast<float>(r.between(-3, 3)));
    ValueId x = m.node("Relu", {m.input(shape)});
    x = m.node("Round", {m.node("Div", {x, scale})});
    x = m.node("Clip", {m.node("Add", {x, zero})}, with({{"min", -2.0}, {"max", 3.0}}));
    m.follow(m.node("Mul", {m.node("Sub", {x, zero}), scale}));
}

const std::map<std::string, std::function<void(Maker&)>>& kinds()
{
    static const std::map<std::string, std::function<void(Maker&)>> all{
        {"conv", conv},
        {"depthwise", depthwise},
        {"conv of rank", conv_of_rank},
        {"conv transpose", conv_transpose},
        {"gemm", gemm},
        {"matmul", matmul},
        {"pool", pool},
        {"global pool", global_pool},
        {"reduction", reduction},
        {"elementwise", elementwise},
        {"sweep", sweep},
        {"batch norm", batch_norm},
        {"movement", movement},
        {"depth to space", depth_to_space},
        {"weight gradient", weight_gradient},
        {"pool gradient", pool_gradient},
        {"training sums", training_sums},
        {"slope", slope},
        {"resize", resize},
        {"own padding", own_padding},
        {"look up", look_up},
        {"local response", local_response},
        {"quantized", quantized}};
    return all;
}

} // namespace

std::vector<std::string> node_kinds()
{
    std::vector<std::string> names;
    for (const auto& [name, make] : kinds()) {
        names.push_back(name);
    }
    return names;
}

Graph random_node(Random& random, const std::string& kind)
{
    Maker maker(random);
    kinds().at(kind)(maker);
    return std::move(maker).finish();
}

} // namespace texelscope::networks::test
