#include "devices/opencl_device.hpp"

#include <algorithm>

namespace texelscope {

double Measurement::median_ns() const
{
    if (samples_ns.empty()) {
        return 0;
    }
    std::vector<double> sorted = samples_ns;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
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

} // namespace texelscope
