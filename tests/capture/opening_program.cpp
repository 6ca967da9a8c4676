// A program that opens the OpenCL library by itself, as frameworks for phones do. It reads an image
// of each kind, every texel once, in groups of 8, and computes with whole and half numbers, which
// it prints: ITEM VALUE... Its argument is the library's name.

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

const char* const source = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void line(read_only image1d_t a, global float4* b)
{ int i = get_global_id(0); b[i] = read_imagef(a, i); }
kernel void line_buffer(read_only image1d_buffer_t a, global float4* b)
{ int i = get_global_id(0); b[i] = read_imagef(a, i); }
kernel void lines(read_only image1d_array_t a, global float4* b)
{ int2 i = (int2)(get_global_id(0) & 15, get_global_id(0) >> 4); b[16 * i.y + i.x] = read_imagef(a, i); }
kernel void plane(read_only image2d_t a, global float4* b)
{ int2 i = (int2)(get_global_id(0) & 15, get_global_id(0) >> 4); b[16 * i.y + i.x] = read_imagef(a, i); }
kernel void planes(read_only image2d_array_t a, global float4* b)
{
    int i = get_global_id(0);
    b[i] = convert_float4(read_imagei(a, (int4)(i & 15, i >> 4 & 7, i >> 7, 0)));
}
kernel void solid(read_only image3d_t a, global float4* b)
{
    int i = get_global_id(0);
    b[i] = convert_float4(read_imageui(a, (int4)(i & 15, i >> 4 & 7, i >> 7, 0)));
}
kernel void half_texels(read_only image2d_t a, global half4* b)
{
    int2 i = (int2)(get_global_id(0) & 15, get_global_id(0) >> 4);
    half4 v = read_imageh(a, i);
    b[16 * i.y + i.x] = v + v.yzwx;
}
struct scale { int shift; half2 by; };
constant struct scale scales[2] = {{1, (half2)(0.5h, -2.0h)}, {2, (half2)(1.25h, 0.1h)}};
kernel void numbers(global const int* in, global int* out)
{
    int i = get_global_id(0), x = in[i], y = in[i + 1];
    uint u = x, v = y;
    out[20 * i] = x < 0 ? -x : x;
    out[20 * i + 1] = u << 7 | u >> 25;
    out[20 * i + 2] = u > v ? u - v : 0;
    out[20 * i + 3] = popcount(u);
    out[20 * i + 4] = clz(x);
    out[20 * i + 5] = add_sat(x, y);
    half h = (half)((u & 0xfff) * 0.25f), k = (half)(float)(v & 63);
    out[20 * i + 6] = as_ushort((half)(h * k));
    out[20 * i + 7] = as_ushort((half)(h + k));
    half2 scaled = (half2)(h, k) * scales[i & 1].by;
    out[20 * i + 8] = as_ushort(scaled.y) << scales[i & 1].shift;
    half4 all = convert_half4((float4)(x & 0xffff, v & 255, -3.0f, 0.1f));
    half4 kept = fmin(clamp(all, (half4)(-2.0h), (half4)(1000.0h)), (half4)(h));
    out[20 * i + 9] = as_ushort(k > 31.5h ? (half)(scaled.x * 3.0h) : kept.x);
    out[20 * i + 10] = as_ushort(kept.z) + as_ushort(max(all, k).y);
    out[20 * i + 11] = as_ushort(convert_half_rtz((x & 0xfffff) * -0.01f));
    out[20 * i + 12] = as_ushort(convert_half_rtp((x & 0xfffff) * -0.01f));
    out[20 * i + 13] = as_ushort(convert_half_rtn((x & 0xfffff) * 0.01f));
    out[20 * i + 14] = as_ushort(convert_half(u & 0xffff)) + convert_int4_rtz(all * 0.5h).y;
    out[20 * i + 15] = as_ushort(sqrt(k)) + as_ushort(mad(h, k, all.w));
    out[20 * i + 16] = isnan(all.x - (half)INFINITY) + any(isgreater(all, kept));
    half halves[4];
    vstore4(select(all, kept, isless(all, (half4)(k))), 0, halves);
    float4 loaded = convert_float4(vload4(0, halves));
    out[20 * i + 17] = as_int(loaded.x + loaded.y * 0.5f + loaded.z + loaded.w);
    out[20 * i + 18] = dot_acc_sat_4x8packed_ss_int(u, v, x) ^ dot_4x8packed_us_int(u, v);
    out[20 * i + 19] = dot_acc_sat_4x8packed_uu_uint(u, v, v) ^ dot_4x8packed_su_int(u, v);
}
)";

