// Finds OpenCL devices and what they tell of themselves. Drivers answer in odd ways: a loader
// without platforms reports an error, a driver without its hardware another, and some give the
// largest number where they mean that there is no limit.

#include "base/error.hpp"
#include "base/text.hpp"
#include "devices/opencl/opencl_api.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

namespace texelscope::devices {
namespace {

/// clGetPlatformIDs through a loader that found no platform (cl_khr_icd); the plain headers do not
/// define it.
constexpr cl_int platform_not_found = -1001;

// OpenCL's own names of error codes, because users look these up.
constexpr std::array<std::pair<cl_int, const char*>, 27> error_names{{
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
    {CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION"},
    {platform_not_found, "CL_PLATFORM_NOT_FOUND_KHR"},
}};

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\n");
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

// Extensions are words of a list: blanks around keep one name from being found within another.
bool has_extension(const cl::Device& device, const std::string& name)
{
    const std::string extensions = " " + device.getInfo<CL_DEVICE_EXTENSIONS>() + " ";
    return extensions.find(" " + name + " ") != std::string::npos;
}

/// What cl_khr_image2d_from_buffer asks of an image that is a part of a buffer. Both alignments are
/// told in pixels, of whatever size; they are taken as pixels of the largest texels (16 B), which
/// holds for all.
void set_image_parts(OpenClDeviceInfo& info, const cl::Device& device)
{
    // These two have no names in the headers of OpenCL 1.2.
    constexpr cl_device_info pitch_alignment = 0x104A, base_alignment = 0x104B;
    constexpr std::int64_t largest_texel = 16;
    cl_uint row = 0;
    cl_uint base = 0;
    const bool told =
        has_extension(device, "cl_khr_image2d_from_buffer") &&
        clGetDeviceInfo(device(), pitch_alignment, sizeof row, &row, nullptr) == CL_SUCCESS &&
        clGetDeviceInfo(device(), base_alignment, sizeof base, &base, nullptr) == CL_SUCCESS;
    if (told && row > 0) {
        info.image_row_multiple = row;
        info.image_part_alignment = std::max<std::int64_t>(1, base) * largest_texel;
    }
}

/// Some devices round towards zero, for which no bound of ours holds.
bool computes_in_half(const cl::Device& device)
{
    return has_extension(device, "cl_khr_fp16") &&
           (device.getInfo<CL_DEVICE_HALF_FP_CONFIG>() & CL_FP_ROUND_TO_NEAREST) != 0;
}

/// A number that a driver tells, as one with a sign: some say that there is no limit by the largest
/// number that they have.
template <class Number>
std::int64_t counted(Number told)
{
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(told, std::uint64_t{std::numeric_limits<std::int64_t>::max()}));
}

OpenClDeviceInfo info_of(const cl::Device& device, const std::string& platform, int index)
{
    OpenClDeviceInfo info;
    info.index = index;
    info.platform = platform;
    info.name = trimmed(device.getInfo<CL_DEVICE_NAME>());
    info.vendor = trimmed(device.getInfo<CL_DEVICE_VENDOR>());
    info.driver = trimmed(device.getInfo<CL_DRIVER_VERSION>());
    info.version = trimmed(device.getInfo<CL_DEVICE_VERSION>());
    info.cpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    info.compute_units = static_cast<int>(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
    info.clock_mhz = static_cast<double>(device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>());
    info.local_memory = counted(device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>());
    info.largest_allocation = counted(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>());
    info.max_work_group = counted(device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
    for (const std::size_t size : device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>()) {
        info.max_work_item_sizes.push_back(counted(size));
    }
    info.half = computes_in_half(device);
    // Told in bits.
    info.part_alignment =
        static_cast<std::int64_t>(device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>()) / 8;
    info.images = device.getInfo<CL_DEVICE_IMAGE_SUPPORT>() == CL_TRUE;
    if (info.images) {
        info.image_width = counted(device.getInfo<CL_DEVICE_IMAGE2D_MAX_WIDTH>());
        info.image_height = counted(device.getInfo<CL_DEVICE_IMAGE2D_MAX_HEIGHT>());
        set_image_parts(info, device);
    }
    return info;
}

std::vector<cl::Platform> platforms()
{
    std::vector<cl::Platform> found;
    try {
        cl::Platform::get(&found);
    } catch (const cl::Error& error) {
        if (error.err() != platform_not_found) {
            throw missing(describe(error), "OpenCL",
                          "check the loader and the drivers in /etc/OpenCL/vendors");
        }
    }
    return found;
}

std::vector<cl::Device> devices_of(const cl::Platform& platform)
{
    std::vector<cl::Device> found;
    try {
        platform.getDevices(CL_DEVICE_TYPE_ALL, &found);
    } catch (const cl::Error&) {
        // a driver without its hardware has no device, whichever error it says that with
        found.clear();
    }
    return found;
}

// "pocl" stands for all of its devices, whatever they are called.
bool fits(const OpenClDeviceInfo& device, const std::string& selector)
{
    const std::string part = lower_case(selector);
    return (part == "pocl" && device.is_pocl()) ||
           lower_case(device.platform).find(part) != std::string::npos ||
           lower_case(device.name).find(part) != std::string::npos;
}

std::string listing(const std::vector<OpenClDeviceInfo>& devices)
{
    if (devices.empty()) {
        return "there is no OpenCL device on this machine; install a driver, for example "
               "pocl-opencl-icd";
    }
    std::string line;
    for (const OpenClDeviceInfo& device : devices) {
        line += (line.empty() ? "devices are: " : ", ") + std::to_string(device.index) + " = " +
                device.name + " on " + device.platform;
    }
    return line;
}

} // namespace

std::string describe(const cl::Error& error)
{
    const auto* const known =
        std::find_if(error_names.begin(), error_names.end(),
                     [&](const auto& entry) { return entry.first == error.err(); });
    const std::string number = std::to_string(error.err());
    return std::string(error.what()) + ": " +
           (known == error_names.end() ? "error " + number
                                       : std::string(known->second) + " (" + number + ")");
}

std::vector<FoundDevice> find_opencl_devices()
{
    std::vector<FoundDevice> found;
    for (const cl::Platform& platform : platforms()) {
        for (const cl::Device& device : devices_of(platform)) {
            try {
                const std::string name = trimmed(platform.getInfo<CL_PLATFORM_NAME>());
                found.push_back({device, info_of(device, name, static_cast<int>(found.size()))});
            } catch (const cl::Error&) { // it cannot say what it is, and so cannot be worked with
            }
        }
    }
    return found;
}

std::vector<OpenClDeviceInfo> opencl_devices()
{
    std::vector<OpenClDeviceInfo> infos;
    for (const FoundDevice& found : find_opencl_devices()) {
        infos.push_back(found.info);
    }
    return infos;
}

bool OpenClDeviceInfo::operator==(const OpenClDeviceInfo& other) const
{
    const auto all = [](const OpenClDeviceInfo& info) {
        return std::tie(info.index, info.platform, info.name, info.vendor, info.driver,
                        info.version, info.cpu, info.compute_units, info.clock_mhz,
                        info.max_work_group, info.max_work_item_sizes, info.images,
                        info.image_width, info.image_height, info.local_memory,
                        info.largest_allocation, info.part_alignment, info.image_part_alignment,
                        info.image_row_multiple, info.half);
    };
    return all(*this) == all(other);
}

std::string to_string(const OpenClDeviceInfo& device)
{
    return device.name + " on " + device.platform + ", driver " + device.driver;
}

OpenClDeviceInfo choose_device(const std::vector<OpenClDeviceInfo>& devices,
                               const std::string& selector)
{
    const bool number =
        !selector.empty() && std::all_of(selector.begin(), selector.end(),
                                         [](unsigned char c) { return std::isdigit(c) != 0; });
    if (number) {
        std::size_t index = devices.size();
        // too large: stays past the end
        std::from_chars(selector.data(), selector.data() + selector.size(), index);
        if (index < devices.size()) {
            return devices[index];
        }
    } else if (!selector.empty()) {
        const auto found =
            std::find_if(devices.begin(), devices.end(),
                         [&](const OpenClDeviceInfo& device) { return fits(device, selector); });
        if (found != devices.end()) {
            return *found;
        }
    }
    throw missing("no OpenCL device fits \"" + selector + "\"", {}, listing(devices));
}

// Without a selector the first device that is no CPU is preferred: that is what users want to
// measure.
OpenClDeviceInfo preferred_device(const std::vector<OpenClDeviceInfo>& devices,
                                  const std::string& selector)
{
    if (!selector.empty() || devices.empty()) {
        return choose_device(devices, selector);
    }
    const auto gpu = std::find_if(devices.begin(), devices.end(),
                                  [](const auto& device) { return !device.cpu; });
    return gpu == devices.end() ? devices.front() : *gpu;
}

} // namespace texelscope::devices
