#include "base/averages.hpp"
#include "devices/kernels/opencl_device.hpp"

#include <algorithm>

namespace texelscope::devices {

double Measurement::median_ns() const
{
    return samples_ns.empty() ? 0 : median(samples_ns);
}

double Measurement::min_ns() const
{
    return samples_ns.empty() ? 0 : *std::min_element(samples_ns.begin(), samples_ns.end());
}

} // namespace texelscope::devices
