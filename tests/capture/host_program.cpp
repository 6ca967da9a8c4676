// An OpenCL program like any other, for the tests of trace capture: it knows nothing of Texelscope.
// Texel (x, y, z) of every image holds 1 + x + 32 y + 1024 z. The kernels leave what each read got
// (and where between two texels it was) in a buffer, which is printed: KERNEL GROUP ITEM READ VALUE
// A B C.
//
//     host_program images|threads|barrier|buffers|copies|odd|none|fail|crash|stays

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

const char* const source = R"(
const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
const sampler_t turns = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
const sampler_t mirrors = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
const sampler_t edge_between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
const sampler_t border_between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
const sampler_t turns_between = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;

int number(void)
{
    int group = get_group_id(0) + get_num_groups(0) * get_group_id(1);
    int item = get_local_id(0) + get_local_size(0) * get_local_id(1);
    return (group * (int)(get_local_size(0) * get_local_size(1)) + item) * 4;
}

float between(float u) { return u - 0.5f - floor(u - 0.5f); }

kernel void edges(read_only image2d_t a, read_only image2d_t b, write_only image2d_t w, global float4* seen)
{
    int x = get_global_id(0), y = get_global_id(1), n = number();
    seen[n] = read_imagef(a, border, (int2)(x - 2, y + 1));
    seen[n + 1] = read_imagef(b, edge, (int2)(2 * x - 3, y - 1));
    seen[n + 2] = read_imagef(a, border, (float2)(0.5f * x, 1.5f * y));
    if (x != y)
        seen[n + 3] = read_imagef(b, (int2)(x % 5, y % 3));
    write_imagef(w, (int2)(y, x), seen[n]);
}

kernel void wraps(sampler_t given, read_only image2d_t a, global float4* seen)
{
    int x = get_global_id(0), y = get_global_id(1), n = number();
    float2 at = (float2)(0.171f * x - 1.13f, 0.293f * y - 0.71f);
    seen[n] = read_imagef(a, turns, at);
    seen[n + 1] = read_imagef(a, mirrors, at);
    seen[n + 2] = read_imagef(a, given, at);
}

kernel void blends(read_only image2d_t a, read_only image1d_t line, read_only image3d_t solid, global float4* seen)
{
    int x = get_global_id(0), y = get_global_id(1), n = number();
    float2 at = (float2)(0.8f * x - 1.3f, 1.7f * y - 0.4f);
    seen[n] = read_imagef(a, edge_between, at);
    seen[n].yz = (float2)(between(at.x), between(at.y));
    seen[n + 1] = read_imagef(line, border_between, at.x);
    seen[n + 1].y = between(at.x);
    float4 there = (float4)(0.137f * x - 0.4f, 0.311f * y - 0.2f, 0.077f * (x + y), 0);
    float4 u = (there - floor(there)) * (float4)(get_image_width(solid), get_image_height(solid), get_image_depth(solid), 1);
    seen[n + 2] = read_imagef(solid, turns_between, there);
    seen[n + 2].yzw = (float3)(between(u.x), between(u.y), between(u.z));
    seen[n + 3] = read_imagef(solid, edge, (int4)(x - 1, y - 1, x - y, 0));
}

kernel void layers(read_only image2d_array_t stack, read_only image1d_array_t rows, global float4* seen)
{
    int x = get_global_id(0), y = get_global_id(1), n = number();
    seen[n] = read_imagef(stack, edge, (int4)(x, y - 1, x - y, 0));
    seen[n + 1] = read_imagef(stack, border, (float4)(x, y, 0.4f * x, 0));
    seen[n + 2] = read_imagef(rows, edge, (int2)(x - 1, y - 1));
}

kernel void waits(read_only image2d_t a, global float4* seen, local float* shared)
{
    int l = get_local_id(0), n = number();
    seen[n] = read_imagef(a, border, (int2)(l, 0));
    shared[l] = seen[n].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    float other = shared[(l + 1) % get_local_size(0)];
    seen[n + 1] = read_imagef(a, edge, (int2)(other - 1, 1)); // the texel that the neighbour read, one row on
}

kernel void sums(global const float* in, constant float* scale, global float4* out, global int* count)
{
    int i = get_global_id(0);
    out[i] = in[i] * scale[0] + vload4(i, in);
    atomic_inc(count);
}

typedef struct { float values[20000]; } Large;
kernel void copies(global const Large* in, global Large* out)
{
    if (get_global_id(0) == 0)
        *out = *in;
}
)";

