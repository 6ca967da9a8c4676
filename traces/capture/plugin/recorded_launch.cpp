// Describes a launch in words that the spool and the trace understand: sizes, and the images and
// buffers among the kernel's arguments. What a trace cannot hold throws std::runtime_error, and the
// launch is then reported as failed.

#include "traces/capture/plugin/recorded_launch.hpp"

#include "traces/capture/plugin/llvm_values.hpp"

#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>

#include <limits>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace texelscope::traces {
namespace {

struct ChannelOrder {
    cl_uint value;
    const char* name;
    std::size_t channels;
};

// OpenCL's channel orders (cl_channel_order), with how many channels a texel takes in memory.
constexpr ChannelOrder channel_orders[] = {
    {CL_R, "R", 1},
    {CL_A, "A", 1},
    {CL_RG, "RG", 2},
    {CL_RA, "RA", 2},
    {CL_RGB, "RGB", 3},
    {CL_RGBA, "RGBA", 4},
    {CL_BGRA, "BGRA", 4},
    {CL_ARGB, "ARGB", 4},
    {CL_Rx, "Rx", 1},
    {CL_RGx, "RGx", 2},
    {CL_RGBx, "RGBx", 3},
    {CL_INTENSITY, "intensity", 1},
    {CL_LUMINANCE, "luminance", 1},
};

struct ChannelType {
    cl_uint value;
    const char* name;
    std::size_t bytes;
};

// OpenCL's channel types (cl_channel_type), with the bytes of one channel.
constexpr ChannelType channel_types[] = {
    {CL_SNORM_INT8, "snorm8", 1},     {CL_UNORM_INT8, "unorm8", 1},
    {CL_SIGNED_INT8, "int8", 1},      {CL_UNSIGNED_INT8, "uint8", 1},
    {CL_SNORM_INT16, "snorm16", 2},   {CL_UNORM_INT16, "unorm16", 2},
    {CL_SIGNED_INT16, "int16", 2},    {CL_UNSIGNED_INT16, "uint16", 2},
    {CL_HALF_FLOAT, "half", 2},       {CL_SIGNED_INT32, "int32", 4},
    {CL_UNSIGNED_INT32, "uint32", 4}, {CL_FLOAT, "float", 4},
};

template <class Table>
const auto& look_up(const Table& table, cl_uint value, const char* what)
{
    for (const auto& entry : table) {
        if (entry.value == value) {
            return entry;
        }
    }
    std::ostringstream text;
    text << "an image with " << what << " 0x" << std::hex << value << " is not supported";
    throw std::runtime_error(text.str());
}

std::int32_t texels(std::size_t count)
{
    if (count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        throw std::runtime_error("an image is too large");
    }
    return static_cast<std::int32_t>(count);
}

// Null where the argument has not been set.
const oclgrind::TypedValue* argument_value(const oclgrind::Kernel& kernel, unsigned index)
{
    const llvm::Value* argument = function_argument(kernel.getFunction(), index);
    for (auto entry = kernel.values_begin(); entry != kernel.values_end(); ++entry) {
        if (entry->first == argument) {
            return &entry->second;
        }
    }
    return nullptr;
}

/// The argument's name in the kernel's text; "arg3" for one without.
std::string argument_name(const oclgrind::Kernel& kernel, unsigned index)
{
    std::size_t length = 0;
    const char* name =
        LLVMGetValueName2(llvm_handle(function_argument(kernel.getFunction(), index)), &length);
    return length > 0 ? std::string(name, length) : "arg" + std::to_string(index);
}

ImageKind kind_of(const oclgrind::Image& image)
{
    switch (image.desc.image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
        return ImageKind::one;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return ImageKind::one_buffer;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return ImageKind::one_array;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return ImageKind::two_array;
    case CL_MEM_OBJECT_IMAGE3D:
        return ImageKind::three;
    default:
        return ImageKind::two;
    }
}

RecordedImage describe_image(const oclgrind::Image& image, std::string name, unsigned argument)
{
    const auto& order = look_up(channel_orders, image.format.image_channel_order, "channel order");
    const auto& type = look_up(channel_types, image.format.image_channel_data_type, "channel type");
    return {image.address,
            std::move(name),
            argument,
            shape_of(image),
            std::string(order.name) + "/" + type.name,
            order.channels * type.bytes,
            kind_of(image)};
}

} // namespace

