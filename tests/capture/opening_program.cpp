// A program that opens the OpenCL library by itself, as frameworks for phones do, and copies an
// image of 16x16 texels to a buffer in groups of 8x8. Its argument is the library's name.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

void* library = nullptr;

template <class Function>
Function* named(const char* name)
{
    void* found = dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "no %s\n", name);
        std::exit(3);
    }
    return reinterpret_cast<Function*>(found);
}
#define CL(function) named<decltype(function)>(#function)

const char* const source =
    "kernel void t(read_only image2d_t a, global float4 *b) { int2 i = (int2)(get_global_id(0), "
    "get_global_id(1)); b[i.y * 16 + i.x] = read_imagef(a, i); }";

void check(cl_int error, const char* what)
{
    if (error != CL_SUCCESS) {
        std::fprintf(stderr, "%s: %d\n", what, error);
        std::exit(4);
    }
}

} // namespace

int main(int, char** words)
{
    library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int error = CL_SUCCESS;
    check(CL(clGetPlatformIDs)(1, &platform, nullptr), "platform");
    check(CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    cl_context context = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &error);
    check(error, "context");
    cl_command_queue queue = CL(clCreateCommandQueue)(context, device, 0, &error);
    check(error, "queue");
    const char* text = source;
    cl_program program = CL(clCreateProgramWithSource)(context, 1, &text, nullptr, &error);
    check(CL(clBuildProgram)(program, 1, &device, "", nullptr, nullptr), "build");
    cl_kernel kernel = CL(clCreateKernel)(program, "t", &error);
    check(error, "kernel");
    const cl_image_format format{CL_RGBA, CL_FLOAT};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.image_width = shape.image_height = 16;
    cl_mem image = CL(clCreateImage)(context, CL_MEM_READ_ONLY, &format, &shape, nullptr, &error);
    check(error, "image");
    cl_mem buffer = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, 16 * 256, nullptr, &error);
    check(error, "buffer");
    check(CL(clSetKernelArg)(kernel, 0, sizeof image, &image), "argument 0");
    check(CL(clSetKernelArg)(kernel, 1, sizeof buffer, &buffer), "argument 1");
    const std::array<std::size_t, 2> global{16, 16}, local{8, 8};
    check(CL(clEnqueueNDRangeKernel)(queue, kernel, 2, nullptr, global.data(), local.data(), 0,
                                     nullptr, nullptr),
          "launch");
    check(CL(clFinish)(queue), "finish");
    return 0;
}