void check(cl_int code, const char* what)
{
    if (code != CL_SUCCESS) {
        std::fprintf(stderr, "%s: %d\n", what, code);
        std::exit(9);
    }
}

struct Host {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_program program = nullptr;
    std::mutex print;

    Host()
    {
        cl_platform_id platform = nullptr;
        check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
        check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
        cl_int code = 0;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        const char* text = source;
        program = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
        check(code, "clCreateProgramWithSource");
        check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    }

    cl_command_queue queue() const
    {
        cl_int code = 0;
        cl_command_queue out = clCreateCommandQueue(context, device, 0, &code);
        check(code, "clCreateCommandQueue");
        return out;
    }

    cl_kernel kernel(const char* name) const
    {
        cl_int code = 0;
        cl_kernel out = clCreateKernel(program, name, &code);
        check(code, name);
        return out;
    }

    cl_mem image(cl_mem_object_type type, std::size_t width, std::size_t height,
                 std::size_t depth) const
    {
        std::vector<float> texels(width * height * depth * 4);
        for (std::size_t i = 0; i < width * height * depth; ++i) {
            const std::size_t x = i % width;
            const std::size_t y = i / width % height;
            const std::size_t z = i / width / height;
            texels[4 * i] = static_cast<float>(1 + x + 32 * y + 1024 * z);
        }
        cl_image_desc desc{};
        desc.image_type = type;
        desc.image_width = width;
        desc.image_height = height;
        desc.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? depth : 1;
        desc.image_array_size = depth;
        const cl_image_format format{CL_RGBA, CL_FLOAT};
        cl_int code = 0;
        cl_mem out = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format,
                                   &desc, texels.data(), &code);
        check(code, "clCreateImage");
        return out;
    }

    cl_mem buffer(std::size_t bytes) const
    {
        cl_int code = 0;
        std::vector<char> zeros(bytes);
        cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                    zeros.data(), &code);
        check(code, "clCreateBuffer");
        return out;
    }

    /// Launches with `seen` as the argument of that number, and prints what the reads got.
    void launch(cl_command_queue queue, const char* name, cl_kernel kernel, cl_uint seen_argument,
                std::array<std::size_t, 2> groups, std::array<std::size_t, 2> local)
    {
        const std::size_t group_size = local[0] * local[1];
        const std::size_t rows = groups[0] * groups[1] * group_size * 4;
        cl_mem seen = buffer(rows * 16);
        check(clSetKernelArg(kernel, seen_argument, sizeof seen, &seen), "clSetKernelArg");
        const std::size_t global[2] = {groups[0] * local[0], groups[1] * local[1]};
        check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local.data(), 0, nullptr,
                                     nullptr),
              name);
        std::vector<float> values(rows * 4);
        check(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, rows * 16, values.data(), 0, nullptr,
                                  nullptr),
              "read");
        const std::lock_guard lock(print);
        for (std::size_t i = 0; i < rows; ++i) {
            std::printf("%s %zu %zu %zu %.9g %.9g %.9g %.9g\n", name, i / 4 / group_size,
                        i / 4 % group_size, i % 4, values[4 * i], values[4 * i + 1],
                        values[4 * i + 2], values[4 * i + 3]);
        }
        clReleaseMemObject(seen);
    }
};

template <class... Values>
void set(cl_kernel kernel, cl_uint first, const Values&... values)
{
    (check(clSetKernelArg(kernel, first++, sizeof values, &values), "clSetKernelArg"), ...);
}

void edges(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("edges");
    set(kernel, 0, host.image(CL_MEM_OBJECT_IMAGE2D, 10, 6, 1),
        host.image(CL_MEM_OBJECT_IMAGE2D, 7, 5, 1), host.image(CL_MEM_OBJECT_IMAGE2D, 12, 12, 1));
    host.launch(queue, "edges", kernel, 3, {3, 2}, {4, 3});
}

void wraps(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("wraps");
    cl_int code = 0;
    cl_sampler given =
        clCreateSampler(host.context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &code);
    check(code, "clCreateSampler");
    set(kernel, 0, given, host.image(CL_MEM_OBJECT_IMAGE2D, 11, 5, 1));
    host.launch(queue, "wraps", kernel, 2, {4, 3}, {5, 2});
}

