#include "devices/opencl/opencl_device.hpp"

#include "base/error.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "devices/opencl/opencl_limits.hpp"
#include "devices/opencl/opencl_runtime.hpp"
#include "devices/opencl/tensor_memory.hpp"
#include "devices/opencl/texel_self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <thread>
#include <utility>

namespace texelscope::devices {
namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

/// A launch that came to an end other than its own; OpenClDevice::Impl::execute makes it the result.
struct LaunchEnded {
    Measurement::Status status;
    std::string reason;
    std::string build_log = {};
};

/// A run, and what TexelBackend::record wrote: 4 ints for each read.
struct Execution {
    Measurement measurement;
    std::vector<cl_int> reads;
};

struct LaunchResult {
    std::vector<double> samples_ns;
    std::vector<float> output;
    std::vector<cl_int> reads;
};

std::size_t items_of(const LoopNest& nest)
{
    std::size_t items = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        items *= static_cast<std::size_t>(nest.local[i]) * static_cast<std::size_t>(nest.groups[i]);
    }
    return items;
}

void check_inputs(const LoopNest& nest, const std::vector<std::vector<float>>& inputs)
{
    if (inputs.size() != nest.inputs.size()) {
        throw bad_input(fmt::format("{} inputs were given for {}", inputs.size(), nest.inputs.size()), nest.name,
                        "give one for each input image");
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Image& image = nest.inputs[i].image;
        if (std::ssize(inputs[i]) != image.extent.area() * 4) {
            throw bad_input(fmt::format("input {} has {} floats", image.name, inputs[i].size()), nest.name,
                            fmt::format("its image takes {}", image.extent.area() * 4));
        }
    }
}

/// Waits with naps, so that a device that is a CPU keeps its cores; the time comes from the event, not from here.
void wait_for(const cl::Event& event, double timeout_seconds)
{
    constexpr std::chrono::microseconds longest_nap(500);
    const auto start = Clock::now();
    std::chrono::microseconds nap(20);
    while (true) {
        const cl_int status = event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
        if (status == CL_COMPLETE) {
            return;
        }
        if (status < 0) {
            throw cl::Error(status, "execution of the kernel");
        }
        if (Seconds(Clock::now() - start).count() > timeout_seconds) {
            throw LaunchEnded{Measurement::Status::timed_out,
                              fmt::format("one launch took longer than {} s", timeout_seconds)};
        }
        std::this_thread::sleep_for(nap);
        nap = std::min(nap * 2, longest_nap);
    }
}

} // namespace

class OpenClDevice::Impl {
public:
    explicit Impl(OpenedDevice opened) : opened_(std::move(opened))
    {
        // The read through PoCL's image descriptor relies on how its CPU devices keep images: only there, and only
        // after it has been seen to work.
        if (opened_.info.is_pocl() && opened_.info.cpu && opened_.info.images) {
            const RunWith run_with = [&](const auto& nest, const auto& inputs, TexelBackend backend) {
                return execute(nest, inputs, backend, {.warm_up = 0, .samples = 1}).measurement;
            };
            if (reads_agree(run_with, TexelBackend::pocl_descriptor)) {
                best_ = TexelBackend::pocl_descriptor;
            }
        }
    }

