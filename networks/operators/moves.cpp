#include "networks/operators/moves.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace texelscope::networks {

std::vector<std::size_t> permutation(const Node& node, std::size_t rank)
{
    std::vector<std::size_t> order;
    for (const std::int64_t axis : node.attributes.integers("perm")) {
        order.push_back(axis_in(axis, rank));
    }
    // By default the dimensions in reverse order.
    for (std::size_t d = rank; !node.attributes.has("perm") && d-- > 0;) {
        order.push_back(d);
    }
    // A permutation has every dimension once.
    std::vector<std::size_t> sorted = order;
    std::ranges::sort(sorted);
    if (order.size() != rank || std::ranges::adjacent_find(sorted) != sorted.end()) {
        throw bad_input(fmt::format("perm is not an order of {} dimensions", rank));
    }
    return order;
}

Slices slices_of(const Node& node, const Shape& input)
{
    Slices slices{Shape(input.size(), 0), Shape(input.size(), 1), input};
    const std::vector<std::int64_t> starts = node.attributes.integers("starts");
    const std::vector<std::int64_t> ends = node.attributes.integers("ends");
    std::vector<std::int64_t> axes = node.attributes.integers("axes");
    std::vector<std::int64_t> steps = node.attributes.integers("steps");
    // Without axes, the starts belong to the first dimensions.
    for (std::int64_t d = static_cast<std::int64_t>(axes.size());
         axes.size() < starts.size() && !node.attributes.has("axes"); ++d) {
        axes.push_back(d);
    }
    steps.resize(std::max(steps.size(), starts.size()), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() ||
        steps.size() != starts.size()) {
        throw bad_input("starts, ends, axes and steps are not as many");
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const std::size_t d = axis_in(axes[i], input.size());
        const std::int64_t extent = input[d];
        const std::int64_t step = steps[i];
        // The smallest integer has no positive counterpart, and `stride` below would overflow.
        if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) {
            throw bad_input("a step is 0 or too large");
        }
        // Places count from the end where they are negative, and are cut to those that there are. A
        // slice that goes backwards begins at one, and may end before the first, which is -1.
        const auto place = [&](std::int64_t at, std::int64_t lowest) {
            at = at < 0 ? std::max(at, -extent - 1) + extent : std::min(at, extent);
            return step > 0 ? std::clamp<std::int64_t>(at, 0, extent)
                            : std::clamp(at, std::min(lowest, extent - 1), extent - 1);
        };
        const std::int64_t first = place(starts[i], 0);
        const std::int64_t last = place(ends[i], -1);
        const std::int64_t room = step > 0 ? last - first : first - last;
        const std::int64_t stride = step > 0 ? step : -step;
        slices.starts[d] = first;
        slices.steps[d] = step;
        slices.shape[d] = room <= 0 ? 0 : (room - 1) / stride + 1;
    }
    return slices;
}

std::pair<Shape, Shape> pads_of(const Node& node, const Shape& input)
{
    const std::vector<std::int64_t> pads = node.attributes.integers("pads");
    std::vector<std::int64_t> axes = node.attributes.integers("axes");
    for (std::size_t d = 0; !node.attributes.has("axes") && d < input.size(); ++d) {
        axes.push_back(static_cast<std::int64_t>(d));
    }
    if (pads.size() != 2 * axes.size()) {
        throw bad_input(
            fmt::format("pads has {} numbers for {} dimensions", pads.size(), axes.size()));
    }
    Shape before(input.size(), 0);
    Shape after(input.size(), 0);
    // Far beyond any tensor, so that the sums below cannot overflow.
    constexpr std::int64_t most = std::int64_t{1} << 31;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t d = axis_in(axes[i], input.size());
        before[d] = pads[i];
        after[d] = pads[i + axes.size()];
        if (std::max({before[d], after[d], -before[d], -after[d]}) > most ||
            input[d] + before[d] + after[d] < 0) {
            throw bad_input("pads take away more than there is, or add too much");
        }
    }
    return {before, after};
}

double padding_value(const Node& node)
{
    // Older versions of ONNX have it as the attribute `value`, newer ones as the input
    // constant_value.
    return node.attributes.real(node.attributes.has("value") ? "value" : "constant_value", 0);
}

std::int64_t depth_blocks(const Node& node, const Shape& input)
{
    const std::int64_t blocks = node.attributes.integer("blocksize", 0);
    const std::string mode = node.attributes.word("mode", "DCR");
    if (input.size() != 4 || blocks < 1 || blocks > 1024 || input[1] % (blocks * blocks) != 0 ||
        (mode != "DCR" && mode != "CRD")) {
        throw bad_input(fmt::format("{} does not have blocks of {}", to_string(input), blocks));
    }
    return blocks;
}

} // namespace texelscope::networks