void blends(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("blends");
    set(kernel, 0, host.image(CL_MEM_OBJECT_IMAGE2D, 6, 9, 1),
        host.image(CL_MEM_OBJECT_IMAGE1D, 8, 1, 1), host.image(CL_MEM_OBJECT_IMAGE3D, 5, 4, 3));
    host.launch(queue, "blends", kernel, 3, {3, 3}, {4, 2});
}

void layers(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("layers");
    set(kernel, 0, host.image(CL_MEM_OBJECT_IMAGE2D_ARRAY, 6, 5, 4),
        host.image(CL_MEM_OBJECT_IMAGE1D_ARRAY, 9, 1, 3));
    host.launch(queue, "layers", kernel, 2, {2, 3}, {4, 2});
}

void waits(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("waits");
    set(kernel, 0, host.image(CL_MEM_OBJECT_IMAGE2D, 16, 2, 1));
    check(clSetKernelArg(kernel, 2, 16 * sizeof(float), nullptr), "clSetKernelArg");
    host.launch(queue, "waits", kernel, 1, {3, 1}, {16, 1});
}

void sums(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("sums");
    set(kernel, 0, host.buffer(256), host.buffer(16), host.buffer(256), host.buffer(4));
    const std::size_t global = 16;
    const std::size_t local = 8;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr),
          "sums");
    check(clFinish(queue), "clFinish");
}

void copies(Host& host, cl_command_queue queue)
{
    cl_kernel kernel = host.kernel("copies");
    set(kernel, 0, host.buffer(80000), host.buffer(80000));
    const std::size_t size = 4;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, &size, 0, nullptr, nullptr),
          "copies");
    check(clFinish(queue), "clFinish");
}

/// A global size that the local size does not divide, a global offset, one image as two arguments;
/// then an image of a format that Oclgrind cannot read.
void odd(Host& host, cl_command_queue queue)
{
    const char* text =
        "kernel void odd(read_only image2d_t a, read_only image2d_t b, global float4* out) {"
        "    int x = get_global_id(0);"
        "    out[x - 3] = read_imagef(a, (int2)(x, 0)) + read_imagef(b, (int2)(x, 1));"
        "}";
    cl_int code = 0;
    cl_program program = clCreateProgramWithSource(host.context, 1, &text, nullptr, &code);
    check(clBuildProgram(program, 1, &host.device, "-cl-std=CL2.0", nullptr, nullptr),
          "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "odd", &code);
    check(code, "odd");
    cl_mem image = host.image(CL_MEM_OBJECT_IMAGE2D, 16, 2, 1);
    set(kernel, 0, image, image, host.buffer(160));
    const std::size_t offset = 3;
    const std::size_t global = 10;
    const std::size_t local = 4;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, &local, 0, nullptr, nullptr),
          "odd");
    check(clFinish(queue), "clFinish");

    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = 16;
    desc.image_height = 2;
    const cl_image_format packed{CL_RGB, CL_UNORM_SHORT_565};
    cl_mem other = clCreateImage(host.context, CL_MEM_READ_ONLY, &packed, &desc, nullptr, &code);
    check(code, "clCreateImage");
    set(kernel, 0, other);
    check(clEnqueueNDRangeKernel(queue, kernel, 1, &offset, &global, &local, 0, nullptr, nullptr),
          "odd");
    check(clFinish(queue), "clFinish");
}

} // namespace

int main(int argc, char** argv)
{
    const std::string mode = argc > 1 ? argv[1] : "images";
    Host host;
    cl_command_queue first = host.queue();
    cl_command_queue second = host.queue();
    if (mode == "images") {
        edges(host, first);
        wraps(host, second);
        blends(host, first);
        layers(host, second);
    } else if (mode == "threads") {
        std::thread one([&] {
            for (int i = 0; i < 3; ++i) {
                edges(host, first);
                waits(host, first);
            }
        });
        std::thread other([&] {
            for (int i = 0; i < 5; ++i) {
                wraps(host, second);
            }
        });
        one.join();
        other.join();
    } else if (mode == "barrier") {
        waits(host, first);
    } else if (mode == "buffers") {
        sums(host, first);
    } else if (mode == "copies") {
        copies(host, first);
    } else if (mode == "odd") {
        odd(host, first);
    } else if (mode == "fail" || mode == "crash") {
        edges(host, first);
        std::fflush(stdout);
        if (mode == "crash") {
            std::abort();
        }
        return 7;
    } else if (mode == "stays") {
        edges(host, first);
        std::printf("ready %d\n", static_cast<int>(::getpid()));
        std::fflush(stdout);
        while (true) {
            ::pause();
        }
    }
    return 0;
}
