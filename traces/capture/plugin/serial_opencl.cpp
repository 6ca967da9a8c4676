// Oclgrind 21.10 keeps its queues and the launch that runs in variables of the process, without
// locks: a program whose host threads use OpenCL at the same time aborts there ("m_kernelInvocation
// == NULL"). This library, loaded in front of Oclgrind's, passes every call that changes something
// on, one at a time.
//
// The functions' types come from OpenCL's header; only the number of their parameters is repeated
// below. clSetUserEventStatus is left out: another thread may wait for it inside of a call.

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <boost/preprocessor/repetition/enum.hpp>
#include <boost/preprocessor/repetition/enum_params.hpp>
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <tuple>

namespace {

/// Oclgrind calls itself, and user's callbacks call OpenCL: recursive. Never destroyed, since
/// programs release at exit.
std::recursive_mutex& one_at_a_time()
{
    static auto* const mutex = new std::recursive_mutex;
    return *mutex;
}

template <std::size_t Length>
struct Name {
    char text[Length];
    constexpr Name(const char (&name)[Length])
    {
        for (std::size_t i = 0; i < Length; ++i) {
            text[i] = name[i];
        }
    }
};

template <class Function, Name name>
struct Serial;
template <class Result, class... Arguments, Name name>
struct Serial<Result(Arguments...), name> {
    using Returned = Result;
    template <std::size_t index>
    using Parameter = std::tuple_element_t<index, std::tuple<Arguments...>>;

    static Result call(Arguments... arguments)
    {
        static const auto next =
            reinterpret_cast<Result (*)(Arguments...)>(dlsym(RTLD_NEXT, name.text));
        if (next == nullptr) {
            std::fprintf(stderr, "texelscope: this Oclgrind has no %s\n", name.text);
            std::abort();
        }
        const std::lock_guard lock(one_at_a_time());
        return next(arguments...);
    }
};

} // namespace

// NOLINTBEGIN: functions cannot be declared from their type otherwise
#define TEXELSCOPE_TYPE(function) Serial<decltype(function), #function>
#define TEXELSCOPE_PARAMETER(repetition, index, function)                                          \
    TEXELSCOPE_TYPE(function)::Parameter<index> a##index
#define TEXELSCOPE_SERIAL(function, parameters)                                                    \
    extern "C" __attribute__((visibility("default"))) TEXELSCOPE_TYPE(function)::Returned          \
    function(BOOST_PP_ENUM(parameters, TEXELSCOPE_PARAMETER, function))                            \
    {                                                                                              \
        return TEXELSCOPE_TYPE(function)::call(BOOST_PP_ENUM_PARAMS(parameters, a));               \
    }
// NOLINTEND

