#include "tests/bench/device_rates.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace texelscope::bench {
using namespace devices;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Eight independent chains of float4 multiply-adds, so that latency is hidden in a work-item as
// well.
constexpr const char* flops_text = R"(
kernel void flops(global float4 *out, float a, float b)
{
    float4 s0 = get_global_id(0), s1 = s0 + 1, s2 = s0 + 2, s3 = s0 + 3, s4 = s0 + 4, s5 = s0 + 5, s6 = s0 + 6, s7 = s0 + 7;
    for (int i = 0; i < 1024; ++i) {
        s0 = fma(s0, a, b); s1 = fma(s1, a, b); s2 = fma(s2, a, b); s3 = fma(s3, a, b);
        s4 = fma(s4, a, b); s5 = fma(s5, a, b); s6 = fma(s6, a, b); s7 = fma(s7, a, b);
    }
    out[get_global_id(0)] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
}
)";
constexpr double flops_of_item = 1024.0 * 8 * 4 * 2;

// 64 x 64 texels: 64 KB, which caches hold; neighbours read neighbours.
constexpr const char* texels_text = R"(
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void texels(global float4 *out, read_only image2d_t image)
{
    const int x = get_local_id(0) % 8, y = get_local_id(0) / 8;
    float4 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < 64; ++i) {
        s0 += read_imagef(image, nearest, (int2)((x + i) & 63, y & 63));
        s1 += read_imagef(image, nearest, (int2)((x + i) & 63, (y + 8) & 63));
        s2 += read_imagef(image, nearest, (int2)((x + i) & 63, (y + 16) & 63));
        s3 += read_imagef(image, nearest, (int2)((x + i) & 63, (y + 24) & 63));
    }
    out[get_global_id(0)] = s0 + s1 + s2 + s3;
}
)";
constexpr double texels_of_item = 64.0 * 4;

cl::Kernel built(const cl::Context& context, const cl::Device& device, const char* text,
                 const char* name)
{
    const cl::Program program(context, std::string(text));
    program.build(device, "-cl-std=CL1.2");
    return {program, name};
}

} // namespace

double batch_seconds(cl::CommandQueue& queue, const std::function<void()>& enqueue, int samples,
                     std::vector<double>* raw)
{
    constexpr double batch = 0.02;
    enqueue(); // builds what is built at first use, and wakes the clocks
    queue.finish();
    int count = 1;
    while (true) {
        const auto start = Clock::now();
        for (int i = 0; i < count; ++i) {
            enqueue();
        }
        queue.finish();
        if (seconds_since(start) > batch || count > 4096) {
            break;
        }
        count *= 2;
    }
    std::vector<double> seconds;
    for (int sample = 0; sample < samples; ++sample) {
        const auto start = Clock::now();
        for (int i = 0; i < count; ++i) {
            enqueue();
        }
        queue.finish();
        seconds.push_back(seconds_since(start) / count);
    }
    if (raw != nullptr) {
        raw->insert(raw->end(), seconds.begin(), seconds.end());
    }
    std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
    return seconds[static_cast<std::size_t>(samples / 2)];
}

double event_seconds(const std::function<void(cl::Event&)>& enqueue, int samples)
{
    std::vector<double> seconds;
    for (int sample = 0; sample < samples; ++sample) {
        cl::Event event;
        enqueue(event);
        event.wait();
        const auto start = event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
        const auto end = event.getProfilingInfo<CL_PROFILING_COMMAND_END>();
        seconds.push_back(static_cast<double>(end - start) * 1e-9);
    }
    std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
    return seconds[static_cast<std::size_t>(samples / 2)];
}

DeviceRates measure_rates(const cl::Context& context, cl::CommandQueue& queue,
                          const cl::Device& device)
{
    const bool cpu = device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_CPU;
    const std::size_t items = cpu ? 1 << 12 : 1 << 20;
    const cl::Buffer out(context, CL_MEM_READ_WRITE, items * 16);
    cl::Kernel flops = built(context, device, flops_text, "flops");
    flops.setArg(0, out);
    flops.setArg(1, 0.999F);
    flops.setArg(2, 0.001F);
    const std::vector<float> ones(64 * 64 * 4, 1.0F);
    const cl::Image2D image(context, CL_MEM_READ_ONLY, cl::ImageFormat(CL_RGBA, CL_FLOAT), 64, 64);
    queue.enqueueWriteImage(image, CL_TRUE, {0, 0, 0}, {64, 64, 1}, 0, 0, ones.data());
    cl::Kernel texels = built(context, device, texels_text, "texels");
    texels.setArg(0, out);
    texels.setArg(1, image);
    const auto rate = [&](const cl::Kernel& kernel, double work_of_item) {
        const auto run = [&] { queue.enqueueNDRangeKernel(kernel, cl::NullRange, items, 256); };
        return work_of_item * static_cast<double>(items) / batch_seconds(queue, run);
    };
    const cl::Kernel nothing = built(context, device, "kernel void nothing() {}", "nothing");
    const double launch =
        batch_seconds(queue, [&] { queue.enqueueNDRangeKernel(nothing, cl::NullRange, 32, 32); });
    return {rate(flops, flops_of_item), rate(texels, texels_of_item), launch};
}

} // namespace texelscope::bench