    ~Impl() { finish_quietly(opened_.queue); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    [[nodiscard]] const OpenClDeviceInfo& info() const { return opened_.info; }
    [[nodiscard]] TexelBackend best_backend() const { return best_; }
    [[nodiscard]] std::size_t largest_allocation() const
    {
        return static_cast<std::size_t>(opened_.device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
    }

    /// `record_ints`: size of the record that the kernel of TexelBackend::record fills.
    [[nodiscard]] Execution execute(const LoopNest& nest, const std::vector<std::vector<float>>& inputs,
                                    TexelBackend backend, const RunOptions& options, std::size_t record_ints = 0) const
    {
        check_inputs(nest, inputs);
        Execution execution;
        Measurement& result = execution.measurement;
        result.backend = backend;
        try {
            if (timed_out_() != nullptr && timed_out_.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE) {
                throw LaunchEnded{Measurement::Status::failed, "an earlier launch that took too long still runs"};
            }
            if (auto reason = beyond_limits(opened_.info, nest)) {
                throw LaunchEnded{Measurement::Status::unsupported, *reason};
            }
            const cl::Program program = build(opencl_text(nest, backend), options.optimise);
            result.build_log = build_log_of(program, opened_.device);
            const cl::Kernel kernel(program, nest.name.c_str());
            result.footprint = footprint_of(kernel, result.build_log);
            check_kernel(kernel, nest);
            LaunchResult launched = launch(nest, inputs, kernel, backend, options, record_ints);
            result.samples_ns = std::move(launched.samples_ns);
            result.output = std::move(launched.output);
            execution.reads = std::move(launched.reads);
        } catch (const cl::Error& error) {
            result.status = is_limit(error.err()) ? Measurement::Status::unsupported : Measurement::Status::failed;
            result.reason = describe(error);
        } catch (LaunchEnded& ended) {
            result.status = ended.status;
            result.reason = std::move(ended.reason);
            if (!ended.build_log.empty()) {
                result.build_log = std::move(ended.build_log);
            }
        }
        return execution;
    }

private:
    [[nodiscard]] cl::Program build(const std::string& text, bool optimise) const
    {
        const cl::Program program(opened_.context, text);
        try {
            const std::string options =
                telling_build_options(opened_.info.vendor) + (optimise ? "" : " -cl-opt-disable");
            program.build(opened_.device, options.c_str());
        } catch (const cl::Error& error) {
            std::string log = build_log_of(program, opened_.device);
            const std::string reason = build_failure(error, log);
            throw LaunchEnded{Measurement::Status::failed, reason, std::move(log)};
        }
        return program;
    }

    [[nodiscard]] DriverFootprint footprint_of(const cl::Kernel& kernel, const std::string& log) const
    {
        DriverFootprint footprint = footprint_from_log(log);
        footprint.private_bytes =
            static_cast<std::int64_t>(kernel.getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE>(opened_.device));
        footprint.local_bytes =
            static_cast<std::int64_t>(kernel.getWorkGroupInfo<CL_KERNEL_LOCAL_MEM_SIZE>(opened_.device));
        footprint.largest_group =
            static_cast<std::int64_t>(kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(opened_.device));
        footprint.group_multiple = static_cast<std::int64_t>(
            kernel.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(opened_.device));
        return footprint;
    }

    void check_kernel(const cl::Kernel& kernel, const LoopNest& nest) const
    {
        if (auto reason = work_group_too_large(kernel, opened_.device, {nest.local[0], nest.local[1], nest.local[2]})) {
            throw LaunchEnded{Measurement::Status::unsupported, std::move(*reason)};
        }
    }

    [[nodiscard]] LaunchResult launch(const LoopNest& nest, const std::vector<std::vector<float>>& inputs,
                                      cl::Kernel kernel, TexelBackend backend, const RunOptions& options,
                                      std::size_t record_ints) const
    {
        cl_uint argument = 0;
        std::vector<cl::Memory> tensors; // an argument does not keep its memory alive
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            tensors.push_back(memory_of(opened_.context, opened_.queue, nest.inputs[i], inputs[i], backend));
            kernel.setArg(argument++, tensors.back());
        }
        // Poisoned, so that a texel that the kernel leaves out cannot pass for a zero.
        LaunchResult result;
        result.output.assign(static_cast<std::size_t>(nest.output.image.extent.area() * 4),
                             std::numeric_limits<float>::quiet_NaN());
        const cl::Memory output =
            memory_of(opened_.context, opened_.queue, nest.output, result.output, TexelBackend::native);
        kernel.setArg(argument++, output);

        cl::Buffer record;
        const std::size_t record_bytes = record_ints * sizeof(cl_int);
        if (backend == TexelBackend::record) {
            const std::size_t bytes = std::max(record_bytes, sizeof(cl_int4)); // OpenCL has no empty buffers
            record = cl::Buffer(opened_.context, CL_MEM_READ_WRITE, bytes);
            opened_.queue.enqueueFillBuffer(record, cl_int{0}, 0, bytes);
            kernel.setArg(argument++, record);
        }

        result.samples_ns = take_samples(nest, kernel, options);

        result.output = texels_of(opened_.queue, nest.output, output);
        if (record_ints > 0) {
            result.reads.resize(record_ints);
            opened_.queue.enqueueReadBuffer(record, CL_TRUE, 0, record_bytes, result.reads.data());
        }
        return result;
    }

    [[nodiscard]] std::vector<double> take_samples(const LoopNest& nest, const cl::Kernel& kernel,
                                                   const RunOptions& options) const
    {
        const auto start = Clock::now();
        const auto in_budget = [&] { return Seconds(Clock::now() - start).count() < options.budget_seconds; };
        for (int i = 0; i < options.warm_up && in_budget(); ++i) {
            (void)launch_once(nest, kernel, options);
        }
        std::vector<double> samples;
        do {
            samples.push_back(launch_once(nest, kernel, options));
        } while (std::ssize(samples) < options.samples && in_budget());
        return samples;
    }

    /// Returns the execution time in ns.
    [[nodiscard]] double launch_once(const LoopNest& nest, const cl::Kernel& kernel, const RunOptions& options) const
    {
        if (options.stop && options.stop()) {
            throw Interrupted{};
        }
        const auto size = [&](std::size_t i) { return static_cast<std::size_t>(nest.local[i]); };
        const auto global = [&](std::size_t i) { return static_cast<std::size_t>(nest.groups[i]) * size(i); };
        cl::Event event;
        opened_.queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(global(0), global(1), global(2)),
                                           cl::NDRange(size(0), size(1), size(2)), nullptr, &event);
        opened_.queue.flush();
        try {
            wait_for(event, options.timeout_seconds);
        } catch (const LaunchEnded&) {
            timed_out_ = event;
            throw;
        }
        return execution_ns(event);
    }

