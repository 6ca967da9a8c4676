#include "networks/training/gradient_writer.hpp"

#include <numeric>
#include <utility>

namespace texelscope::networks {
namespace {

/// db = sum of dy over all dimensions but the channels.
ValueId of_bias(GradientWriter& w, const NodeToDerive& n)
{
    std::vector<std::int64_t> axes{0};
    for (std::size_t d = 2; d < w.shape(n.gradients[0]).size(); ++d) {
        axes.push_back(static_cast<std::int64_t>(d));
    }
    return w.reshaped(w.summed(n.gradients[0], axes), w.shape(n.node.inputs[2]));
}

/// dx is the transposed convolution of dy with the same weights.
std::vector<ValueId> of_conv(GradientWriter& w, const NodeToDerive& n)
{
    const Shape x = w.shape(n.node.inputs[0]), weights = w.shape(n.node.inputs[1]);
    const std::vector<std::int64_t> kernel(weights.begin() + 2, weights.end());
    const Window window = window_of(n.node.attributes, x, kernel);
    const std::int64_t group = n.node.attributes.integer("group", 1);
    std::vector<ValueId> all(3, no_value);
    if (n.wants(0)) {
        all[0] = w.node("ConvTranspose", {n.gradients[0], n.node.inputs[1]},
                        transposed_attributes(window, group));
    }
    if (n.wants(1)) {
        all[1] = w.node("ConvWeightGradient", {n.node.inputs[0], n.gradients[0]},
                        window_attributes(window, group));
    }
    if (n.wants(2)) {
        all[2] = of_bias(w, n);
    }
    return all;
}

/// A transposed convolution is the transpose of a convolution from its output to its input. So dx
/// is that convolution of dy, and dW is its weight gradient with input and gradient exchanged.
std::vector<ValueId> of_conv_transpose(GradientWriter& w, const NodeToDerive& n)
{
    const Shape weights = w.shape(n.node.inputs[1]);
    const std::vector<std::int64_t> kernel(weights.begin() + 2, weights.end());
    const Window window =
        transposed_window_of(n.node.attributes, w.shape(n.node.inputs[0]), kernel);
    const Attributes around = window_attributes(window, n.node.attributes.integer("group", 1));
    std::vector<ValueId> all(3, no_value);
    if (n.wants(0)) {
        all[0] = w.node("Conv", {n.gradients[0], n.node.inputs[1]}, around);
    }
    if (n.wants(1)) {
        all[1] = w.node("ConvWeightGradient", {n.gradients[0], n.node.inputs[0]}, around);
    }
    if (n.wants(2)) {
        all[2] = of_bias(w, n);
    }
    return all;
}

/// alpha A' B', where A' is A or its transpose, and B' likewise.
ValueId gemm(GradientWriter& w, ValueId a, ValueId b, bool transposed_a, bool transposed_b,
             double alpha = 1)
{
    Attributes how;
    how.set("transA", std::int64_t{transposed_a});
    how.set("transB", std::int64_t{transposed_b});
    how.set("alpha", alpha);
    return w.node("Gemm", {a, b}, std::move(how));
}

/// Y = alpha A B + beta C: dA = alpha dY B', dB = alpha A' dY, each transposed where the input is.
std::vector<ValueId> of_gemm(GradientWriter& w, const NodeToDerive& n)
{
    const Attributes& how = n.node.attributes;
    const bool ta = how.integer("transA", 0) != 0, tb = how.integer("transB", 0) != 0;
    const double alpha = how.real("alpha", 1), beta = how.real("beta", 1);
    const ValueId a = n.node.inputs[0], b = n.node.inputs[1], dy = n.gradients[0];
    std::vector<ValueId> all(3, no_value);
    if (n.wants(0)) {
        all[0] = ta ? gemm(w, b, dy, tb, true, alpha) : gemm(w, dy, b, false, !tb, alpha);
    }
    if (n.wants(1)) {
        all[1] = tb ? gemm(w, dy, a, true, ta, alpha) : gemm(w, a, dy, !ta, false, alpha);
    }
    if (n.wants(2) && beta != 0) {
        const ValueId scaled = beta == 1 ? dy : w.node("Mul", {dy, w.scalar(beta)});
        all[2] = w.reduced_to(scaled, w.shape(n.node.inputs[2]));
    }
    return all;
}

/// With the last two dimensions exchanged: every matrix of a stack transposed.
ValueId flipped(GradientWriter& w, ValueId value)
{
    std::vector<std::int64_t> order(w.shape(value).size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return w.transposed(value, std::move(order));
}

/// All rows of a stack of matrices as one matrix.
ValueId rows_of(GradientWriter& w, ValueId value)
{
    const Shape shape = w.shape(value);
    return w.reshaped(value, {element_count(shape) / shape.back(), shape.back()});
}

/// dA = dY B', dB = A' dY. Where B is a single matrix, all rows of the stack A are multiplied at
/// once, which also sums dB over the stack.
std::vector<ValueId> of_matmul(GradientWriter& w, const NodeToDerive& n)
{
    const Shape a = w.shape(n.node.inputs[0]), b = w.shape(n.node.inputs[1]);
    // A vector is a matrix of one row, or of one column.
    const Shape rows = a.size() == 1 ? Shape{1, a[0]} : a;
    const Shape columns = b.size() == 1 ? Shape{b[0], 1} : b;
    Shape made = w.shape(n.gradients[0]);
    if (b.size() == 1) {
        made.push_back(1);
    }
    if (a.size() == 1) {
        made.insert(made.end() - 1, 1);
    }
    const ValueId left = w.reshaped(n.node.inputs[0], rows),
                  right = w.reshaped(n.node.inputs[1], columns);
    const ValueId dy = w.reshaped(n.gradients[0], made);
    std::vector<ValueId> all(2, no_value);
    if (columns.size() == 2) {
        if (n.wants(0)) {
            all[0] = w.reshaped(gemm(w, rows_of(w, dy), right, false, true), a);
        }
        if (n.wants(1)) {
            all[1] = w.reshaped(gemm(w, rows_of(w, left), rows_of(w, dy), true, false), b);
        }
        return all;
    }
    if (n.wants(0)) {
        all[0] = w.reshaped(w.reduced_to(w.node("MatMul", {dy, flipped(w, right)}), rows), a);
    }
    if (n.wants(1)) {
        all[1] = w.reshaped(w.reduced_to(w.node("MatMul", {flipped(w, left), dy}), columns), b);
    }
    return all;
}

} // namespace

Attributes window_attributes(const Window& window, std::int64_t group)
{
    std::vector<std::int64_t> kernel, strides, dilations, before, after;
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        kernel.push_back(window.kernel[d]);
        strides.push_back(window.stride[d]);
        dilations.push_back(window.dilation[d]);
        before.push_back(window.before[d]);
        after.push_back(window.after[d]);
    }
    before.insert(before.end(), after.begin(), after.end());
    Attributes all;
    all.set("kernel_shape", std::move(kernel));
    all.set("strides", std::move(strides));
    all.set("dilations", std::move(dilations));
    all.set("pads", std::move(before));
    all.set("group", group);
    return all;
}

Attributes transposed_attributes(const Window& window, std::int64_t group)
{
    std::vector<std::int64_t> rest;
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        // The pads of a convolution do not say how many places lie behind its last window; a
        // transposed convolution needs to know, as output_padding.
        const std::int64_t last = window.place(d, window.out[d] - 1, window.kernel[d] - 1);
        rest.push_back(window.in[d] + window.after[d] - last - 1);
    }
    Attributes all = window_attributes(window, group);
    all.set("output_padding", std::move(rest));
    return all;
}

GradientRules contraction_gradients()
{
    return {{"Conv", of_conv},
            {"ConvTranspose", of_conv_transpose},
            {"Gemm", of_gemm},
            {"MatMul", of_matmul}};
}

} // namespace texelscope::networks
