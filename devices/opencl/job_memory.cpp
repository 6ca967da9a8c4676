// The memory of a job's arguments on a device: images, buffers, parts of buffers, and images with
// padded rows. What goes in and comes out are plain bytes, row by row without gaps.

#include "devices/opencl/job_memory.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace texelscope::devices {
namespace {

// Each word is (place in units of 8 bytes, unused, low half, high half), as JobWord has it.
constexpr const char* place_words =
    R"(kernel void place(global uint2 *memory, global const uint4 *words)
{
    const uint4 word = words[get_global_id(0)];
    memory[word.x] = word.zw;
}
)";

using Region = std::array<std::size_t, 3>;

cl::ImageFormat format_of(const JobImage& image)
{
    const cl_channel_type type = image.type == TexelType::fp32     ? CL_FLOAT
                                 : image.type == TexelType::fp16   ? CL_HALF_FLOAT
                                 : image.type == TexelType::unorm8 ? CL_UNORM_INT8
                                                                   : CL_UNSIGNED_INT8;
    return {image.channels == 1   ? cl_channel_order{CL_R}
            : image.channels == 2 ? cl_channel_order{CL_RG}
                                  : cl_channel_order{CL_RGBA},
            type};
}

// Output images of a job with several steps may be read by a later step.
cl_mem_flags access_of(const JobImage& image, bool shared)
{
    return !image.written ? CL_MEM_READ_ONLY : shared ? CL_MEM_READ_WRITE : CL_MEM_WRITE_ONLY;
}

Region region_of(const JobImage& image)
{
    return {static_cast<std::size_t>(image.width), static_cast<std::size_t>(image.height), 1};
}

std::size_t bytes_of(const JobArgument& argument)
{
    return static_cast<std::size_t>(memory_bytes(argument));
}

struct Create {
    const cl::Context& context;
    std::size_t bytes;
    bool shared;

    JobMemory operator()(const JobImage& image) const
    {
        const Region region = region_of(image);
        JobMemory memory;
        memory.image =
            cl::Image2D(context, access_of(image, shared), format_of(image), region[0], region[1]);
        return memory;
    }
    JobMemory operator()(const JobBuffer& buffer) const
    {
        JobMemory memory;
        memory.buffer =
            cl::Buffer(context, buffer.written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, bytes);
        return memory;
    }
    template <class Other>
    JobMemory operator()(const Other& /*neither*/) const
    {
        return {};
    }
};

/// Creates an image whose rows have padding. The device may take such memory from the host as it is
/// (CPUs do), and keeps the padding then.
JobMemory padded_image(const cl::Context& context, const JobImage& image)
{
    const Region region = region_of(image);
    const std::size_t row = bytes_of(image) / region[1];
    const std::size_t pitch = row + static_cast<std::size_t>(image.row_padding);
    const std::vector<std::byte> contents = initial_contents(image);
    std::vector<std::byte> padded(pitch * region[1]);
    for (std::size_t y = 0; y < region[1]; ++y) {
        std::copy_n(contents.begin() + static_cast<std::ptrdiff_t>(y * row), row,
                    padded.begin() + static_cast<std::ptrdiff_t>(y * pitch));
    }
    JobMemory memory;
    memory.image = cl::Image2D(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format_of(image),
                               region[0], region[1], pitch, padded.data());
    return memory;
}

/// Creates the memory of an argument that is a part of a buffer: a sub-buffer, or an image made
/// from one. Nothing for arguments that are no parts.
struct CreatePart {
    const cl::Context& context;
    std::size_t bytes;
    const std::vector<JobMemory>& before;

    std::optional<JobMemory> operator()(const JobBuffer& buffer) const
    {
        return buffer.part ? std::optional(JobMemory{{}, sub_buffer(*buffer.part, bytes)})
                           : std::nullopt;
    }
    std::optional<JobMemory> operator()(const JobImage& image) const
    {
        if (!image.part) {
            return std::nullopt;
        }
        const Region region = region_of(image);
        const std::size_t pitch = bytes / region[1] + static_cast<std::size_t>(image.row_padding);
        JobMemory memory;
        memory.buffer = sub_buffer(*image.part, pitch * region[1]);
        cl_image_desc shape{};
        shape.image_type = CL_MEM_OBJECT_IMAGE2D;
        shape.image_width = region[0];
        shape.image_height = region[1];
        shape.image_row_pitch = pitch;
        shape.buffer = memory.buffer(); // mem_object since OpenCL 2.0
        const cl::ImageFormat format = format_of(image);
        cl_int error = CL_SUCCESS;
        memory.image = cl::Image2D(
            clCreateImage(context(), CL_MEM_READ_WRITE, &format, &shape, nullptr, &error));
        if (error != CL_SUCCESS) {
            throw cl::Error(error, "clCreateImage from a part of a buffer");
        }
        return memory;
    }
    template <class Other>
    std::optional<JobMemory> operator()(const Other& /*neither*/) const
    {
        return std::nullopt;
    }

private:
    [[nodiscard]] cl::Buffer sub_buffer(const JobPart& part, std::size_t size) const
    {
        cl_buffer_region region{static_cast<std::size_t>(part.offset), size};
        cl::Buffer whole = before[static_cast<std::size_t>(part.buffer)].buffer;
        return whole.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    }
};

struct SetArgument {
    cl::Kernel& kernel;
    cl_uint index;
    const JobMemory& memory;

