#include "base/error.hpp"
#include "networks/operators/families.hpp"
#include "networks/operators/window.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace texelscope::networks {
namespace {

/// The number of one window of one channel. `plane`: the values of the channel; `places`: the
/// places in it that the window covers; `padded`: what a mean divides by, which is more than there
/// are places where padding counts.
using Pool = double (*)(const double* plane, const std::vector<std::int64_t>& places,
                        std::int64_t padded);

double largest_of(const double* plane, const std::vector<std::int64_t>& places, std::int64_t)
{
    double most = -std::numeric_limits<double>::infinity();
    for (const std::int64_t place : places) {
        most = std::max(most, plane[place]);
    }
    return most;
}

double mean(const double* plane, const std::vector<std::int64_t>& places, std::int64_t count)
{
    double sum = 0;
    for (const std::int64_t place : places) {
        sum += plane[place];
    }
    return sum / static_cast<double>(count);
}

/// Throws bad_input without kernel_shape. The indices of the maxima, MaxPool's second output, are
/// refused.
Window pool_window(const Node& node, const Shape& input)
{
    const std::vector<std::int64_t> kernel = node.attributes.integers("kernel_shape");
    if (kernel.empty()) {
        throw bad_input("kernel_shape is missing");
    }
    if (node.outputs.size() > 1) {
        throw bad_input("its indices (output 2) are not computed");
    }
    return window_of(node.attributes, input, kernel);
}

/// Taps of a window in a dimension that count for count_include_pad: those in the input and in the
/// padding that was asked for. Taps behind that are there only because ceil_mode rounded the number
/// of windows up, and do not count.
std::int64_t padded_taps(const Window& window, std::size_t d, std::int64_t output)
{
    std::int64_t taps = 0;
    for (std::int64_t tap = 0; tap < window.kernel[d]; ++tap) {
        taps += window.place(d, output, tap) < window.in[d] + window.after[d] ? 1 : 0;
    }
    return taps;
}

NodeOperator pool(std::string name, Pool function)
{
    NodeOperator row{.name = std::move(name), .since = 1};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const Window window = pool_window(node, *in[0]);
        return std::vector<Shape>{window.shape((*in[0])[0], (*in[0])[1], window.out)};
    };
    row.reference = [function](const Node& node, const NodeOperator::Operands& in) {
        const Window window = pool_window(node, in[0]->shape);
        const bool with_padding = node.attributes.integer("count_include_pad", 0) != 0;
        const std::int64_t planes = in[0]->shape[0] * in[0]->shape[1];
        const std::int64_t size = window.in[0] * window.in[1] * window.in[2];
        Reals out{window.shape(in[0]->shape[0], in[0]->shape[1], window.out), {}};
        std::vector<std::int64_t> places;
        for (std::int64_t plane = 0; plane < planes; ++plane) {
            const double* const values = in[0]->values.data() + plane * size;
            for (std::int64_t z = 0; z < window.out[0]; ++z) {
                for (std::int64_t y = 0; y < window.out[1]; ++y) {
                    for (std::int64_t x = 0; x < window.out[2]; ++x) {
                        // Places of the window that lie in the input; padding is never read.
                        places.clear();
                        for (std::int64_t a = 0; a < window.kernel[0]; ++a) {
                            for (std::int64_t b = 0; b < window.kernel[1]; ++b) {
                                for (std::int64_t c = 0; c < window.kernel[2]; ++c) {
                                    const std::int64_t i = window.place(0, z, a);
                                    const std::int64_t j = window.place(1, y, b);
                                    const std::int64_t k = window.place(2, x, c);
                                    if (i >= 0 && i < window.in[0] && j >= 0 && j < window.in[1] &&
                                        k >= 0 && k < window.in[2]) {
                                        places.push_back((i * window.in[1] + j) * window.in[2] + k);
                                    }
                                }
                            }
                        }
                        const std::int64_t all = padded_taps(window, 0, z) *
                                                 padded_taps(window, 1, y) *
                                                 padded_taps(window, 2, x);
                        out.values.push_back(function(
                            values, places,
                            with_padding ? all : static_cast<std::int64_t>(places.size())));
                    }
                }
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// The whole of each channel is one window.
NodeOperator global_pool(std::string name, Pool function)
{
    NodeOperator row{.name = std::move(name), .since = 1};
    row.infer = [](const Node&, const NodeOperator::Shapes& in) {
        if (in[0]->size() < 2) {
            throw bad_input("the input has no channels");
        }
        Shape shape(in[0]->size(), 1);
        std::copy_n(in[0]->begin(), 2, shape.begin());
        return std::vector<Shape>{shape};
    };
    row.reference = [function](const Node&, const NodeOperator::Operands& in) {
        Reals out{Shape(in[0]->shape.size(), 1), {}};
        std::copy_n(in[0]->shape.begin(), 2, out.shape.begin());
        const std::int64_t planes = out.shape[0] * out.shape[1];
        const std::int64_t size = planes == 0 ? 0 : element_count(in[0]->shape) / planes;
        std::vector<std::int64_t> places(static_cast<std::size_t>(size));
        for (std::int64_t i = 0; i < size; ++i) {
            places[static_cast<std::size_t>(i)] = i;
        }
        for (std::int64_t plane = 0; plane < planes; ++plane) {
            out.values.push_back(function(in[0]->values.data() + plane * size, places, size));
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// Each number over a power of what the squares of its neighbours in other channels sum up to:
/// x / (bias + alpha / size * sum)^beta.
NodeOperator local_response()
{
    NodeOperator row{.name = "LRN", .since = 1};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        if (in[0]->size() < 2) {
            throw bad_input("the input has no channels");
        }
        (void)lrn_channels(node);
        return std::vector<Shape>{*in[0]};
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const LrnChannels window = lrn_channels(node);
        const Shape& shape = in[0]->shape;
        const std::int64_t inner = row_major_strides(shape)[1];
        Reals out = *in[0];
        for (std::int64_t at = 0; at < std::ssize(out.values); ++at) {
            const std::int64_t channel = at / inner % shape[1];
            double sum = 0;
            for (std::int64_t c = std::max<std::int64_t>(channel - window.before, 0);
                 c < std::min(channel - window.before + window.size, shape[1]); ++c) {
                const double x =
                    in[0]->values[static_cast<std::size_t>(at + (c - channel) * inner)];
                sum += x * x;
            }
            out.values[static_cast<std::size_t>(at)] /= std::pow(
                window.bias + window.alpha / static_cast<double>(window.size) * sum, window.beta);
        }
        return std::vector{std::move(out)};
    };
    return row;
}

} // namespace

LrnChannels lrn_channels(const Node& node)
{
    constexpr std::int64_t most = 1 << 20;
    LrnChannels window{node.attributes.integer("size", 0), 0, node.attributes.real("alpha", 1e-4),
                       node.attributes.real("beta", 0.75), node.attributes.real("bias", 1)};
    if (window.size < 1 || window.size > most) {
        throw bad_input("its size is missing, or none");
    }
    window.before = (window.size - 1) / 2;
    return window;
}

std::vector<NodeOperator> pool_operators()
{
    return {pool("MaxPool", largest_of), pool("AveragePool", mean),
            global_pool("GlobalAveragePool", mean), global_pool("GlobalMaxPool", largest_of),
            local_response()};
}

} // namespace texelscope::networks