SampledImage shape_of(const oclgrind::Image& image)
{
    const cl_image_desc& desc = image.desc;
    const std::int32_t width = texels(desc.image_width);
    switch (desc.image_type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return {1, {width, 1, 1}, 0};
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return {1, {width, 1, 1}, texels(desc.image_array_size)};
    case CL_MEM_OBJECT_IMAGE2D:
        return {2, {width, texels(desc.image_height), 1}, 0};
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return {2, {width, texels(desc.image_height), 1}, texels(desc.image_array_size)};
    case CL_MEM_OBJECT_IMAGE3D:
        return {3, {width, texels(desc.image_height), texels(desc.image_depth)}, 0};
    default:
        throw std::runtime_error("an image of an unknown type is not supported");
    }
}

int RecordedLaunch::find(const oclgrind::Image& image) const
{
    for (std::size_t i = 0; i < images.size(); ++i) {
        if (images[i].address == image.address) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

std::int64_t RecordedLaunch::group_count() const
{
    return static_cast<std::int64_t>(groups[0] * groups[1] * groups[2]);
}

std::string RecordedLaunch::text(std::int64_t first_group, std::int64_t last_group) const
{
    std::ostringstream out;
    out << "launch " << kernel;
    for (const auto* sizes : {global, local, offset}) {
        out << ' ' << sizes[0] << ' ' << sizes[1] << ' ' << sizes[2];
    }
    out << ' ' << first_group << ' ' << last_group << '\n';
    for (const RecordedImage& image : images) {
        const auto& size = image.shape.size;
        out << "image " << image.name << ' ' << image.argument << ' ' << size[0] << ' ' << size[1]
            << ' ' << (image.shape.layers > 0 ? image.shape.layers : size[2]) << ' ' << image.format
            << ' ' << image.bytes_per_texel << ' ' << to_string(image.kind) << '\n';
    }
    for (const RecordedBuffer& buffer : buffers) {
        out << "buffer " << buffer.name << ' ' << buffer.argument << ' ' << buffer.bytes << '\n';
    }
    return out.str();
}

RecordedLaunch describe_launch(const oclgrind::KernelInvocation& invocation, bool with_buffers)
{
    const oclgrind::Kernel& kernel = *invocation.getKernel();
    RecordedLaunch launch;
    launch.kernel = kernel.getName();
    const oclgrind::Size3 global = invocation.getGlobalSize();
    const oclgrind::Size3 local = invocation.getLocalSize();
    const oclgrind::Size3 offset = invocation.getGlobalOffset();
    const oclgrind::Size3 groups = invocation.getNumGroups();
    for (unsigned d = 0; d < 3; ++d) {
        launch.global[d] = global[d];
        launch.local[d] = local[d];
        launch.offset[d] = offset[d];
        launch.groups[d] = groups[d];
    }
    const oclgrind::Memory& memory = *invocation.getContext()->getGlobalMemory();
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
        const oclgrind::TypedValue* value = argument_value(kernel, i);
        // An argument that is smaller than a pointer is a number; it names no memory.
        if (value == nullptr || value->data == nullptr || value->size < sizeof(void*)) {
            continue;
        }
        // Only images have one of these access qualifiers.
        const unsigned access = kernel.getArgumentAccessQualifier(i);
        if (access == CL_KERNEL_ARG_ACCESS_READ_ONLY || access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ||
            access == CL_KERNEL_ARG_ACCESS_READ_WRITE) {
            const auto* image = reinterpret_cast<const oclgrind::Image*>(value->getPointer());
            if (image != nullptr && launch.find(*image) < 0) {
                launch.images.push_back(describe_image(*image, argument_name(kernel, i), i));
            }
            continue;
        }
        // A vector or a struct that is passed by value is larger than a pointer, and none.
        const unsigned space = kernel.getArgumentAddressQualifier(i);
        if (!with_buffers ||
            (space != CL_KERNEL_ARG_ADDRESS_GLOBAL && space != CL_KERNEL_ARG_ADDRESS_CONSTANT)) {
            continue;
        }
        const std::size_t address = value->getPointer();
        const oclgrind::Memory::Buffer* buffer = address == 0 ? nullptr : memory.getBuffer(address);
        const std::size_t number_of_buffer = memory.extractBuffer(address);
        // Two arguments may name the same buffer: it is described once, under the first argument.
        for (const RecordedBuffer& known : launch.buffers) {
            buffer = known.number == number_of_buffer ? nullptr : buffer;
        }
        if (buffer != nullptr) {
            launch.buffers.push_back({number_of_buffer, argument_name(kernel, i), i, buffer->size});
        }
    }
    // Spooled events name their object by one byte.
    if (launch.images.size() > 255 || launch.buffers.size() > 255) {
        throw std::runtime_error("the kernel has more than 255 images or buffers");
    }
    return launch;
}

} // namespace texelscope::traces
