#include "base/error.hpp"
#include "networks/operators/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace texelscope::networks {
// In this file: operators along axes, as ONNX defines them. Each function makes one row of the
// table node_operators(): the shape that comes out, and the slow reference that kernels are checked
// against.
namespace {

/// A tensor as outer x length x inner: along the middle lies the axis, or several that follow each
/// other.
struct Lines {
    std::int64_t outer = 1, length = 1, inner = 1;

    /// Place of the first element of a line; its next element lies `inner` further on.
    [[nodiscard]] std::size_t first(std::int64_t o, std::int64_t i) const
    {
        return static_cast<std::size_t>(o * length * inner + i);
    }
};

Lines lines_of(const Shape& shape, std::size_t axis, std::size_t end)
{
    const auto product = [&](std::size_t from, std::size_t to) {
        return element_count({shape.begin() + static_cast<std::ptrdiff_t>(from),
                              shape.begin() + static_cast<std::ptrdiff_t>(to)});
    };
    return {product(0, axis), product(axis, end), product(end, shape.size())};
}

/// The axes of a reduction, ascending. Without the attribute `axes` all dimensions are reduced, or
/// none if noop_with_empty_axes is set (ONNX, ReduceSum-13).
std::vector<bool> reduced_axes(const Node& node, const Shape& shape)
{
    const std::vector<std::int64_t> axes = node.attributes.integers("axes");
    const bool none = axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) != 0;
    std::vector<bool> reduced(shape.size(), axes.empty() && !none);
    for (const std::int64_t axis : axes) {
        reduced[axis_in(axis, shape.size())] = true;
    }
    return reduced;
}

/// A reduction as a fold: `first`, then sum = add(sum, number) for every number, then end(sum,
/// count). `count`: how many numbers each output is made of; only means need it.
struct Reduction {
    double first = 0;
    double (*add)(double, double) = nullptr;
    double (*end)(double, double) = [](double sum, double) { return sum; };
};

