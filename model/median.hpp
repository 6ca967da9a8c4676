#pragma once

#include <vector>

namespace texelscope {

/// The middle value, the mean of the two middle ones of an even number; NaN of nothing.
[[nodiscard]] double median(std::vector<double> values);

} // namespace texelscope
