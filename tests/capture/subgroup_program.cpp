// A program whose kernels use sub-groups, for the tests of trace capture. Prints what every
// work-item put into its row of `out`: KERNEL ITEM VALUE..., and first what it reads: in VALUE....
//
//     subgroup_program KERNEL SEED LOCAL_X LOCAL_Y GROUPS

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::size_t row = 40;

const char* const source = R"(
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define BEGIN                                                                     \
    int i = (get_group_id(0) * get_local_size(1) + get_local_id(1)) * get_local_size(0) \
            + get_local_id(0);                                                    \
    int n = in[i];                                                                \
    global int* o = out + 40 * i;
#define ARGUMENTS read_only image2d_t a, global const int* in, global int* out

int texel(read_only image2d_t a, int number)
{
    return (int)read_imagef(a, (int2)(number & 15, number >> 4 & 15)).x;
}

// Calls that all work-items make.
kernel void uniform_calls(ARGUMENTS)
{
    BEGIN
    o[0] = get_sub_group_size();
    o[1] = get_max_sub_group_size();
    o[2] = get_num_sub_groups();
    o[3] = get_sub_group_id();
    o[4] = get_sub_group_local_id();
    o[5] = sub_group_reduce_add(n);
    o[6] = sub_group_reduce_min(n);
    o[7] = sub_group_reduce_max((float)n);
    o[8] = sub_group_scan_exclusive_add(n);
    o[9] = sub_group_scan_inclusive_max(n);
    o[10] = sub_group_scan_exclusive_min(n);
    o[11] = sub_group_broadcast(n, get_sub_group_size() - 1);
    o[12] = sub_group_all(n > -97);
    o[13] = sub_group_any(n > 97);
    uint lane = get_sub_group_local_id();
    uint other = (uint)(n + 100) % get_sub_group_size();
    o[14] = sub_group_shuffle(n, other);
    o[15] = sub_group_shuffle_xor(n, 1);
    o[16] = sub_group_shuffle_up(n, 2);
    o[17] = sub_group_shuffle_down(n, 3);
    uint4 votes = sub_group_ballot(n & 1);
    o[18] = votes.x;
    o[19] = votes.w;
    o[20] = sub_group_ballot_bit_count(votes);
    o[21] = sub_group_ballot_exclusive_scan(votes);
    o[22] = sub_group_ballot_find_msb(votes);
    o[23] = sub_group_elect();
    o[24] = intel_sub_group_shuffle((float4)(n, lane, 2 * n, 0), other).z;
    o[25] = intel_sub_group_shuffle_down(n, 1000 + n, 3);
    o[26] = intel_sub_group_shuffle_up(1000 + n, n, 3);
    o[27] = (int)sub_group_reduce_add((long)n << 33) == 0;
    o[28] = sub_group_clustered_reduce_max(n, 2);
    o[29] = texel(a, sub_group_reduce_max(n) + 100);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[30] = texel(a, sub_group_scan_inclusive_add(n & 7));
    o[31] = (int)get_sub_group_lt_mask().x;
    o[32] = (short)sub_group_non_uniform_reduce_mul((short)n);
    o[33] = sub_group_non_uniform_reduce_logical_xor(n & 1);
    o[34] = sub_group_non_uniform_all_equal(n);
    o[35] = sub_group_inverse_ballot(votes);
}

// A tree by shuffles, and the sums of sub-groups added up by the first one.
kernel void two_steps(ARGUMENTS)
{
    local int sums[256];
    BEGIN
    int sum = n;
    for (uint d = get_max_sub_group_size() / 2; d > 0; d /= 2)
        sum += sub_group_shuffle_xor(sum, d);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) {
        int part = 0;
        for (uint s = get_sub_group_local_id(); s < get_num_sub_groups(); s += get_sub_group_size())
            part += sums[s];
        part = sub_group_reduce_add(part);
        if (get_sub_group_local_id() == 0)
            sums[0] = part;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[0] = sum;
    o[1] = sums[0];
    o[2] = texel(a, sum & 255);
}

int helper(int n) { return sub_group_non_uniform_reduce_add(n); }

// Calls in branches, which take part of the sub-group, and one behind them.
kernel void branches(ARGUMENTS)
{
    BEGIN
    if (n % 3 == 0) {
        o[0] = sub_group_non_uniform_reduce_add(n);
        if (n & 1)
            o[1] = sub_group_broadcast_first(n);
        o[2] = popcount(sub_group_ballot(1).x);
    } else if (n % 3 == 1)
        o[0] = helper(2 * n);
    else
        o[0] = helper(3 * n);
    o[3] = sub_group_reduce_add(o[0] & 15);
    if (n < 0)
        return;
    o[4] = sub_group_elect();
    o[5] = sub_group_shuffle(n, 0);
    o[6] = texel(a, sub_group_non_uniform_scan_inclusive_add(n & 3));
}