    OpenedDevice opened_;
    TexelBackend best_ = TexelBackend::native;
    mutable cl::Event timed_out_; ///< of the last launch that was given up; the queue is busy until it is complete
};

OpenClDevice::OpenClDevice(const std::string& selector)
    : impl_(std::make_unique<Impl>(open_device(selector, choose_device)))
{}

OpenClDevice::~OpenClDevice() = default;
OpenClDevice::OpenClDevice(OpenClDevice&&) noexcept = default;
OpenClDevice& OpenClDevice::operator=(OpenClDevice&&) noexcept = default;

const OpenClDeviceInfo& OpenClDevice::info() const
{
    return impl_->info();
}

TexelBackend OpenClDevice::best_backend() const
{
    return impl_->best_backend();
}

Measurement OpenClDevice::run(const LoopNest& nest, const std::vector<std::vector<float>>& packed_inputs,
                              const RunOptions& options) const
{
    const TexelBackend backend = options.native_reads ? TexelBackend::native : impl_->best_backend();
    return impl_->execute(nest, packed_inputs, backend, options).measurement;
}

std::vector<std::vector<ItemRead>> OpenClDevice::record(const LoopNest& nest,
                                                        const std::vector<std::vector<float>>& packed_inputs) const
{
    constexpr std::size_t ints = 4; // image, x, y, 1
    const std::size_t items = items_of(nest);
    const auto per_item = static_cast<std::size_t>(reads_per_item(launch_of(nest).body));
    if (items * per_item > impl_->largest_allocation() / (ints * sizeof(cl_int))) {
        throw bad_input(fmt::format("{} reads are more than the device can record", items * per_item), nest.name,
                        "choose a smaller shape");
    }
    const Execution execution = impl_->execute(nest, packed_inputs, TexelBackend::record, {.warm_up = 0, .samples = 1},
                                               items * per_item * ints);
    if (execution.measurement.status != Measurement::Status::ok) {
        throw bad_input("the reads cannot be recorded: " + execution.measurement.reason, nest.name);
    }
    std::vector<std::vector<ItemRead>> reads(items);
    for (std::size_t item = 0; item < items; ++item) {
        for (std::size_t k = 0; k < per_item; ++k) {
            const cl_int* const entry = &execution.reads[(item * per_item + k) * ints];
            if (entry[3] != 0) {
                reads[item].push_back({entry[0], {entry[1], entry[2]}});
            }
        }
    }
    return reads;
}

} // namespace texelscope::devices
