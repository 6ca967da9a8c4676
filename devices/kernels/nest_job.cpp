// Makes a job of a loop nest: kernel text, build options, sizes, arguments and what to read back.
// Arguments are the inputs in the nest's order, then the output, then the record of
// TexelBackend::record.

#include "devices/kernels/nest_job.hpp"

#include "base/error.hpp"
#include "base/half.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/jobs/driver_footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace texelscope::devices {
namespace {

void check_inputs(const LoopNest& nest, const std::vector<std::vector<float>>& inputs)
{
    if (inputs.size() != nest.inputs.size()) {
        throw bad_input(
            fmt::format("{} inputs were given for {}", inputs.size(), nest.inputs.size()),
            nest.name, "give one for each input image");
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Image& image = nest.inputs[i].image;
        if (std::ssize(inputs[i]) != image.extent.area() * 4) {
            throw bad_input(fmt::format("input {} has {} floats", image.name, inputs[i].size()),
                            nest.name, fmt::format("its image takes {}", image.extent.area() * 4));
        }
    }
}

std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const Operand& operand)
{
    if (operand.memory == Memory::buffer) {
        return std::nullopt; // an allocation that is too large is the driver's to refuse
    }
    if (!device.images) {
        return "the device has no images";
    }
    const Image& image = operand.image;
    if (image.extent.width <= device.image_width && image.extent.height <= device.image_height) {
        return std::nullopt;
    }
    return fmt::format("image {} is {}x{} texels, the device takes {}x{}", image.name,
                       image.extent.width, image.extent.height, device.image_width,
                       device.image_height);
}

template <class Number>
std::vector<std::byte> bytes_of(const std::vector<Number>& numbers)
{
    const auto* first = reinterpret_cast<const std::byte*>(numbers.data());
    return std::vector<std::byte>(first, first + numbers.size() * sizeof(Number));
}

template <class Number>
std::vector<Number> numbers_of(const std::vector<std::byte>& bytes)
{
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) {
        std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    }
    return numbers;
}

} // namespace

JobArgument argument_of(const Operand& operand, const std::vector<float>& texels, bool written,
                        TexelBackend backend)
{
    std::vector<std::byte> contents = stored_bytes(operand.storage, texels);
    if (operand.memory == Memory::buffer) {
        const std::int64_t bytes = std::ssize(contents);
        return JobBuffer{bytes, written, std::move(contents)};
    }
    JobImage image{operand.image.extent.width, operand.image.extent.height,
                   operand.storage == Storage::fp32 ? TexelType::fp32 : TexelType::fp16, written,
                   std::move(contents)};
    // Rows of a multiple of 1 KiB map to few sets of a CPU's caches; a cache line more spreads
    // them.
    constexpr std::int64_t line_bytes = 64, colliding_row_bytes = 1024;
    if (backend == TexelBackend::pocl_descriptor && !written &&
        image.width * bytes_per_texel(operand.storage) % colliding_row_bytes == 0) {
        image.row_padding = line_bytes;
    }
    return image;
}

Job nest_kernel(const LoopNest& nest, TexelBackend backend, const RunOptions& options,
                const OpenClDeviceInfo& device)
{
    Job job;
    job.name = nest.name;
    job.kernel = nest.name;
    job.source = opencl_text(nest, backend);
    job.options =
        telling_build_options(device.vendor) + (options.optimise ? "" : " -cl-opt-disable");
    if (nest.half_sums && arithmetic_of(nest, options, device) == Precision::fp32) {
        // Said to the compiler, too: some define cl_khr_fp16 for devices that have not got it, or
        // that round otherwise.
        job.options += std::string(" ") + float_arithmetic_option;
    }
    return job;
}

Job nest_job(const LoopNest& nest, const std::vector<std::vector<float>>& inputs,
             TexelBackend backend, const RunOptions& options, const OpenClDeviceInfo& device,
             std::size_t record_ints)
{
    check_inputs(nest, inputs);
    Job job = nest_kernel(nest, backend, options, device);
    for (std::size_t i = 0; i < 3; ++i) {
        job.local[i] = nest.local[i];
        job.global[i] = std::int64_t{nest.groups[i]} * nest.local[i];
    }
    job.warm_up = options.warm_up;
    job.samples = std::max(options.samples, 1);
    job.timeout_seconds = options.timeout_seconds;
    job.budget_seconds = std::max(options.budget_seconds, 1e-6); // 0 would be no limit
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        job.arguments.push_back(argument_of(nest.inputs[i], inputs[i], false, backend));
    }
    // Poisoned, so that a texel that the kernel leaves out cannot pass for a zero.
    const std::vector<float> poison(static_cast<std::size_t>(nest.output.image.extent.area() * 4),
                                    std::numeric_limits<float>::quiet_NaN());
    job.outputs.push_back(static_cast<int>(job.arguments.size()));
    job.arguments.push_back(argument_of(nest.output, poison, true, TexelBackend::native));
    if (backend == TexelBackend::record) {
        constexpr std::size_t least = 4; // OpenCL has no empty buffers
        const auto ints = static_cast<std::int64_t>(std::max(record_ints, least));
        job.outputs.push_back(static_cast<int>(job.arguments.size()));
        job.arguments.push_back(JobBuffer{ints * std::int64_t{sizeof(std::int32_t)}, true, {}});
    }
    return job;
}

Precision arithmetic_of(const LoopNest& nest, const RunOptions& options,
                        const OpenClDeviceInfo& device)
{
    return nest.arithmetic(device.half && !options.float_arithmetic);
}

std::optional<std::string> beyond_limits(const OpenClDeviceInfo& device, const LoopNest& nest)
{
    for (const Operand& input : nest.inputs) {
        if (auto reason = beyond_limits(device, input)) {
            return reason;
        }
    }
    if (auto reason = beyond_limits(device, nest.output)) {
        return reason;
    }
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    if (items > device.max_work_group) {
        return fmt::format("the work-group has {} work-items, the device takes {}", items,
                           device.max_work_group);
    }
    if (const std::int64_t bytes = local_memory_bytes(nest, nest.arithmetic(device.half));
        bytes > device.local_memory) {
        return fmt::format("the work-group takes {} B of local memory, the device has {}", bytes,
                           device.local_memory);
    }
    for (std::size_t i = 0; i < nest.local.size() && i < device.max_work_item_sizes.size(); ++i) {
        if (nest.local[i] > device.max_work_item_sizes[i]) {
            return fmt::format("the work-group has {} work-items along {}, the device takes {}",
                               nest.local[i], "xyz"[i], device.max_work_item_sizes[i]);
        }
    }
    return std::nullopt;
}

std::vector<std::byte> stored_bytes(Storage storage, const std::vector<float>& texels)
{
    if (storage == Storage::fp32) {
        return bytes_of(texels);
    }
    std::vector<std::uint16_t> halves(texels.size());
    std::transform(texels.begin(), texels.end(), halves.begin(), half_bits);
    return bytes_of(halves);
}

std::vector<float> stored_texels(Storage storage, const std::vector<std::byte>& bytes)
{
    if (storage == Storage::fp32) {
        return numbers_of<float>(bytes);
    }
    const auto halves = numbers_of<std::uint16_t>(bytes);
    std::vector<float> texels(halves.size());
    std::transform(halves.begin(), halves.end(), texels.begin(), from_half_bits);
    return texels;
}

} // namespace texelscope::devices
