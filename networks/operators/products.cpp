#include "base/error.hpp"
#include "networks/operators/families.hpp"
#include "networks/operators/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace texelscope::networks {
// In this file: sums of products as ONNX defines them, computed by plain loops. Names: N is the
// batch, C the input channels, M the output channels.
namespace {

/// The spatial extents of the weights. kernel_shape may repeat them, and must then agree.
std::vector<std::int64_t> kernel_of(const Node& node, const Shape& weight)
{
    const std::vector<std::int64_t> kernel(weight.begin() + 2, weight.end());
    const std::vector<std::int64_t> said = node.attributes.integers("kernel_shape");
    if (!said.empty() && said != kernel) {
        throw bad_input("kernel_shape is not that of the weights");
    }
    return kernel;
}

void require(bool holds, const std::string& what)
{
    if (!holds) {
        throw bad_input(what);
    }
}

/// Groups split the channels: an output channel reads only the input channels of its own group.
std::int64_t groups_of(const Node& node, std::int64_t channels)
{
    const std::int64_t groups = node.attributes.integer("group", 1);
    require(groups >= 1 && channels % groups == 0,
            fmt::format("{} channels are not {} groups", channels, groups));
    return groups;
}

/// The window of a Conv. Inputs: X (N, C, ...), W (M, C / groups, ...), perhaps a bias (M).
Window conv_window(const Node& node, const NodeOperator::Shapes& in)
{
    const Shape& x = *in[0];
    const Shape& w = *in[1];
    require(w.size() == x.size() && w.size() >= 3,
            fmt::format("weights of {} do not go with an input of {}", to_string(w), to_string(x)));
    const std::int64_t groups = groups_of(node, x[1]);
    require(w[1] * groups == x[1] && w[0] % groups == 0,
            fmt::format("weights of {} do not go with an input of {} in {} groups", to_string(w),
                        to_string(x), groups));
    require(in[2] == nullptr || *in[2] == Shape{w[0]},
            "the bias is not one number for each output channel");
    return window_of(node.attributes, x, kernel_of(node, w));
}

/// The window of a ConvTranspose. Inputs: X (N, C, ...), W (C, M / groups, ...), perhaps a bias
/// (M).
Window transposed_window(const Node& node, const NodeOperator::Shapes& in)
{
    const Shape& x = *in[0];
    const Shape& w = *in[1];
    require(w.size() == x.size() && w.size() >= 3 && w[0] == x[1],
            fmt::format("weights of {} do not go with an input of {}", to_string(w), to_string(x)));
    const std::int64_t groups = groups_of(node, x[1]);
    require(in[2] == nullptr || *in[2] == Shape{w[1] * groups},
            "the bias is not one number for each output channel");
    return transposed_window_of(node.attributes, x, kernel_of(node, w));
}

NodeOperator::Shapes shapes_of(const NodeOperator::Operands& in)
{
    NodeOperator::Shapes shapes;
    for (const Reals* each : in) {
        shapes.push_back(each == nullptr ? nullptr : &each->shape);
    }
    return shapes;
}

/// Calls visit(place, tap) for each tap of an output's window that lies in the input: the number of
/// the place in its plane, and of the tap in the kernel. Padding is zero, and adds nothing.
template <class Visit>
void for_each_tap(const Window& window, const Window::Extents& output, const Visit& visit)
{
    std::int64_t tap = 0;
    for (std::int64_t a = 0; a < window.kernel[0]; ++a) {
        const std::int64_t z = window.place(0, output[0], a);
        for (std::int64_t b = 0; b < window.kernel[1]; ++b) {
            const std::int64_t y = window.place(1, output[1], b);
            for (std::int64_t c = 0; c < window.kernel[2]; ++c, ++tap) {
                const std::int64_t x = window.place(2, output[2], c);
                if (z >= 0 && z < window.in[0] && y >= 0 && y < window.in[1] && x >= 0 &&
                    x < window.in[2]) {
                    visit((z * window.in[1] + y) * window.in[2] + x, tap);
                }
            }
        }
    }
}

/// Calls visit(output, its number in the plane) for each output of a plane.
template <class Visit>
void for_each_output(const Window& window, const Visit& visit)
{
    std::int64_t number = 0;
    for (std::int64_t z = 0; z < window.out[0]; ++z) {
        for (std::int64_t y = 0; y < window.out[1]; ++y) {
            for (std::int64_t x = 0; x < window.out[2]; ++x, ++number) {
                visit(Window::Extents{z, y, x}, number);
            }
        }
    }
}

const double* at(const Reals& values, std::int64_t index)
{
    return values.values.data() + index;
}

double count(const Shape& shape)
{
    return static_cast<double>(element_count(shape));
}

/// Multiply-adds of a convolution: each element of `many`, which is the output, or the input of a
/// transposed convolution, meets all weights of its channel.
double products(const Shape& many, const Shape& weight)
{
    return count(many) * count(weight) / static_cast<double>(weight[0]);
}

NodeOperator conv()
{
    NodeOperator row{.name = "Conv", .since = 1, .least = 2, .most = 3};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const Window window = conv_window(node, in);
        return std::vector<Shape>{window.shape((*in[0])[0], (*in[1])[0], window.out)};
    };
    row.multiply_adds = [](const NodeOperator::Shapes& in, const Shape& out) {
        return products(out, *in[1]);
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Window window = conv_window(node, shapes_of(in));
        const std::int64_t channels = in[0]->shape[1];
        const std::int64_t outputs = in[1]->shape[0];
        const std::int64_t of_group = in[1]->shape[1];
        const std::int64_t per_group = outputs / groups_of(node, channels);
        Reals out{window.shape(in[0]->shape[0], outputs, window.out), {}};
        out.values.reserve(static_cast<std::size_t>(element_count(out.shape)));
        for (std::int64_t n = 0; n < in[0]->shape[0]; ++n) {
            // Output channel m reads of_group input channels, the first of which is that of its
            // group.
            for (std::int64_t m = 0; m < outputs; ++m) {
                const double* const first =
                    at(*in[0], (n * channels + m / per_group * of_group) * volume(window.in));
                const double* const weights = at(*in[1], m * of_group * volume(window.kernel));
                const double bias =
                    in[2] == nullptr ? 0 : in[2]->values[static_cast<std::size_t>(m)];
                for_each_output(window, [&](const Window::Extents& place, std::int64_t) {
                    double sum = bias;
                    for_each_tap(window, place, [&](std::int64_t from, std::int64_t tap) {
                        for (std::int64_t c = 0; c < of_group; ++c) {
                            sum += first[c * volume(window.in) + from] *
                                   weights[c * volume(window.kernel) + tap];
                        }
                    });
                    out.values.push_back(sum);
                });
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

NodeOperator conv_transpose()
{
    NodeOperator row{.name = "ConvTranspose", .since = 1, .least = 2, .most = 3};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const Window window = transposed_window(node, in);
        return std::vector<Shape>{window.shape(
            (*in[0])[0], (*in[1])[1] * node.attributes.integer("group", 1), window.in)};
    };
    row.multiply_adds = [](const NodeOperator::Shapes& in, const Shape&) {
        return products(*in[0], *in[1]);
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Window window = transposed_window(node, shapes_of(in));
        const std::int64_t channels = in[0]->shape[1];
        const std::int64_t of_group = in[1]->shape[1];
        const std::int64_t outputs = of_group * node.attributes.integer("group", 1);
        const std::int64_t per_group = channels / node.attributes.integer("group", 1);
        Reals out{window.shape(in[0]->shape[0], outputs, window.in), {}};
        out.values.resize(static_cast<std::size_t>(element_count(out.shape)));
        const std::int64_t plane = volume(window.in);
        // A transposed convolution scatters: each input is multiplied with the kernel, and added to
        // all outputs that its window covers. So the outputs begin as the bias.
        for (std::int64_t n = 0; n < in[0]->shape[0]; ++n) {
            for (std::int64_t m = 0; m < outputs && in[2] != nullptr; ++m) {
                std::fill_n(out.values.begin() + (n * outputs + m) * plane, plane,
                            in[2]->values[static_cast<std::size_t>(m)]);
            }
            for (std::int64_t c = 0; c < channels; ++c) {
                const double* const from = at(*in[0], (n * channels + c) * volume(window.out));
                const std::int64_t first = n * outputs + c / per_group * of_group;
                for_each_output(window, [&](const Window::Extents& place, std::int64_t number) {
                    for_each_tap(window, place, [&](std::int64_t to, std::int64_t tap) {
                        for (std::int64_t m = 0; m < of_group; ++m) {
                            out.values[static_cast<std::size_t>((first + m) * plane + to)] +=
                                from[number] *
                                *at(*in[1], (c * of_group + m) * volume(window.kernel) + tap);
                        }
                    });
                });
            }
        }
        return std::vector{std::move(out)};
    };
    return row;
}

/// A' B', where A' is A or its transpose, and B' likewise: rows x inner times inner x columns.
struct Product {
    std::int64_t rows = 0, columns = 0, inner = 0;
    bool transposed_a = false, transposed_b = false;

    /// out += alpha A' B'; all three are row-major.
    void add(const double* a, const double* b, double alpha, double* out) const
    {
        for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t k = 0; k < inner; ++k) {
                const double scaled = alpha * a[transposed_a ? k * rows + i : i * inner + k];
                for (std::int64_t j = 0; j < columns; ++j) {
                    out[i * columns + j] +=
                        scaled * b[transposed_b ? j * inner + k : k * columns + j];
                }
            }
        }
    }
};

/// Gemm: alpha A' B' + beta C. Throws bad_input unless A and B are matrices that multiply, and C
/// broadcasts to the product.
Product gemm_product(const Node& node, const NodeOperator::Shapes& in)
{
    const Shape& a = *in[0];
    const Shape& b = *in[1];
    require(a.size() == 2 && b.size() == 2,
            fmt::format("{} and {} are not two matrices", to_string(a), to_string(b)));
    Product product;
    product.transposed_a = node.attributes.integer("transA", 0) != 0;
    product.transposed_b = node.attributes.integer("transB", 0) != 0;
    product.rows = a[product.transposed_a ? 1 : 0];
    product.inner = a[product.transposed_a ? 0 : 1];
    product.columns = b[product.transposed_b ? 0 : 1];
    require(product.inner == b[product.transposed_b ? 1 : 0],
            fmt::format("matrices of {} and {} do not multiply", to_string(a), to_string(b)));
    if (in[2] != nullptr) {
        require(broadcast_shape(*in[2], {product.rows, product.columns}) ==
                    Shape{product.rows, product.columns},
                fmt::format("C of {} does not broadcast to {}x{}", to_string(*in[2]), product.rows,
                            product.columns));
    }
    return product;
}

NodeOperator gemm()
{
    NodeOperator row{.name = "Gemm", .since = 1, .least = 2, .most = 3};
    row.infer = [](const Node& node, const NodeOperator::Shapes& in) {
        const Product product = gemm_product(node, in);
        return std::vector<Shape>{Shape{product.rows, product.columns}};
    };
    row.multiply_adds = [](const NodeOperator::Shapes& in, const Shape& out) {
        return count(out) * count(*in[0]) / static_cast<double>(out[0]);
    };
    row.reference = [](const Node& node, const NodeOperator::Operands& in) {
        const Product product = gemm_product(node, shapes_of(in));
        Reals out{{product.rows, product.columns}, {}};
        out.values.resize(static_cast<std::size_t>(product.rows * product.columns));
        if (in[2] != nullptr) {
            const Shape& c = in[2]->shape;
            // C may be a matrix, a row, a column or a scalar; an extent of 1 is read again.
            const bool across = !c.empty() && c.back() != 1;
            const bool down = c.size() == 2 && c[0] != 1;
            const std::int64_t width = c.empty() ? 1 : c.back();
            for (std::int64_t i = 0; i < product.rows; ++i) {
                for (std::int64_t j = 0; j < product.columns; ++j) {
                    out.values[static_cast<std::size_t>(i * product.columns + j)] =
                        node.attributes.real("beta", 1) *
                        *at(*in[2], (down ? i * width : 0) + (across ? j : 0));
                }
            }
        }
        product.add(at(*in[0], 0), at(*in[1], 0), node.attributes.real("alpha", 1),
                    out.values.data());
        return std::vector{std::move(out)};
    };
    return row;
}

/// A product of stacks of matrices, as NumPy's matmul has it. A vector on the left is one row, on
/// the right one column, and this dimension is left out of the result.
struct BatchedProduct {
    Product product;
    Shape batch; ///< that both stacks broadcast to
    Shape batch_a, batch_b;
    Shape out;
};

BatchedProduct matmul_product(const NodeOperator::Shapes& in)
{
    Shape a = *in[0];
    Shape b = *in[1];
    require(!a.empty() && !b.empty(), "a scalar is no matrix");
    const bool row = a.size() == 1;
    const bool column = b.size() == 1;
    if (row) {
        a.insert(a.begin(), 1);
    }
    if (column) {
        b.push_back(1);
    }
    BatchedProduct found;
    found.product = {a[a.size() - 2], b.back(), a.back()};
    require(a.back() == b[b.size() - 2],
            fmt::format("{} and {} do not multiply", to_string(*in[0]), to_string(*in[1])));
    found.batch_a.assign(a.begin(), a.end() - 2);
    found.batch_b.assign(b.begin(), b.end() - 2);
    found.batch = found.out = broadcast_shape(found.batch_a, found.batch_b);
    if (!row) {
        found.out.push_back(found.product.rows);
    }
    if (!column) {
        found.out.push_back(found.product.columns);
    }
    return found;
}

/// Number, in its own stack, of the matrix that stands for matrix `number` of the broadcast batch.
std::int64_t matrix_of(std::int64_t number, const Shape& batch, const Shape& own)
{
    std::int64_t from = 0;
    std::int64_t stride = 1;
    // From the last dimension on, as shapes are aligned there.
    for (std::size_t d = 0; d < own.size(); ++d) {
        const std::int64_t index = number % batch[batch.size() - 1 - d];
        number /= batch[batch.size() - 1 - d];
        const std::int64_t extent = own[own.size() - 1 - d];
        from += extent == 1 ? 0 : index * stride;
        stride *= extent;
    }
    return from;
}

NodeOperator matmul()
{
    NodeOperator row{.name = "MatMul", .since = 1, .least = 2, .most = 2};
    row.infer = [](const Node&, const NodeOperator::Shapes& in) {
        return std::vector<Shape>{matmul_product(in).out};
    };
    row.multiply_adds = [](const NodeOperator::Shapes& in, const Shape& out) {
        return count(out) * static_cast<double>(in[0]->back());
    };
    row.reference = [](const Node&, const NodeOperator::Operands& in) {
        const BatchedProduct found = matmul_product(shapes_of(in));
        const Product& product = found.product;
        Reals out{found.out, {}};
        out.values.resize(static_cast<std::size_t>(element_count(out.shape)));
        for (std::int64_t n = 0; n < element_count(found.batch); ++n) {
            product.add(
                at(*in[0], matrix_of(n, found.batch, found.batch_a) * product.rows * product.inner),
                at(*in[1],
                   matrix_of(n, found.batch, found.batch_b) * product.inner * product.columns),
                1, out.values.data() + n * product.rows * product.columns);
        }
        return std::vector{std::move(out)};
    };
    return row;
}

} // namespace

std::vector<NodeOperator> contraction_operators()
{
    return {conv(), conv_transpose(), gemm(), matmul()};
}

} // namespace texelscope::networks
