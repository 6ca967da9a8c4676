#include "base/error.hpp"
#include "networks/operators/families.hpp"
#include "networks/operators/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

// Operators that only training has; networks/training writes them into backward passes. Their names
// are not ONNX's, so no file has them. Below, dx stands for the gradient of the loss by x.

namespace texelscope::networks {
namespace {

/// The slope f'(v) in dx = dy f'(v). v is what the function read (x) or what it made (y), whichever
/// gives the shorter formula: what a gradient reads has to be kept from the forward pass until
/// then.
using Slope = std::function<double(const Attributes&, double v)>;

NodeOperator of_function(const std::string& function, Slope slope)
{
    NodeOperator row{.name = function + "Gradient", .least = 2, .most = 2, .onnx = false};
    row.infer = [](const Node&, const NodeOperator::Shapes& in) {
        if (*in[0] != *in[1]) {
            throw bad_input(
                fmt::format("a gradient of {} for {}", to_string(*in[0]), to_string(*in[1])));
        }
        return std::vector<Shape>{*in[0]};
    };
    row.reference = [slope = std::move(slope)](const Node& node, const NodeOperator::Operands& in) {
        Reals out = *in[0];
        for (std::size_t i = 0; i < out.values.size(); ++i) {
            out.values[i] *= slope(node.attributes, in[1]->values[i]);
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// The slope of a clamp: 0 from each bound on.
double inside(double x, double low, double high)
{
    return x > low && x < high ? 1 : 0;
}

/// Derivative of x Phi(x), where Phi is the normal distribution: Phi(x) + x phi(x); or of its
/// approximation by tanh.
double of_gelu(const Attributes& a, double x)
{
    if (a.word("approximate", "none") == "tanh") {
        const double root = std::sqrt(2 / M_PI);
        const double t = std::tanh(root * (x + 0.044715 * x * x * x));
        return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * root * (1 + 3 * 0.044715 * x * x);
    }
    return 0.5 * (1 + std::erf(x / std::sqrt(2.0))) +
           x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
}

std::vector<NodeOperator> function_gradients()
{
    constexpr double all = std::numeric_limits<float>::max();
    const auto real = [](const char* name, double otherwise) {
        return [=](const Attributes& a) { return a.real(name, otherwise); };
    };
    const auto selu_alpha = real("alpha", 1.67326319217681884765625);
    const auto selu_gamma = real("gamma", 1.05070102214813232421875);
    return {
        // Of what the function made, y:
        of_function("Relu", [](const Attributes&, double y) { return y > 0 ? 1 : 0; }),
        of_function("Clip",
                    [](const Attributes& a, double y) {
                        return inside(y, a.real("min", -all), a.real("max", all));
                    }),
        of_function("Sigmoid", [](const Attributes&, double y) { return y * (1 - y); }),
        of_function("Tanh", [](const Attributes&, double y) { return 1 - y * y; }),
        of_function("Sqrt", [](const Attributes&, double y) { return 0.5 / y; }),
        of_function("Reciprocal", [](const Attributes&, double y) { return -y * y; }),
        // Of what it read, x:
        of_function("LeakyRelu", [](const Attributes& a,
                                    double x) { return x < 0 ? a.real("alpha", 0.01) : 1; }),
        of_function("Erf", [](const Attributes&,
                              double x) { return 2 / std::sqrt(M_PI) * std::exp(-x * x); }),
        of_function("Gelu", of_gelu),
        of_function("Elu", [](const Attributes& a,
                              double x) { return x < 0 ? a.real("alpha", 1) * std::exp(x) : 1; }),
        of_function("Selu",
                    [=](const Attributes& a, double x) {
                        return selu_gamma(a) * (x < 0 ? selu_alpha(a) * std::exp(x) : 1);
                    }),
        of_function("Softplus", [](const Attributes&, double x) { return 1 / (1 + std::exp(-x)); }),
        of_function("Softsign",
                    [](const Attributes&, double x) {
                        return 1 / ((1 + std::abs(x)) * (1 + std::abs(x)));
                    }),
        of_function("Abs", [](const Attributes&,
                              double x) { return static_cast<double>((x > 0) - (x < 0)); }),
        // Of x clamp(x / 6 + 1/2, 0, 1): its bounds are reached at x = -3 and x = 3.
        of_function("HardSwish",
                    [](const Attributes&, double x) {
                        return x > 3 ? 1 : (x / 3 + 0.5) * inside(x, -3, 3);
                    }),
        of_function("HardSigmoid",
                    [](const Attributes& a, double x) {
                        const double slope = a.real("alpha", 0.2);
                        return slope * inside(slope * x + a.real("beta", 0.5), 0, 1);
                    }),
        of_function("ThresholdedRelu",
                    [](const Attributes& a, double x) { return x > a.real("alpha", 1) ? 1 : 0; }),
        of_function("Sin", [](const Attributes&, double x) { return std::cos(x); }),
        of_function("Cos", [](const Attributes&, double x) { return -std::sin(x); }),
    };
}

/// Visits each output of a window with each of its taps: visit(output, tap, place in the input, or
/// -1 where the tap is in the padding).
template <class Visit>
void for_each_tap(const Window& window, const Visit& visit)
{
    std::int64_t output = 0;
    for (std::int64_t z = 0; z < window.out[0]; ++z) {
        for (std::int64_t y = 0; y < window.out[1]; ++y) {
            for (std::int64_t x = 0; x < window.out[2]; ++x, ++output) {
                for (std::int64_t tap = 0; tap < volume(window.kernel); ++tap) {
                    const std::int64_t k =
                        window.place(0, z, tap / window.kernel[2] / window.kernel[1]);
                    const std::int64_t i =
                        window.place(1, y, tap / window.kernel[2] % window.kernel[1]);
                    const std::int64_t j = window.place(2, x, tap % window.kernel[2]);
                    const bool in = k >= 0 && k < window.in[0] && i >= 0 && i < window.in[1] &&
                                    j >= 0 && j < window.in[2];
                    visit(output, tap, in ? (k * window.in[1] + i) * window.in[2] + j : -1);
                }
            }
        }
    }
}

Window window_in(const Node& node, const Shape& input)
{
    return window_of(node.attributes, input, node.attributes.integers("kernel_shape"));
}

/// dW of y = conv(x, W), from x and dy: dW[m, c, tap] = sum over the batch and the outputs of dy[n,
/// m, output] x[n, c, place(output, tap)].
NodeOperator conv_weight_gradient()
{
    NodeOperator row{.name = "ConvWeightGradient", .least = 2, .most = 2, .onnx = false};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const Shape& x = *in[0];
        const Shape& dy = *in[1];
        const Window window = window_in(node, x);
        const std::int64_t groups = node.attributes.integer("group", 1);
        if (dy.size() != x.size() || dy != window.shape(x[0], dy[1], window.out) ||
            x[1] % groups != 0 || dy[1] % groups != 0) {
            throw bad_input(
                fmt::format("a gradient of {} for an input of {}", to_string(dy), to_string(x)));
        }
        return std::vector<Shape>{window.shape(dy[1], x[1] / groups, window.kernel)};
    };
    row.multiply_adds = [](const NodeOperator::Shapes& in, const Shape& out) {
        // Every dy is multiplied with every weight of its own output channel: out / out[0] weights
        // each.
        return static_cast<double>(element_count(*in[1])) *
               static_cast<double>(element_count(out)) / static_cast<double>(out[0]);
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Shape& x = in[0]->shape;
        const Shape& dy = in[1]->shape;
        const Window window = window_in(node, x);
        const std::int64_t groups = node.attributes.integer("group", 1);
        const std::int64_t of_group = x[1] / groups;
        Reals out{window.shape(dy[1], of_group, window.kernel), {}};
        out.values.resize(static_cast<std::size_t>(element_count(out.shape)));
        for (std::int64_t n = 0; n < x[0]; ++n) {
            for (std::int64_t m = 0; m < dy[1]; ++m) {
                const double* const gradient =
                    in[1]->values.data() + (n * dy[1] + m) * volume(window.out);
                for (std::int64_t c = 0; c < of_group; ++c) {
                    // Output channel m belongs to group m / (dy[1] / groups), which reads the
                    // channels of x from group * of_group on.
                    const std::int64_t channel = m / (dy[1] / groups) * of_group + c;
                    const double* const plane =
                        in[0]->values.data() + (n * x[1] + channel) * volume(window.in);
                    double* const sums =
                        out.values.data() + (m * of_group + c) * volume(window.kernel);
                    for_each_tap(window,
                                 [&](std::int64_t output, std::int64_t tap, std::int64_t place) {
                                     sums[tap] += place < 0 ? 0 : gradient[output] * plane[place];
                                 });
                }
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// From x and y = MaxPool(x): for each window, the number (tap_number()) of the first tap that has
/// the window's maximum. Only that tap gets the gradient; where two are equal, the first wins.
NodeOperator max_pool_tap()
{
    NodeOperator row{.name = "MaxPoolTap", .least = 2, .most = 2, .onnx = false};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const Shape& x = *in[0];
        const Window window = window_in(node, x);
        if (*in[1] != window.shape(x[0], x[1], window.out)) {
            throw bad_input(fmt::format("{} is no pool of {}", to_string(*in[1]), to_string(x)));
        }
        return std::vector<Shape>{*in[1]};
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Shape& x = in[0]->shape;
        const Window window = window_in(node, x);
        Reals out{in[1]->shape, std::vector<double>(in[1]->values.size(), -1)};
        for (std::int64_t plane = 0; plane < x[0] * x[1]; ++plane) {
            for_each_tap(window, [&](std::int64_t output, std::int64_t tap, std::int64_t place) {
                const auto at = static_cast<std::size_t>(plane * volume(window.out) + output);
                const bool has_it =
                    place >= 0 &&
                    in[0]->values[static_cast<std::size_t>(plane * volume(window.in) + place)] ==
                        in[1]->values[at];
                // -1 says that no tap was found yet.
                if (has_it && out.values[at] < 0) {
                    out.values[at] = static_cast<double>(tap_number(window, tap));
                }
            });
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// From dy and, of each window, the tap that its dy goes to (MaxPoolTap): dx, where each place adds
/// up the dy of all windows that chose it. The extents of x cannot be told from those of dy, so the
/// attribute input_shape gives them.
NodeOperator tap_scatter()
{
    NodeOperator row{.name = "TapScatter", .least = 2, .most = 2, .onnx = false};
    const auto window_of_node = [](const Node& node, const Shape& dy) {
        Shape input{dy[0], dy[1]};
        const std::vector<std::int64_t> spatial = node.attributes.integers("input_shape");
        input.insert(input.end(), spatial.begin(), spatial.end());
        return window_in(node, input);
    };
    row.infer = [=](const Node& node, const NodeOperator::Shapes& in) {
        const Shape& dy = *in[0];
        const Window window = window_of_node(node, dy);
        if (dy != *in[1] || dy != window.shape(dy[0], dy[1], window.out)) {
            throw bad_input("gradients and taps are not of the same windows");
        }
        return std::vector<Shape>{window.shape(dy[0], dy[1], window.in)};
    };
    row.reference = [=](const Node& node, const NodeOperator::Operands& in) {
        const Shape& dy = in[0]->shape;
        const Window window = window_of_node(node, dy);
        Reals out{window.shape(dy[0], dy[1], window.in), {}};
        out.values.resize(static_cast<std::size_t>(element_count(out.shape)));
        for (std::int64_t plane = 0; plane < dy[0] * dy[1]; ++plane) {
            for_each_tap(window, [&](std::int64_t output, std::int64_t tap, std::int64_t place) {
                const auto at = static_cast<std::size_t>(plane * volume(window.out) + output);
                if (place >= 0 &&
                    in[1]->values[at] == static_cast<double>(tap_number(window, tap))) {
                    out.values[static_cast<std::size_t>(plane * volume(window.in) + place)] +=
                        in[0]->values[at];
                }
            });
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// The sum of a b over axes, as ReduceSum has them.
NodeOperator reduce_sum_product()
{
    NodeOperator row{.name = "ReduceSumProduct", .least = 2, .most = 2, .onnx = false};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        if (*in[0] != *in[1]) {
            throw bad_input(
                fmt::format("products of {} and {}", to_string(*in[0]), to_string(*in[1])));
        }
        return find_node_operator("ReduceSum")->infer(node, {in[0]});
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        Reals product = *in[0];
        std::ranges::transform(product.values, in[1]->values, product.values.begin(),
                               std::multiplies<>());
        return find_node_operator("ReduceSum")->reference(node, {&product});
    };
    return row;
}

/// a + scale b, with broadcasting: what steps of training are made of.
NodeOperator add_scaled()
{
    NodeOperator row{.name = "AddScaled", .least = 2, .most = 2, .onnx = false};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        return find_node_operator("Add")->infer(node, in);
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        Reals scaled = *in[1];
        for (double& number : scaled.values) {
            number *= node.attributes.real("scale", 1);
        }
        return find_node_operator("Add")->reference(node, {in[0], &scaled});
    };
    return row;
}

} // namespace

std::vector<NodeOperator> gradient_operators()
{
    std::vector<NodeOperator> all = function_gradients();
    all.push_back(conv_weight_gradient());
    all.push_back(max_pool_tap());
    all.push_back(tap_scatter());
    all.push_back(reduce_sum_product());
    all.push_back(add_scaled());
    return all;
}

} // namespace texelscope::networks
