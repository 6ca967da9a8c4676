#include "devices/opencl/tensor_memory.hpp"

#include "base/half.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace texelscope::devices {
namespace {

cl::ImageFormat format_of(Storage storage)
{
    return {CL_RGBA, static_cast<cl_channel_type>(storage == Storage::fp32 ? CL_FLOAT : CL_HALF_FLOAT)};
}

std::array<std::size_t, 3> region_of(const Operand& operand)
{
    return {static_cast<std::size_t>(operand.image.extent.width), static_cast<std::size_t>(operand.image.extent.height),
            1};
}

/// The numbers as they are stored, one after the other.
std::vector<std::byte> stored_bytes(Storage storage, const std::vector<float>& texels)
{
    const auto bytes_of = [](const auto& numbers) {
        const auto* first = reinterpret_cast<const std::byte*>(numbers.data());
        return std::vector<std::byte>(first, first + numbers.size() * sizeof(numbers[0]));
    };
    if (storage == Storage::fp32) {
        return bytes_of(texels);
    }
    std::vector<std::uint16_t> halves(texels.size());
    std::transform(texels.begin(), texels.end(), halves.begin(), half_bits);
    return bytes_of(halves);
}

} // namespace

cl::Memory memory_of(const cl::Context& context, const cl::CommandQueue& queue, const Operand& operand,
                     const std::vector<float>& texels, TexelBackend backend)
{
    const std::vector<std::byte> bytes = stored_bytes(operand.storage, texels);
    if (operand.memory == Memory::buffer) {
        const cl::Buffer buffer(context, CL_MEM_READ_WRITE, bytes.size());
        queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes.size(), bytes.data());
        return buffer;
    }
    const auto region = region_of(operand);
    const auto [width, height, depth] = region;
    const cl::ImageFormat format = format_of(operand.storage);
    // Rows a multiple of 1 KB apart share few sets of a CPU's caches: there a line of padding ends each row.
    const auto texel_bytes = static_cast<std::size_t>(bytes_per_texel(operand.storage));
    constexpr std::size_t line_bytes = 64, colliding_row_bytes = 1024;
    const std::size_t row_bytes = width * texel_bytes;
    if (backend == TexelBackend::pocl_descriptor && row_bytes % colliding_row_bytes == 0) {
        const std::size_t pitch = row_bytes + line_bytes;
        std::vector<std::byte> padded(pitch * height);
        for (std::size_t y = 0; y < height; ++y) {
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(y * row_bytes), row_bytes,
                        padded.begin() + static_cast<std::ptrdiff_t>(y * pitch));
        }
        return cl::Image2D(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, width, height, pitch,
                           padded.data());
    }
    const cl::Image2D image(context, CL_MEM_READ_WRITE, format, width, height);
    queue.enqueueWriteImage(image, CL_TRUE, {0, 0, 0}, region, 0, 0, bytes.data());
    return image;
}

std::vector<float> texels_of(const cl::CommandQueue& queue, const Operand& operand, const cl::Memory& memory)
{
    std::vector<float> texels(static_cast<std::size_t>(operand.image.extent.area() * 4));
    std::vector<std::uint16_t> halves(operand.storage == Storage::fp16 ? texels.size() : 0);
    void* bytes = operand.storage == Storage::fp16 ? static_cast<void*>(halves.data()) : texels.data();
    if (operand.memory == Memory::buffer) {
        queue.enqueueReadBuffer(cl::Buffer(memory(), true), CL_TRUE, 0,
                                texels.size() * (operand.storage == Storage::fp16 ? 2 : 4), bytes);
    } else {
        queue.enqueueReadImage(cl::Image2D(memory(), true), CL_TRUE, {0, 0, 0}, region_of(operand), 0, 0, bytes);
    }
    std::transform(halves.begin(), halves.end(), texels.begin(), from_half_bits);
    return texels;
}

} // namespace texelscope::devices
