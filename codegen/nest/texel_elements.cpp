#include "codegen/nest/texel_elements.hpp"

#include <algorithm>
#include <iterator>

namespace texelscope::codegen {
namespace {

using Box = std::vector<Range>; ///< a range for each dimension, both ends included

bool holds(const Range& range, std::int64_t value)
{
    return range.min <= value && value <= range.max;
}

} // namespace

std::array<std::optional<ElementIndex>, 4> elements_of(const Operand& operand, Texel texel)
{
    std::array<std::optional<ElementIndex>, 4> found;
    Box whole;
    for (const std::int64_t extent : operand.tensor.shape) {
        whole.push_back({0, extent - 1});
    }
    std::vector<Box> left{std::move(whole)};
    while (!left.empty()) {
        Box box = std::move(left.back());
        left.pop_back();
        if (!holds(operand.x.bounds(box), texel.x) || !holds(operand.y.bounds(box), texel.y)) {
            continue;
        }
        const auto widest =
            std::max_element(box.begin(), box.end(), [](const Range& a, const Range& b) {
                return a.max - a.min < b.max - b.min;
            });
        if (widest == box.end() || widest->min == widest->max) {
            ElementIndex index;
            std::transform(box.begin(), box.end(), std::back_inserter(index),
                           [](const Range& d) { return d.min; });
            found[static_cast<std::size_t>(operand.component.evaluate(index))] = std::move(index);
            continue;
        }
        const Range range = *widest;
        const std::int64_t middle = range.min + (range.max - range.min) / 2;
        widest->max = middle;
        left.push_back(box);
        *widest = {middle + 1, range.max};
        left.push_back(std::move(box));
    }
    return found;
}

Texel texel_of(const Operand& operand, const ElementIndex& index)
{
    return {static_cast<std::int32_t>(operand.x.evaluate(index)),
            static_cast<std::int32_t>(operand.y.evaluate(index))};
}

} // namespace texelscope::codegen
