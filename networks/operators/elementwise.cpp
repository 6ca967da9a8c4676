#include "base/error.hpp"
#include "networks/operators/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace texelscope::networks {
// In this file: functions of one number, and folds of several tensors, with the defaults of ONNX's
// attributes. What older versions meant by them otherwise is rewritten where a file is read
// (networks/onnx/rewrite_node.cpp). The functions here are the references; kernels have their own
// in networks/lowering/lower_elementwise.cpp.
namespace {

using Unary = std::function<double(double)>;
using Binary = double (*)(double, double);

double sigmoid(double x)
{
    return 1 / (1 + std::exp(-x));
}

/// A function of one number, which the attributes decide.
NodeOperator unary(std::string name, int since, std::function<Unary(const Attributes&)> of,
                   std::vector<NodeOperator::Parameter> parameters = {})
{
    NodeOperator row{.name = std::move(name), .since = since, .parameters = std::move(parameters)};
    row.infer = [](const Node&, const NodeOperator::Shapes& in) {
        return std::vector<Shape>{*in[0]};
    };
    row.reference = [of = std::move(of)](const Node& node, const NodeOperator::Operands& in) {
        const Unary function = of(node.attributes);
        Reals out{in[0]->shape, in[0]->values};
        std::ranges::transform(out.values, out.values.begin(), function);
        return std::vector{std::move(out)};
    };
    return row;
}

NodeOperator plain(std::string name, int since, double (*function)(double))
{
    return unary(std::move(name), since, [function](const Attributes&) { return Unary(function); });
}

/// Visits the elements of `shape` in order: visit(element, element of the operand that broadcasts
/// to it).
template <class Visit>
void for_each_broadcast(const Shape& shape, const Shape& operand, const Visit& visit)
{
    Shape strides = row_major_strides(operand);
    // Broadcasting aligns shapes at their last dimensions. A dimension that the operand lacks, or
    // of which it has one element only, has stride 0: its elements are read again.
    strides.insert(strides.begin(), shape.size() - operand.size(), 0);
    for (std::size_t d = 0; d < operand.size(); ++d) {
        if (operand[d] == 1) {
            strides[shape.size() - operand.size() + d] = 0;
        }
    }
    Shape index(shape.size(), 0);
    std::int64_t from = 0;
    const std::int64_t count = element_count(shape);
    for (std::int64_t at = 0; at < count; ++at) {
        visit(static_cast<std::size_t>(at), static_cast<std::size_t>(from));
        for (std::size_t d = shape.size(); d-- > 0;) {
            from += strides[d];
            if (++index[d] < shape[d]) {
                // `from` follows the index by additions. A dimension that wraps takes back its
                // whole length and carries into the one before it.
                break;
            }
            from -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

/// The shape that all inputs broadcast to. Throws bad_input where there is none.
std::vector<Shape> broadcast_all(const NodeOperator::Shapes& in)
{
    Shape shape;
    for (const Shape* each : in) {
        shape = each == nullptr ? shape : broadcast_shape(shape, *each);
    }
    return {shape};
}

/// Folds any number of inputs from the left, with broadcasting: fold(fold(first, second), third)
/// and so on. `mean` divides by how many there are.
NodeOperator folded(std::string name, int since, std::size_t least, std::size_t most, Binary fold,
                    bool mean = false)
{
    NodeOperator row{.name = std::move(name), .since = since, .least = least, .most = most};
    row.infer = [](const Node&, const NodeOperator::Shapes& in) { return broadcast_all(in); };
    row.reference = [fold, mean](const Node&, const NodeOperator::Operands& in) {
        NodeOperator::Shapes shapes;
        for (const Reals* each : in) {
            shapes.push_back(&each->shape);
        }
        Reals out{broadcast_all(shapes).front(), {}};
        out.values.resize(static_cast<std::size_t>(element_count(out.shape)));
        for (std::size_t i = 0; i < in.size(); ++i) {
            for_each_broadcast(out.shape, in[i]->shape, [&](std::size_t to, std::size_t from) {
                const double number = in[i]->values[from];
                out.values[to] = i == 0 ? number : fold(out.values[to], number);
            });
        }
        if (mean) {
            for (double& number : out.values) {
                number /= static_cast<double>(in.size());
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// x, or slope * x where x is negative. Slopes broadcast to x, never x to the slopes, so the output
/// has the shape of x.
NodeOperator prelu()
{
    NodeOperator row =
        folded("PRelu", 1, 2, 2, [](double x, double slope) { return x < 0 ? slope * x : x; });
    row.infer = [](const Node&, const NodeOperator::Shapes& in) {
        if (broadcast_shape(*in[0], *in[1]) != *in[0]) {
            throw bad_input(fmt::format("slopes of {} do not broadcast to {}", to_string(*in[1]),
                                        to_string(*in[0])));
        }
        return std::vector<Shape>{*in[0]};
    };
    return row;
}

Unary clip(const Attributes& attributes)
{
    // Without limits ONNX clips to the range of the tensor's type, which is fp32.
    constexpr double all = std::numeric_limits<float>::max();
    return [low = attributes.real("min", -all), high = attributes.real("max", all)](double x) {
        return std::min(std::max(x, low), high);
    };
}

Unary gelu(const Attributes& attributes)
{
    if (attributes.word("approximate", "none") == "tanh") {
        return [](double x) {
            // 0.044715 and sqrt(2 / pi): the usual approximation of the normal distribution by
            // tanh, as ONNX has it.
            return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        };
    }
    return [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); };
}

Unary elu(const Attributes& attributes)
{
    return [alpha = attributes.real("alpha", 1)](double x) {
        return x < 0 ? alpha * std::expm1(x) : x;
    };
}

Unary selu(const Attributes& attributes)
{
    return [alpha = attributes.real("alpha", 1.67326319217681884765625),
            gamma = attributes.real("gamma", 1.05070102214813232421875)](double x) {
        return gamma * (x > 0 ? x : alpha * std::expm1(x));
    };
}

Unary leaky(const Attributes& attributes)
{
    return [alpha = attributes.real("alpha", 0.01)](double x) { return x < 0 ? alpha * x : x; };
}

Unary thresholded(const Attributes& attributes)
{
    return [alpha = attributes.real("alpha", 1)](double x) { return x > alpha ? x : 0; };
}

Unary hard_sigmoid(const Attributes& attributes)
{
    return [alpha = attributes.real("alpha", 0.2), beta = attributes.real("beta", 0.5)](double x) {
        return std::clamp(alpha * x + beta, 0.0, 1.0);
    };
}

} // namespace

std::vector<NodeOperator> elementwise_operators()
{
    // ONNX has no bound; this one keeps `most` a number.
    constexpr std::size_t any = 1000;
    return {
        folded("Add", 1, 2, 2, [](double a, double b) { return a + b; }),
        folded("Sub", 1, 2, 2, [](double a, double b) { return a - b; }),
        folded("Mul", 1, 2, 2, [](double a, double b) { return a * b; }),
        folded("Div", 1, 2, 2, [](double a, double b) { return a / b; }),
        folded("Pow", 1, 2, 2, [](double a, double b) { return std::pow(a, b); }),
        folded("Max", 1, 1, any, [](double a, double b) { return std::max(a, b); }),
        folded("Min", 1, 1, any, [](double a, double b) { return std::min(a, b); }),
        folded("Sum", 1, 1, any, [](double a, double b) { return a + b; }),
        folded(
            "Mean", 1, 1, any, [](double a, double b) { return a + b; }, true),
        prelu(),
        plain("Sqrt", 1, [](double x) { return std::sqrt(x); }),
        plain("Relu", 1, [](double x) { return std::max(x, 0.0); }),
        unary("Clip", 1, clip, {{1, "min"}, {2, "max"}}),
        unary("LeakyRelu", 1, leaky),
        plain("Sigmoid", 1, sigmoid),
        plain("Tanh", 1, [](double x) { return std::tanh(x); }),
        plain("Erf", 9, [](double x) { return std::erf(x); }),
        unary("Gelu", 20, gelu),
        plain("HardSwish", 14, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }),
        unary("HardSigmoid", 1, hard_sigmoid),
        unary("Elu", 1, elu),
        unary("Selu", 1, selu),
        unary("ThresholdedRelu", 10, thresholded),
        // log(1 + exp(x)), written so that exp() never gets a positive number, which could
        // overflow.
        plain("Softplus", 1,
              [](double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); }),
        plain("Softsign", 1, [](double x) { return x / (1 + std::abs(x)); }),
        plain("Abs", 1, [](double x) { return std::abs(x); }),
        plain("Neg", 1, [](double x) { return -x; }),
        plain("Exp", 1, [](double x) { return std::exp(x); }),
        plain("Log", 1, [](double x) { return std::log(x); }),
        plain("Reciprocal", 1, [](double x) { return 1 / x; }),
        plain("Floor", 1, [](double x) { return std::floor(x); }),
        plain("Ceil", 1, [](double x) { return std::ceil(x); }),
        // Halves go to the even number, as the default rounding mode has it. What is a half and
        // what is not is a matter of fp32, in which the number comes.
        plain("Round", 11,
              [](double x) { return std::nearbyint(static_cast<double>(static_cast<float>(x))); }),
        plain("Sign", 9, [](double x) { return static_cast<double>((x > 0) - (x < 0)); }),
        plain("Sin", 7, [](double x) { return std::sin(x); }),
        plain("Cos", 7, [](double x) { return std::cos(x); }),
        plain("Identity", 1, [](double x) { return x; }),
        // Of whole numbers to real ones; the others are left out where a file is read.
        plain("Cast", 6, [](double x) { return x; }),
    };
}

} // namespace texelscope::networks
