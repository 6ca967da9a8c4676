// What a program asks OpenCL about sub-groups. Oclgrind answers that there are none; in front of
// it, this library answers for the functions that subgroup_builtins.cpp adds, once the capture
// command was told how large a sub-group is. Otherwise every question goes on to Oclgrind.
//
// A program that is linked with OpenCL calls clGetDeviceInfo. In Oclgrind's library for OpenCL's
// loader, which serves programs that open OpenCL by themselves, the function is _clGetDeviceInfo.

#include "traces/capture/plugin/next_function.hpp"
#include "traces/capture/spool_format.hpp"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr const char* extensions =
    " cl_khr_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote"
    " cl_khr_subgroup_ballot cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle"
    " cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce";

/// The size that the capture command was told, or 0.
std::size_t told_size()
{
    const char* text = std::getenv(texelscope::traces::spool::variable::subgroup_size);
    return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

/// As OpenCL answers: the bytes, and how many there are. Either place may be null.
cl_int give(const void* answer, std::size_t bytes, std::size_t room, void* value, std::size_t* size)
{
    if (size != nullptr) {
        *size = bytes;
    }
    if (value != nullptr) {
        if (room < bytes) {
            return CL_INVALID_VALUE;
        }
        std::memcpy(value, answer, bytes);
    }
    return CL_SUCCESS;
}

using texelscope::traces::next_function;

using DeviceInfo = decltype(clGetDeviceInfo);

cl_int device_info(DeviceInfo* next, cl_device_id device, cl_device_info what, std::size_t room,
                   void* value, std::size_t* size)
{
    if (next == nullptr) {
        return CL_INVALID_DEVICE;
    }
    const std::size_t told = told_size();
    if (told != 0 && what == CL_DEVICE_EXTENSIONS) {
        std::size_t bytes = 0;
        cl_int error = next(device, what, 0, nullptr, &bytes);
        std::string text(bytes, '\0');
        if (error == CL_SUCCESS) {
            error = next(device, what, bytes, text.data(), nullptr);
        }
        if (error != CL_SUCCESS) {
            return error;
        }
        text.resize(std::strlen(text.c_str()));
        text += extensions;
        return give(text.c_str(), text.size() + 1, room, value, size);
    }
    if (told != 0 && what == CL_DEVICE_MAX_NUM_SUB_GROUPS) {
        std::size_t items = 0;
        if (const cl_int error =
                next(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, nullptr);
            error != CL_SUCCESS) {
            return error;
        }
        const auto count = static_cast<cl_uint>((items + told - 1) / told);
        return give(&count, sizeof count, room, value, size);
    }
    return next(device, what, room, value, size);
}

} // namespace

// NOLINTBEGIN: the names are OpenCL's and Oclgrind's
#define TEXELSCOPE_EXPORT extern "C" __attribute__((visibility("default")))

TEXELSCOPE_EXPORT cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, std::size_t room,
                                         void* value, std::size_t* size)
{
    static auto* const next = next_function<DeviceInfo>("clGetDeviceInfo");
    return device_info(next, device, what, room, value, size);
}

TEXELSCOPE_EXPORT cl_int _clGetDeviceInfo(cl_device_id device, cl_device_info what,
                                          std::size_t room, void* value, std::size_t* size)
{
    // The loader opened the library for itself: it is not among those that come next.
    static auto* const next = [] {
        void* const library = dlopen("liboclgrind-rt-icd.so", RTLD_LAZY | RTLD_NOLOAD);
        return library == nullptr
                   ? nullptr
                   : reinterpret_cast<DeviceInfo*>(dlsym(library, "_clGetDeviceInfo"));
    }();
    return device_info(next, device, what, room, value, size);
}

TEXELSCOPE_EXPORT cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                 cl_kernel_sub_group_info what,
                                                 std::size_t input_bytes, const void* input,
                                                 std::size_t room, void* value, std::size_t* size)
{
    const std::size_t told = told_size();
    if (told == 0) {
        static auto* const next =
            next_function<decltype(clGetKernelSubGroupInfo)>("clGetKernelSubGroupInfo");
        return next == nullptr ? CL_INVALID_OPERATION
                               : next(kernel, device, what, input_bytes, input, room, value, size);
    }
    if (kernel == nullptr) {
        return CL_INVALID_KERNEL;
    }
    std::size_t sizes[3] = {1, 1, 1};
    const bool of_range = what == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE ||
                          what == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
    if (of_range) {
        if (input == nullptr || input_bytes == 0 || input_bytes > sizeof sizes ||
            input_bytes % sizeof sizes[0] != 0) {
            return CL_INVALID_VALUE;
        }
        std::memcpy(sizes, input, input_bytes);
    }
    switch (what) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        return give(&told, sizeof told, room, value, size);
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
        const std::size_t count = (sizes[0] * sizes[1] * sizes[2] + told - 1) / told;
        return give(&count, sizeof count, room, value, size);
    }
    default:
        return CL_INVALID_VALUE;
    }
}

TEXELSCOPE_EXPORT cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device,
                                                    cl_kernel_sub_group_info what,
                                                    std::size_t input_bytes, const void* input,
                                                    std::size_t room, void* value,
                                                    std::size_t* size)
{
    return clGetKernelSubGroupInfo(kernel, device, what, input_bytes, input, room, value, size);
}

/// The functions of extensions that are this library's own.
static void* extension_function(const char* name)
{
    const bool ours =
        told_size() != 0 && name != nullptr && std::strcmp(name, "clGetKernelSubGroupInfoKHR") == 0;
    return ours ? reinterpret_cast<void*>(clGetKernelSubGroupInfoKHR) : nullptr;
}

TEXELSCOPE_EXPORT void* clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                 const char* name)
{
    static auto* const next = next_function<decltype(clGetExtensionFunctionAddressForPlatform)>(
        "clGetExtensionFunctionAddressForPlatform");
    void* const ours = extension_function(name);
    return ours != nullptr || next == nullptr ? ours : next(platform, name);
}

TEXELSCOPE_EXPORT void* clGetExtensionFunctionAddress(const char* name)
{
    static auto* const next =
        next_function<decltype(clGetExtensionFunctionAddress)>("clGetExtensionFunctionAddress");
    void* const ours = extension_function(name);
    return ours != nullptr || next == nullptr ? ours : next(name);
}
// NOLINTEND