TEXELSCOPE_SERIAL(clBuildProgram, 6)
TEXELSCOPE_SERIAL(clCloneKernel, 2)
TEXELSCOPE_SERIAL(clCompileProgram, 9)
TEXELSCOPE_SERIAL(clCreateBuffer, 5)
TEXELSCOPE_SERIAL(clCreateBufferWithProperties, 6)
TEXELSCOPE_SERIAL(clCreateCommandQueue, 4)
TEXELSCOPE_SERIAL(clCreateCommandQueueWithProperties, 4)
TEXELSCOPE_SERIAL(clCreateContext, 6)
TEXELSCOPE_SERIAL(clCreateContextFromType, 5)
TEXELSCOPE_SERIAL(clCreateImage, 6)
TEXELSCOPE_SERIAL(clCreateImage2D, 8)
TEXELSCOPE_SERIAL(clCreateImage3D, 10)
TEXELSCOPE_SERIAL(clCreateImageWithProperties, 7)
TEXELSCOPE_SERIAL(clCreateKernel, 3)
TEXELSCOPE_SERIAL(clCreateKernelsInProgram, 4)
TEXELSCOPE_SERIAL(clCreateProgramWithBinary, 7)
TEXELSCOPE_SERIAL(clCreateProgramWithSource, 5)
TEXELSCOPE_SERIAL(clCreateSampler, 5)
TEXELSCOPE_SERIAL(clCreateSamplerWithProperties, 3)
TEXELSCOPE_SERIAL(clCreateSubBuffer, 5)
TEXELSCOPE_SERIAL(clCreateUserEvent, 2)
TEXELSCOPE_SERIAL(clEnqueueBarrier, 1)
TEXELSCOPE_SERIAL(clEnqueueBarrierWithWaitList, 4)
TEXELSCOPE_SERIAL(clEnqueueCopyBuffer, 9)
TEXELSCOPE_SERIAL(clEnqueueCopyBufferRect, 13)
TEXELSCOPE_SERIAL(clEnqueueCopyBufferToImage, 9)
TEXELSCOPE_SERIAL(clEnqueueCopyImage, 9)
TEXELSCOPE_SERIAL(clEnqueueCopyImageToBuffer, 9)
TEXELSCOPE_SERIAL(clEnqueueFillBuffer, 9)
TEXELSCOPE_SERIAL(clEnqueueFillImage, 8)
TEXELSCOPE_SERIAL(clEnqueueMapBuffer, 10)
TEXELSCOPE_SERIAL(clEnqueueMapImage, 12)
TEXELSCOPE_SERIAL(clEnqueueMarker, 2)
TEXELSCOPE_SERIAL(clEnqueueMarkerWithWaitList, 4)
TEXELSCOPE_SERIAL(clEnqueueMigrateMemObjects, 7)
TEXELSCOPE_SERIAL(clEnqueueNDRangeKernel, 9)
TEXELSCOPE_SERIAL(clEnqueueNativeKernel, 10)
TEXELSCOPE_SERIAL(clEnqueueReadBuffer, 9)
TEXELSCOPE_SERIAL(clEnqueueReadBufferRect, 14)
TEXELSCOPE_SERIAL(clEnqueueReadImage, 11)
TEXELSCOPE_SERIAL(clEnqueueTask, 5)
TEXELSCOPE_SERIAL(clEnqueueUnmapMemObject, 6)
TEXELSCOPE_SERIAL(clEnqueueWaitForEvents, 3)
TEXELSCOPE_SERIAL(clEnqueueWriteBuffer, 9)
TEXELSCOPE_SERIAL(clEnqueueWriteBufferRect, 14)
TEXELSCOPE_SERIAL(clEnqueueWriteImage, 11)
TEXELSCOPE_SERIAL(clFinish, 1)
TEXELSCOPE_SERIAL(clFlush, 1)
TEXELSCOPE_SERIAL(clGetKernelArgInfo, 6)
TEXELSCOPE_SERIAL(clGetKernelWorkGroupInfo, 6)
TEXELSCOPE_SERIAL(clLinkProgram, 9)
TEXELSCOPE_SERIAL(clReleaseCommandQueue, 1)
TEXELSCOPE_SERIAL(clReleaseContext, 1)
TEXELSCOPE_SERIAL(clReleaseEvent, 1)
TEXELSCOPE_SERIAL(clReleaseKernel, 1)
TEXELSCOPE_SERIAL(clReleaseMemObject, 1)
TEXELSCOPE_SERIAL(clReleaseProgram, 1)
TEXELSCOPE_SERIAL(clReleaseSampler, 1)
TEXELSCOPE_SERIAL(clRetainCommandQueue, 1)
TEXELSCOPE_SERIAL(clRetainContext, 1)
TEXELSCOPE_SERIAL(clRetainEvent, 1)
TEXELSCOPE_SERIAL(clRetainKernel, 1)
TEXELSCOPE_SERIAL(clRetainMemObject, 1)
TEXELSCOPE_SERIAL(clRetainProgram, 1)
TEXELSCOPE_SERIAL(clRetainSampler, 1)
TEXELSCOPE_SERIAL(clSetEventCallback, 4)
TEXELSCOPE_SERIAL(clSetKernelArg, 4)
TEXELSCOPE_SERIAL(clSetMemObjectDestructorCallback, 3)
TEXELSCOPE_SERIAL(clWaitForEvents, 2)
