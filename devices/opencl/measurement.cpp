#include "base/median.hpp"
#include "devices/opencl/opencl_device.hpp"

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

std::string to_string(Measurement::Status status)
{
    switch (status) {
    case Measurement::Status::ok:
        return "ok";
    case Measurement::Status::unsupported:
        return "unsupported";
    case Measurement::Status::failed:
        return "failed";
    case Measurement::Status::timed_out:
        break;
    }
    return "timed-out";
}

} // namespace texelscope::devices
