#include "base/averages.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace texelscope::base {

double median(std::vector<double> values)
{
    if (values.empty()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? *middle : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double geometric_mean(std::span<const double> values)
{
    if (values.empty()) {
        return 0;
    }
    double sum = 0;
    for (const double value : values) {
        sum += std::log(value);
    }
    return std::exp(sum / static_cast<double>(values.size()));
}

} // namespace texelscope::base
