#include "devices/job_memory.hpp"

#include <array>

namespace texelscope {
namespace {

using Region = std::array<std::size_t, 3>;

cl::ImageFormat format_of(TexelType type)
{
    const cl_channel_type channel = type == TexelType::fp32   ? CL_FLOAT
                                    : type == TexelType::fp16 ? CL_HALF_FLOAT
                                                              : CL_UNORM_INT8;
    return {CL_RGBA, channel};
}

Region region_of(const JobImage& image)
{
    return {static_cast<std::size_t>(image.width), static_cast<std::size_t>(image.height), 1};
}

std::size_t bytes_of(const JobArgument& argument)
{
    return static_cast<std::size_t>(memory_bytes(argument));
}

/// The contents, or as many zeros.
template <class Memory>
std::vector<std::byte> filled(const Memory& memory, std::size_t bytes)
{
    return memory.contents.empty() ? std::vector<std::byte>(bytes) : memory.contents;
}

struct Create {
    const cl::Context& context;
    const cl::CommandQueue& queue;
    std::size_t bytes;

    JobMemory operator()(const JobImage& image) const
    {
        const Region region = region_of(image);
        JobMemory memory;
        memory.image = cl::Image2D(context, image.written ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, format_of(image.type),
                                   region[0], region[1]);
        queue.enqueueWriteImage(memory.image, CL_TRUE, Region{0, 0, 0}, region, 0, 0, filled(image, bytes).data());
        return memory;
    }
    JobMemory operator()(const JobBuffer& buffer) const
    {
        JobMemory memory;
        memory.buffer = cl::Buffer(context, buffer.written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, bytes);
        queue.enqueueWriteBuffer(memory.buffer, CL_TRUE, 0, bytes, filled(buffer, bytes).data());
        return memory;
    }
    template <class Other>
    JobMemory operator()(const Other& /*neither*/) const
    {
        return {};
    }
};

struct SetArgument {
    cl::Kernel& kernel;
    cl_uint index;
    const JobMemory& memory;

    void operator()(const JobImage& /*memory has it*/) const { kernel.setArg(index, memory.image); }
    void operator()(const JobBuffer& /*memory has it*/) const { kernel.setArg(index, memory.buffer); }
    void operator()(const JobLocal& local) const
    {
        kernel.setArg(index, cl::Local(static_cast<std::size_t>(local.bytes)));
    }
    void operator()(std::int32_t number) const { kernel.setArg(index, cl_int{number}); }
    void operator()(float number) const { kernel.setArg(index, cl_float{number}); }
};

} // namespace

JobMemory memory_of(const cl::Context& context, const cl::CommandQueue& queue, const JobArgument& argument)
{
    return std::visit(Create{context, queue, bytes_of(argument)}, argument);
}

void set_argument(cl::Kernel& kernel, cl_uint index, const JobArgument& argument, const JobMemory& memory)
{
    std::visit(SetArgument{kernel, index, memory}, argument);
}

std::vector<std::byte> contents_of(const cl::CommandQueue& queue, const JobArgument& argument, const JobMemory& memory)
{
    std::vector<std::byte> contents;
    if (const auto* image = std::get_if<JobImage>(&argument)) {
        contents.resize(bytes_of(argument));
        queue.enqueueReadImage(memory.image, CL_TRUE, Region{0, 0, 0}, region_of(*image), 0, 0, contents.data());
    } else if (std::holds_alternative<JobBuffer>(argument)) {
        contents.resize(bytes_of(argument));
        queue.enqueueReadBuffer(memory.buffer, CL_TRUE, 0, contents.size(), contents.data());
    }
    return contents;
}

} // namespace texelscope
