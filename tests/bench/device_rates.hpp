#pragma once

#include "devices/opencl/opencl_api.hpp"

#include <functional>

namespace texelscope::bench {
using namespace devices;

/// Seconds of one of the commands that `enqueue` puts into the queue: medians of `samples` batches,
/// each long enough (20 ms) for the launches to hide each other's overhead. All batches, in order,
/// go into `raw` where it is given.
[[nodiscard]] double batch_seconds(cl::CommandQueue& queue, const std::function<void()>& enqueue,
                                   int samples = 7, std::vector<double>* raw = nullptr);

/// Seconds that one launch takes on the device by its own clock, without what lies between
/// launches: the median of `samples` launches, which `enqueue` puts into a queue that profiles.
[[nodiscard]] double event_seconds(const std::function<void(cl::Event&)>& enqueue,
                                   int samples = 21);

/// What the roofline is made of, measured here and now.
struct DeviceRates {
    double flops = 0;  ///< float32 multiply-adds from registers, two each, a second
    double texels = 0; ///< RGBA float texels of a small image read, a second
    double launch = 0; ///< seconds from launch to launch of a kernel that does nothing
};
[[nodiscard]] DeviceRates measure_rates(const cl::Context& context, cl::CommandQueue& queue,
                                        const cl::Device& device);

} // namespace texelscope::bench
