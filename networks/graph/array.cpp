#include "networks/graph/array.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace texelscope::networks {

std::int64_t element_count(const Shape& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Shape& shape)
{
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

Shape row_major_strides(const Shape& shape)
{
    Shape strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;) {
        strides[d - 1] = strides[d] * shape[d];
    }
    return strides;
}

std::size_t axis_in(std::int64_t axis, std::size_t rank)
{
    const auto dimensions = static_cast<std::int64_t>(rank);
    if (axis < -dimensions || axis >= dimensions) {
        throw bad_input(fmt::format("axis {} is not one of {} dimensions", axis, rank));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + dimensions : axis);
}

Shape broadcast_shape(const Shape& a, const Shape& b)
{
    Shape shape = a.size() >= b.size() ? a : b;
    // Shapes are aligned at their last dimensions; an extent of 1 stretches to the other's.
    const Shape& other = a.size() >= b.size() ? b : a;
    for (std::size_t d = 0; d < other.size(); ++d) {
        std::int64_t& extent = shape[shape.size() - other.size() + d];
        if (extent != other[d] && extent != 1 && other[d] != 1) {
            throw bad_input(fmt::format("{} and {} do not broadcast", to_string(a), to_string(b)));
        }
        extent = extent == 1 ? other[d] : extent;
    }
    return shape;
}

} // namespace texelscope::networks
