#include "devices/kernels/nest_job.hpp"

#include "base/error.hpp"
#include "devices/jobs/driver_footprint.hpp"
#include "devices/kernels/tensor_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace texelscope::devices {
namespace {

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

JobArgument argument_of(const Operand& operand, const std::vector<float>& texels, bool written, TexelBackend backend)
{
    std::vector<std::byte> contents = stored_bytes(operand.storage, texels);
    if (operand.memory == Memory::buffer) {
        const std::int64_t bytes = std::ssize(contents);
        return JobBuffer{bytes, written, std::move(contents)};
    }
    JobImage image{operand.image.extent.width, operand.image.extent.height,
                   operand.storage == Storage::fp32 ? TexelType::fp32 : TexelType::fp16, written, std::move(contents)};
    constexpr std::int64_t line_bytes = 64, colliding_row_bytes = 1024;
    if (backend == TexelBackend::pocl_descriptor && !written &&
        image.width * bytes_per_texel(operand.storage) % colliding_row_bytes == 0) {
        image.row_padding = line_bytes;
    }
    return image;
}

} // namespace

Job nest_job(const LoopNest& nest, const std::vector<std::vector<float>>& inputs, TexelBackend backend,
             const RunOptions& options, const std::string& vendor, std::size_t record_ints)
{
    check_inputs(nest, inputs);
    Job job;
    job.name = nest.name;
    job.kernel = nest.name;
    job.source = opencl_text(nest, backend);
    job.options = telling_build_options(vendor) + (options.optimise ? "" : " -cl-opt-disable");
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

} // namespace texelscope::devices