    void operator()(const JobImage& /*memory has it*/) const { kernel.setArg(index, memory.image); }
    void operator()(const JobBuffer& /*memory has it*/) const
    {
        kernel.setArg(index, memory.buffer);
    }
    void operator()(const JobLocal& local) const
    {
        kernel.setArg(index, cl::Local(static_cast<std::size_t>(local.bytes)));
    }
    void operator()(std::int32_t number) const { kernel.setArg(index, cl_int{number}); }
    void operator()(float number) const { kernel.setArg(index, cl_float{number}); }
};

} // namespace

WordPlacer::WordPlacer(cl::Context context, cl::Device device, cl::CommandQueue queue)
    : context_(std::move(context)), device_(std::move(device)), queue_(std::move(queue))
{}

cl::Buffer WordPlacer::buffer(std::size_t bytes, const std::vector<JobWord>& words)
{
    static_assert(sizeof(JobWord) == sizeof(cl_uint4));
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, bytes);
    queue_.enqueueFillBuffer(buffer, cl_uchar{0}, 0, bytes);
    if (!words.empty()) {
        if (kernel_() == nullptr) {
            const cl::Program program(context_, place_words);
            program.build(device_);
            kernel_ = cl::Kernel(program, "place");
        }
        const std::size_t list_bytes = words.size() * sizeof(JobWord);
        const cl::Buffer list(context_, CL_MEM_READ_ONLY, list_bytes);
        queue_.enqueueWriteBuffer(list, CL_TRUE, 0, list_bytes, words.data());
        kernel_.setArg(0, buffer);
        kernel_.setArg(1, list);
        queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(words.size()),
                                    cl::NullRange);
        queue_.finish();
    }
    return buffer;
}

JobMemory memory_of(const cl::Context& context, const cl::CommandQueue& queue, WordPlacer& placer,
                    const JobArgument& argument, bool shared, const std::vector<JobMemory>& before)
{
    if (auto part = std::visit(CreatePart{context, bytes_of(argument), before}, argument)) {
        return std::move(*part);
    }
    const auto* image = std::get_if<JobImage>(&argument);
    const auto* buffer = std::get_if<JobBuffer>(&argument);
    const std::size_t bytes = bytes_of(argument);
    if (buffer != nullptr && buffer->contents.empty()) {
        JobMemory memory;
        memory.buffer = placer.buffer(bytes, buffer->words);
        return memory;
    }
    if (image != nullptr && image->row_padding > 0) {
        return padded_image(context, *image);
    }
    JobMemory memory = std::visit(Create{context, bytes, shared}, argument);
    if (image != nullptr && !image->words.empty()) {
        const cl::Buffer from = placer.buffer(bytes, image->words);
        queue.enqueueCopyBufferToImage(from, memory.image, 0, Region{0, 0, 0}, region_of(*image));
        queue.finish();
    } else {
        copy_in(queue, argument, memory, initial_contents(argument));
    }
    return memory;
}

bool has_format(const cl::Context& context, const JobArgument& argument, bool shared)
{
    const auto* image = std::get_if<JobImage>(&argument);
    if (image == nullptr) {
        return true;
    }
    std::vector<cl::ImageFormat> formats;
    context.getSupportedImageFormats(access_of(*image, shared), CL_MEM_OBJECT_IMAGE2D, &formats);
    const cl::ImageFormat wanted = format_of(*image);
    return std::any_of(formats.begin(), formats.end(), [&](const cl::ImageFormat& format) {
        return format.image_channel_order == wanted.image_channel_order &&
               format.image_channel_data_type == wanted.image_channel_data_type;
    });
}

std::vector<std::byte> initial_contents(const JobArgument& argument)
{
    const auto* image = std::get_if<JobImage>(&argument);
    const auto* buffer = std::get_if<JobBuffer>(&argument);
    std::vector<std::byte> contents = image != nullptr    ? image->contents
                                      : buffer != nullptr ? buffer->contents
                                                          : std::vector<std::byte>();
    contents.resize(bytes_of(argument));
    return contents;
}

void copy_in(const cl::CommandQueue& queue, const JobArgument& argument, const JobMemory& memory,
             const std::vector<std::byte>& contents, cl::Event* event)
{
    if (const auto* image = std::get_if<JobImage>(&argument)) {
        queue.enqueueWriteImage(memory.image, CL_TRUE, Region{0, 0, 0}, region_of(*image), 0, 0,
                                contents.data(), nullptr, event);
    } else if (std::holds_alternative<JobBuffer>(argument)) {
        queue.enqueueWriteBuffer(memory.buffer, CL_TRUE, 0, contents.size(), contents.data(),
                                 nullptr, event);
    }
}

void copy_out(const cl::CommandQueue& queue, const JobArgument& argument, const JobMemory& memory,
              std::vector<std::byte>& contents, cl::Event* event)
{
    if (const auto* image = std::get_if<JobImage>(&argument)) {
        queue.enqueueReadImage(memory.image, CL_TRUE, Region{0, 0, 0}, region_of(*image), 0, 0,
                               contents.data(), nullptr, event);
    } else if (std::holds_alternative<JobBuffer>(argument)) {
        queue.enqueueReadBuffer(memory.buffer, CL_TRUE, 0, contents.size(), contents.data(),
                                nullptr, event);
    }
}

void set_argument(cl::Kernel& kernel, cl_uint index, const JobArgument& argument,
                  const JobMemory& memory)
{
    std::visit(SetArgument{kernel, index, memory}, argument);
}

std::vector<std::byte> contents_of(const cl::CommandQueue& queue, const JobArgument& argument,
                                   const JobMemory& memory)
{
    std::vector<std::byte> contents(bytes_of(argument));
    copy_out(queue, argument, memory, contents);
    return contents;
}

} // namespace texelscope::devices