NodeOperator reduction(std::string name, Reduction how)
{
    NodeOperator row{.name = std::move(name), .since = 1, .parameters = {{1, "axes"}}};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const std::vector<bool> reduced = reduced_axes(node, *in[0]);
        const bool keeps = node.attributes.integer("keepdims", 1) != 0;
        Shape shape;
        for (std::size_t d = 0; d < reduced.size(); ++d) {
            if (!reduced[d]) {
                shape.push_back((*in[0])[d]);
            } else if (keeps) {
                shape.push_back(1);
            }
        }
        return std::vector<Shape>{shape};
    };
    row.reference = [how, infer = row.infer](const Node& node, const NodeOperator::Operands& in) {
        const Shape& shape = in[0]->shape;
        const std::vector<bool> reduced = reduced_axes(node, shape);
        // Strides of the output for an index of the input. A reduced dimension has stride 0, so all
        // of its numbers fall on the same output.
        Shape strides(shape.size(), 0);
        std::int64_t count = 1;
        std::int64_t outputs = 1;
        for (std::size_t d = shape.size(); d-- > 0;) {
            strides[d] = reduced[d] ? 0 : outputs;
            (reduced[d] ? count : outputs) *= shape[d];
        }
        Reals out{infer(node, {&shape}).front(),
                  std::vector<double>(static_cast<std::size_t>(outputs), how.first)};
        Shape index(shape.size(), 0);
        for (const double number : in[0]->values) {
            std::int64_t to = 0;
            for (std::size_t d = 0; d < shape.size(); ++d) {
                to += index[d] * strides[d];
            }
            double& sum = out.values[static_cast<std::size_t>(to)];
            sum = how.add(sum, number);
            // The next index, as an odometer counts: the last dimension first.
            for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) {
                index[d] = 0;
            }
        }
        for (double& sum : out.values) {
            sum = how.end(sum, static_cast<double>(count));
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// Softmax along an axis, exp(x) / sum of exp(x), or its logarithm.
NodeOperator softmax(std::string name, bool logarithm)
{
    NodeOperator row{.name = std::move(name), .since = 1};
    const auto lines = [](const Node& node, const Shape& shape) {
        const std::size_t axis = axis_in(node.attributes.integer("axis", -1), shape.size());
        return lines_of(shape, axis, axis + 1);
    };
    row.infer = [lines](const Node& node, const NodeOperator::Shapes& in) {
        static_cast<void>(lines(node, *in[0]));
        return std::vector<Shape>{*in[0]};
    };
    row.reference = [lines, logarithm](const Node& node, const NodeOperator::Operands& in) {
        const Lines along = lines(node, in[0]->shape);
        Reals out = *in[0];
        for (std::int64_t o = 0; o < along.outer; ++o) {
            for (std::int64_t i = 0; i < along.inner; ++i) {
                double* const line = out.values.data() + along.first(o, i);
                const auto each = [&](const auto& visit) {
                    for (std::int64_t k = 0; k < along.length; ++k) {
                        visit(line[k * along.inner]);
                    }
                };
                // The largest number is subtracted first, which changes nothing in the quotient:
                // exp() of a large number would overflow.
                double most = -HUGE_VAL;
                each([&](double& x) { most = std::max(most, x); });
                double sum = 0;
                each([&](double& x) { sum += std::exp(x - most); });
                each([&](double& x) {
                    x = logarithm ? x - most - std::log(sum) : std::exp(x - most) / sum;
                });
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// What normalisations need of a line of numbers: (x - mean) * inverse_deviation, where
/// inverse_deviation is 1 / sqrt(variance + epsilon). The variance is that of a population: it is
/// divided by the count, not by the count less one.
struct Moments {
    double mean = 0, inverse_deviation = 0;
};

template <class Each>
Moments moments(const Each& each, double count, double epsilon)
{
    double sum = 0;
    each([&](double x) { sum += x; });
    const double mean = sum / count;
    double squares = 0;
    // In a second pass: the mean of squares less the square of the mean would lose digits.
    each([&](double x) { squares += (x - mean) * (x - mean); });
    return {mean, 1 / std::sqrt(squares / count + epsilon)};
}

/// Normalises over the axis and all dimensions behind it: (x - mean) / sqrt(variance + epsilon) *
/// scale + bias. Scale and bias have these dimensions, or broadcast to them. Outputs 2 and 3, which
/// training reads, are the mean and the inverse deviation of each line.
NodeOperator layer_normalization()
{
    NodeOperator row{.name = "LayerNormalization", .since = 17, .least = 2, .most = 3};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const std::size_t axis = axis_in(node.attributes.integer("axis", -1), in[0]->size());
        for (const Shape* each : {in[1], in[2]}) {
            if (each != nullptr && broadcast_shape(*each, *in[0]) != *in[0]) {
                throw bad_input(fmt::format("{} does not broadcast to {}", to_string(*each),
                                            to_string(*in[0])));
            }
        }
        // Statistics keep the rank; the dimensions that they are taken over have extent 1.
        Shape statistics = *in[0];
        std::fill(statistics.begin() + static_cast<std::ptrdiff_t>(axis), statistics.end(), 1);
        return std::vector<Shape>{*in[0], statistics, statistics};
    };
    row.reference = [infer = row.infer](const Node& node, const NodeOperator::Operands& in) {
        const Shape& shape = in[0]->shape;
        const std::size_t axis = axis_in(node.attributes.integer("axis", -1), shape.size());
        const Lines along = lines_of(shape, axis, shape.size());
        const std::vector<Shape> shapes = infer(node, {&shape, &in[1]->shape, nullptr});
        Reals out = *in[0];
        Reals means{shapes[1], {}};
        Reals deviations{shapes[2], {}};
        const auto factor = [&](const Reals* each, std::int64_t o, std::int64_t k,
                                double otherwise) {
            if (each == nullptr) {
                return otherwise;
            }
            // A factor has the last dimensions only, all of them, and repeats itself over the rest.
            const std::int64_t size = element_count(each->shape);
            return each->values[static_cast<std::size_t>((o * along.length + k) % size)];
        };
        for (std::int64_t o = 0; o < along.outer; ++o) {
            double* const line = out.values.data() + o * along.length;
            const auto each = [&](const auto& visit) {
                std::for_each(line, line + along.length, visit);
            };
            const Moments found = moments(each, static_cast<double>(along.length),
                                          node.attributes.real("epsilon", 1e-5));
            means.values.push_back(found.mean);
            deviations.values.push_back(found.inverse_deviation);
            for (std::int64_t k = 0; k < along.length; ++k) {
                line[k] =
                    (line[k] - found.mean) * found.inverse_deviation * factor(in[1], o, k, 1) +
                    factor(in[2], o, k, 0);
            }
        }
        return std::vector{std::move(out), std::move(means), std::move(deviations)};
    };
    return row;
}

/// Throws bad_input unless inputs `from` to `to` - 1 have one number for each channel, which is
/// dimension 1.
void require_of_channels(const Shape& input, const NodeOperator::Shapes& in, std::size_t from,
                         std::size_t to)
{
    if (input.size() < 2) {
        throw bad_input(fmt::format("an input of {} has no channels", to_string(input)));
    }
    for (std::size_t i = from; i < to; ++i) {
        if (*in[i] != Shape{input[1]}) {
            throw bad_input(fmt::format("{} is not one number for each of {} channels",
                                        to_string(*in[i]), input[1]));
        }
    }
}

/// Normalises each channel by numbers that are given: scale, bias, mean and variance (inputs 1 to
/// 4). Training, which would find mean and variance from the batch, is refused.
NodeOperator batch_normalization()
{
    NodeOperator row{.name = "BatchNormalization", .since = 1, .least = 5, .most = 5};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        if (node.attributes.integer("training_mode", 0) != 0 ||
            node.attributes.integer("spatial", 1) == 0) {
            throw bad_input("only inference with statistics of each channel is understood");
        }
        require_of_channels(*in[0], in, 1, 5);
        return std::vector<Shape>{*in[0]};
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Lines along = lines_of(in[0]->shape, 1, 2);
        const double epsilon = node.attributes.real("epsilon", 1e-5);
        Reals out = *in[0];
        for (std::size_t at = 0; at < out.values.size(); ++at) {
            const std::size_t c =
                at / static_cast<std::size_t>(along.inner) % static_cast<std::size_t>(along.length);
            out.values[at] = (out.values[at] - in[3]->values[c]) /
                                 std::sqrt(in[4]->values[c] + epsilon) * in[1]->values[c] +
                             in[2]->values[c];
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// Normalises each channel of each sample by the mean and variance of its own places.
NodeOperator instance_normalization()
{
    NodeOperator row{.name = "InstanceNormalization", .since = 1, .least = 3, .most = 3};
    row.infer = [](const Node&, const NodeOperator::Shapes& in) {
        require_of_channels(*in[0], in, 1, 3);
        return std::vector<Shape>{*in[0]};
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Lines along = lines_of(in[0]->shape, 2, in[0]->shape.size());
        Reals out = *in[0];
        for (std::int64_t o = 0; o < along.outer; ++o) {
            double* const line = out.values.data() + o * along.length;
            const auto each = [&](const auto& visit) {
                std::for_each(line, line + along.length, visit);
            };
            const Moments found = moments(each, static_cast<double>(along.length),
                                          node.attributes.real("epsilon", 1e-5));
            // A line is one channel of one sample, in the order N, C.
            const auto c = static_cast<std::size_t>(o % in[0]->shape[1]);
            each([&](double& x) {
                x = (x - found.mean) * found.inverse_deviation * in[1]->values[c] +
                    in[2]->values[c];
            });
        }
        return std::vector{std::move(out)};
    };
    return row;
}

} // namespace

std::vector<NodeOperator> axis_operators()
{
    const auto add = [](double a, double b) { return a + b; };
    const auto add_square = [](double a, double b) { return a + b * b; };
    const auto add_size = [](double a, double b) { return a + std::abs(b); };
    return {
        softmax("Softmax", false),
        softmax("LogSoftmax", true),
        layer_normalization(),
        batch_normalization(),
        instance_normalization(),
        reduction("ReduceMean", {0, add, [](double sum, double count) { return sum / count; }}),
        reduction("ReduceSum", {0, add}),
        reduction("ReduceMax", {-HUGE_VAL, [](double a, double b) { return std::max(a, b); }}),
        reduction("ReduceMin", {HUGE_VAL, [](double a, double b) { return std::min(a, b); }}),
        reduction("ReduceProd", {1, [](double a, double b) { return a * b; }}),
        reduction("ReduceL1", {0, add_size}),
        reduction("ReduceL2", {0, add_square, [](double sum, double) { return std::sqrt(sum); }}),
        reduction("ReduceSumSquare", {0, add_square}),
        reduction("ReduceLogSum", {0, add, [](double sum, double) { return std::log(sum); }}),
    };
}

} // namespace texelscope::networks
