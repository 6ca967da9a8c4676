#include "model/walks/arrival_order.hpp"

#include "base/averages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace texelscope::model {

int longest_runs(const std::vector<std::int32_t>& order)
{
    int width = 1;
    while (2 * width <= static_cast<int>(order.size())) {
        bool together = true;
        for (std::size_t first = 0; first + 2 * static_cast<std::size_t>(width) <= order.size();
             first += 2 * static_cast<std::size_t>(width)) {
            const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
            const auto [low, high] = std::minmax_element(begin, begin + 2 * width);
            together = together && *high - *low == 2 * width - 1;
        }
        if (!together) {
            break;
        }
        width *= 2;
    }
    return width;
}

int warps_together(const std::vector<std::int32_t>& order, std::size_t warp)
{
    std::vector<double> spans;
    for (std::size_t first = 0; first + warp <= order.size(); first += warp) {
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
        const auto [low, high] =
            std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(warp));
        spans.push_back(static_cast<double>(*high - *low + 1) / static_cast<double>(warp));
    }
    return spans.empty() ? 0 : static_cast<int>(std::lround(median(std::move(spans))));
}

} // namespace texelscope::model