// OpenCL wants all work-items of a sub-group at this call.
kernel void apart(ARGUMENTS)
{
    BEGIN
    if (n > 0)
        o[0] = sub_group_reduce_add(n);
    o[1] = texel(a, n + 100);
}

// Nobody can tell which turns of the loop belong together.
kernel void loop_apart(ARGUMENTS)
{
    BEGIN
    for (int turn = 0; turn < 4; ++turn) {
        if ((n >> turn & 1) != 0)
            o[turn] = popcount(sub_group_ballot(1).x);
        else
            o[turn] = sub_group_elect();
        o[turn] += texel(a, n + 100);
    }
}

// The turns in which a work-item calls are its own.
kernel void some_turns(ARGUMENTS)
{
    BEGIN
    for (int turn = 0; turn < 5; ++turn)
        if ((n >> turn & 1) != 0)
            o[turn] = popcount(sub_group_ballot(1).x) + texel(a, n + 100);
}

// All that have not returned call in every turn.
kernel void every_turn(ARGUMENTS)
{
    BEGIN
    if (n < 0)
        return;
    int sum = 0;
    for (int turn = 0; turn < in[0] + 100; ++turn)
        sum += sub_group_shuffle_xor(n + turn, turn & 1);
    o[0] = sum;
    o[1] = texel(a, sum & 255);
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void required(ARGUMENTS)
{
    BEGIN
    o[0] = get_max_sub_group_size();
    o[1] = sub_group_reduce_add(n);
    o[2] = texel(a, n + 100);
}

kernel void unsupported(ARGUMENTS)
{
    BEGIN
    o[0] = intel_sub_group_block_read((global const uint*)in);
}
)";

void check(cl_int code, const char* what)
{
    if (code != CL_SUCCESS) {
        std::fprintf(stderr, "%s: %d\n", what, static_cast<int>(code));
        std::exit(9);
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 6) {
        return 8;
    }
    const std::string name = argv[1];
    std::uint64_t state = std::strtoull(argv[2], nullptr, 10);
    const std::size_t local[2] = {std::strtoull(argv[3], nullptr, 10),
                                  std::strtoull(argv[4], nullptr, 10)};
    const std::size_t global[2] = {local[0] * std::strtoull(argv[5], nullptr, 10), local[1]};
    const std::size_t items = global[0] * global[1];
    std::vector<cl_int> in(items);
    std::printf("in 0");
    for (cl_int& value : in) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        value = static_cast<cl_int>(state >> 33U) % 100 - (state >> 20U & 1U ? 100 : 0);
        std::printf(" %d", value);
    }
    std::printf("\n");

    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    cl_int code = 0;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    char extensions[4096] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, nullptr),
          "clGetDeviceInfo");
    std::printf("reported %d\n", std::strstr(extensions, "cl_khr_subgroups") != nullptr ? 1 : 0);
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "clCreateCommandQueue");
    const char* text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL2.0", nullptr, nullptr), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, name.c_str(), &code);
    check(code, "clCreateKernel");

    std::vector<float> texels(16 * 16 * 4);
    for (std::size_t i = 0; i < 256; ++i) {
        texels[4 * i] = static_cast<float>(1000 + i);
    }
    const cl_image_format format{CL_RGBA, CL_FLOAT};
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = 16;
    desc.image_height = 16;
    cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc,
                                 texels.data(), &code);
    check(code, "clCreateImage");
    std::vector<cl_int> out(items * row, -1);
    cl_mem given = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, 4 * items,
                                  in.data(), &code);
    check(code, "clCreateBuffer");
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, 4 * out.size(),
                                 out.data(), &code);
    check(code, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof image, &image), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof given, &given), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof made, &made), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, made, CL_TRUE, 0, 4 * out.size(), out.data(), 0, nullptr,
                              nullptr),
          "clEnqueueReadBuffer");
    for (std::size_t i = 0; i < items; ++i) {
        std::printf("%s %zu", name.c_str(), i);
        for (std::size_t k = 0; k < row; ++k) {
            std::printf(" %d", out[i * row + k]);
        }
        std::printf("\n");
    }
    return 0;
}
