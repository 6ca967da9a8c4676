#include "networks/training/gradient_writer.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::networks {
namespace {

/// dy of a window goes to the first of its taps that holds the maximum, as in PyTorch. MaxPoolTap
/// finds it, TapScatter moves dy there.
std::vector<ValueId> of_windows(GradientWriter& w, const NodeToDerive& n, const Attributes& windows)
{
    const ValueId x = n.node.inputs[0];
    const ValueId tap = w.node("MaxPoolTap", {x, n.node.outputs[0]}, windows);
    Attributes where = windows;
    const Shape shape = w.shape(x);
    where.set("input_shape", std::vector<std::int64_t>(shape.begin() + 2, shape.end()));
    return {w.node("TapScatter", {n.gradients[0], tap}, std::move(where))};
}

std::vector<ValueId> of_max_pool(GradientWriter& w, const NodeToDerive& n)
{
    return of_windows(w, n, n.node.attributes);
}

/// The whole channel is one window.
std::vector<ValueId> of_global_max(GradientWriter& w, const NodeToDerive& n)
{
    const Shape x = w.shape(n.node.inputs[0]);
    Attributes whole;
    whole.set("kernel_shape", std::vector<std::int64_t>(x.begin() + 2, x.end()));
    return of_windows(w, n, whole);
}

/// Each place gets dy / count from every window that covers it: a transposed depthwise convolution
/// whose weights are ones.
std::vector<ValueId> of_average_pool(GradientWriter& w, const NodeToDerive& n)
{
    const Shape x = w.shape(n.node.inputs[0]);
    const std::vector<std::int64_t> kernel = n.node.attributes.integers("kernel_shape");
    const Window window = window_of(n.node.attributes, x, kernel);
    const bool with_padding = n.node.attributes.integer("count_include_pad", 0) != 0;
    std::vector<float> shares = window_shares(window, with_padding);
    const Shape of_shares =
        shares.size() == 1
            ? Shape{}
            : Shape(window.out.end() - static_cast<std::ptrdiff_t>(window.rank), window.out.end());
    const ValueId share =
        w.graph().add_constant(n.node.name + ".shares", of_shares, std::move(shares));
    Shape of_ones{x[1], 1};
    of_ones.insert(of_ones.end(), kernel.begin(), kernel.end());
    const auto count = static_cast<std::size_t>(element_count(of_ones));
    const ValueId ones =
        w.graph().add_constant(n.node.name + ".ones", of_ones, std::vector<float>(count, 1.0F));
    // With ceil_mode the last window may reach beyond the padding, which the pads must then cover.
    Window reached = window;
    for (std::size_t d = 3 - window.rank; d < 3; ++d) {
        const std::int64_t last = window.place(d, window.out[d] - 1, window.kernel[d] - 1);
        reached.after[d] = std::max<std::int64_t>(0, last + 1 - window.in[d]);
    }
    return {w.node("ConvTranspose", {w.node("Mul", {n.gradients[0], share}), ones},
                   transposed_attributes(reached, x[1]))};
}

std::vector<ValueId> of_global_average(GradientWriter& w, const NodeToDerive& n)
{
    const Shape x = w.shape(n.node.inputs[0]);
    const double places = static_cast<double>(element_count(x)) / static_cast<double>(x[0] * x[1]);
    Attributes to;
    to.set("shape", x);
    return {
        w.node("Expand", {w.node("Mul", {n.gradients[0], w.scalar(1 / places)})}, std::move(to))};
}

} // namespace

GradientRules pool_gradients()
{
    return {{"MaxPool", of_max_pool},
            {"GlobalMaxPool", of_global_max},
            {"AveragePool", of_average_pool},
            {"GlobalAveragePool", of_global_average}};
}

} // namespace texelscope::networks
