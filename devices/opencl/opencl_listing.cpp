// What devices tell beside what jobs go by: extensions, and the formats of images that kernels may
// read.

#include "devices/jobs/device_listing.hpp"
#include "devices/opencl/opencl_api.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <utility>

namespace texelscope::devices {
namespace {

struct Constant {
    cl_uint value;
    const char* name;
};

// OpenCL's own names, because users look these up. The last of the orders and types have no names
// in the headers of OpenCL 1.2.
constexpr std::array<Constant, 20> order_names{{{CL_R, "CL_R"},
                                                {CL_A, "CL_A"},
                                                {CL_RG, "CL_RG"},
                                                {CL_RA, "CL_RA"},
                                                {CL_RGB, "CL_RGB"},
                                                {CL_RGBA, "CL_RGBA"},
                                                {CL_BGRA, "CL_BGRA"},
                                                {CL_ARGB, "CL_ARGB"},
                                                {CL_INTENSITY, "CL_INTENSITY"},
                                                {CL_LUMINANCE, "CL_LUMINANCE"},
                                                {CL_Rx, "CL_Rx"},
                                                {CL_RGx, "CL_RGx"},
                                                {CL_RGBx, "CL_RGBx"},
                                                {0x10BD, "CL_DEPTH"},
                                                {0x10BE, "CL_DEPTH_STENCIL"},
                                                {0x10BF, "CL_sRGB"},
                                                {0x10C0, "CL_sRGBx"},
                                                {0x10C1, "CL_sRGBA"},
                                                {0x10C2, "CL_sBGRA"},
                                                {0x10C3, "CL_ABGR"}}};
constexpr std::array<Constant, 17> type_names{{{CL_SNORM_INT8, "CL_SNORM_INT8"},
                                               {CL_SNORM_INT16, "CL_SNORM_INT16"},
                                               {CL_UNORM_INT8, "CL_UNORM_INT8"},
                                               {CL_UNORM_INT16, "CL_UNORM_INT16"},
                                               {CL_UNORM_SHORT_565, "CL_UNORM_SHORT_565"},
                                               {CL_UNORM_SHORT_555, "CL_UNORM_SHORT_555"},
                                               {CL_UNORM_INT_101010, "CL_UNORM_INT_101010"},
                                               {CL_SIGNED_INT8, "CL_SIGNED_INT8"},
                                               {CL_SIGNED_INT16, "CL_SIGNED_INT16"},
                                               {CL_SIGNED_INT32, "CL_SIGNED_INT32"},
                                               {CL_UNSIGNED_INT8, "CL_UNSIGNED_INT8"},
                                               {CL_UNSIGNED_INT16, "CL_UNSIGNED_INT16"},
                                               {CL_UNSIGNED_INT32, "CL_UNSIGNED_INT32"},
                                               {CL_HALF_FLOAT, "CL_HALF_FLOAT"},
                                               {CL_FLOAT, "CL_FLOAT"},
                                               {0x10DF, "CL_UNORM_INT24"},
                                               {0x10E0, "CL_UNORM_INT_101010_2"}}};

/// The name, or the number, by which vendors' documents list their own.
template <std::size_t Count>
std::string name_of(const std::array<Constant, Count>& names, cl_uint value)
{
    const auto* const known = std::find_if(
        names.begin(), names.end(), [&](const Constant& name) { return name.value == value; });
    if (known != names.end()) {
        return known->name;
    }
    std::array<char, 16> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "0x%04X", value);
    return digits.data();
}

void set_formats(ListedDevice& listed, const cl::Device& device)
{
    try {
        const cl::Context context(device);
        std::vector<cl::ImageFormat> formats;
        context.getSupportedImageFormats(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, &formats);
        for (const cl::ImageFormat& format : formats) {
            listed.formats.push_back(name_of(order_names, format.image_channel_order) + " " +
                                     name_of(type_names, format.image_channel_data_type));
        }
    } catch (const cl::Error& error) {
        listed.no_formats = describe(error);
    }
}

ListedDevice listed(const FoundDevice& found)
{
    ListedDevice device;
    device.info = found.info;
    std::istringstream words(found.device.getInfo<CL_DEVICE_EXTENSIONS>());
    for (std::string word; words >> word;) {
        device.extensions.push_back(std::move(word));
    }
    if (found.info.images) {
        device.read_images = found.device.getInfo<CL_DEVICE_MAX_READ_IMAGE_ARGS>();
        set_formats(device, found.device);
    }
    return device;
}

} // namespace

std::vector<ListedDevice> listed_opencl_devices()
{
    std::vector<ListedDevice> devices;
    for (const FoundDevice& found : find_opencl_devices()) {
        devices.push_back(listed(found));
    }
    return devices;
}

} // namespace texelscope::devices