void check(cl_int error, const char* what)
{
    if (error != CL_SUCCESS) {
        std::fprintf(stderr, "%s: %d\n", what, error);
        std::exit(4);
    }
}

/// What is read, and in what kind of image it lies. 128 or 256 texels each.
struct Case {
    const char* kernel;
    cl_mem_object_type type;
    std::size_t width, height, depth;
    cl_channel_type texels;
};
constexpr std::array cases{Case{"line", CL_MEM_OBJECT_IMAGE1D, 256, 1, 1, CL_FLOAT},
                           Case{"line_buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, 256, 1, 1, CL_FLOAT},
                           Case{"lines", CL_MEM_OBJECT_IMAGE1D_ARRAY, 16, 1, 8, CL_FLOAT},
                           Case{"plane", CL_MEM_OBJECT_IMAGE2D, 16, 16, 1, CL_UNORM_INT8},
                           Case{"planes", CL_MEM_OBJECT_IMAGE2D_ARRAY, 16, 8, 2, CL_SIGNED_INT32},
                           Case{"solid", CL_MEM_OBJECT_IMAGE3D, 16, 8, 2, CL_UNSIGNED_INT8},
                           Case{"half_texels", CL_MEM_OBJECT_IMAGE2D, 16, 16, 1, CL_HALF_FLOAT}};

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
    check(CL(clBuildProgram)(program, 1, &device, "-cl-std=CL3.0", nullptr, nullptr), "build");
    const auto launch = [&](const char* name, cl_mem first, cl_mem second, std::size_t items) {
        cl_kernel kernel = CL(clCreateKernel)(program, name, &error);
        check(error, name);
        check(CL(clSetKernelArg)(kernel, 0, sizeof first, &first), "argument 0");
        check(CL(clSetKernelArg)(kernel, 1, sizeof second, &second), "argument 1");
        const std::size_t local = 8;
        check(CL(clEnqueueNDRangeKernel)(queue, kernel, 1, nullptr, &items, &local, 0, nullptr,
                                         nullptr),
              name);
        check(CL(clFinish)(queue), "finish");
    };
    const auto buffer_of = [&](std::size_t bytes) {
        cl_mem buffer = CL(clCreateBuffer)(context, CL_MEM_READ_WRITE, bytes, nullptr, &error);
        check(error, "buffer");
        return buffer;
    };
    cl_mem out = buffer_of(16 * 256);
    for (const Case& c : cases) {
        const cl_image_format format{CL_RGBA, c.texels};
        cl_image_desc shape{};
        shape.image_type = c.type;
        shape.image_width = c.width;
        shape.image_height = c.height;
        const bool array =
            c.type == CL_MEM_OBJECT_IMAGE1D_ARRAY || c.type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        (array ? shape.image_array_size : shape.image_depth) = c.depth;
        if (c.type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
            shape.buffer = buffer_of(16 * c.width);
        }
        cl_mem image =
            CL(clCreateImage)(context, CL_MEM_READ_ONLY, &format, &shape, nullptr, &error);
        check(error, c.kernel);
        launch(c.kernel, image, out, c.width * c.height * c.depth);
    }
    std::array<cl_int, 65> in{};
    unsigned state = 1;
    for (cl_int& number : in) {
        state = state * 1664525U + 1013904223U;
        number = static_cast<cl_int>(state ^ state >> 13U) >> (state & 31U);
    }
    std::array<cl_int, 20 * 64> results{};
    cl_mem given = buffer_of(sizeof in);
    cl_mem computed = buffer_of(sizeof results);
    check(CL(clEnqueueWriteBuffer)(queue, given, CL_TRUE, 0, sizeof in, in.data(), 0, nullptr,
                                   nullptr),
          "write");
    launch("numbers", given, computed, 64);
    check(CL(clEnqueueReadBuffer)(queue, computed, CL_TRUE, 0, sizeof results, results.data(), 0,
                                  nullptr, nullptr),
          "read");
    for (std::size_t i = 0; i < 64; ++i) {
        std::printf("%zu %d %d", i, in[i], in[i + 1]);
        for (std::size_t k = 0; k < 20; ++k) {
            std::printf(" %d", results[20 * i + k]);
        }
        std::printf("\n");
    }
    return 0;
}
