#include "base/geometric_mean.hpp"

#include <cmath>

namespace texelscope::base {

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
