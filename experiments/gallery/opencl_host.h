/* What every small OpenCL program needs, in C: a device, a kernel, images, and a stop at the first error. */
#ifndef OPENCL_HOST_H
#define OPENCL_HOST_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) check((call), #call, __LINE__)

/* Ends the program at the first call that fails: these programs have nothing to go on with. */
static void check(cl_int status, const char *call, int line)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "line %d: %s gives error %d\n", line, call, status);
        exit(1);
    }
}

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} host_t;

/* The first device of the first platform that has one. */
static host_t open_host(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(16, platforms, &count));
    host_t host = {0};
    for (cl_uint i = 0; i < count && i < 16 && host.device == NULL; ++i) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &host.device, NULL) != CL_SUCCESS) {
            host.device = NULL;
        }
    }
    if (host.device == NULL) {
        fprintf(stderr, "no OpenCL device\n");
        exit(1);
    }
    cl_int status;
    host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &status);
    check(status, "clCreateContext", __LINE__);
    host.queue = clCreateCommandQueue(host.context, host.device, 0, &status);
    check(status, "clCreateCommandQueue", __LINE__);
    return host;
}

static void close_host(host_t host)
{
    CHECK(clReleaseCommandQueue(host.queue));
    CHECK(clReleaseContext(host.context));
}

/* Builds the kernels of a source; one that does not build prints what the compiler says. */
static cl_program build_program(host_t host, const char *source)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(host.context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource", __LINE__);
    if (clBuildProgram(program, 1, &host.device, "", NULL, NULL) != CL_SUCCESS) {
        char log[8192] = "";
        clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "the kernels do not build:\n%s\n", log);
        exit(1);
    }
    return program;
}

static cl_kernel find_kernel(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, name, __LINE__);
    return kernel;
}

/* An RGBA image that kernels may read and write; NULL: its texels are not set. */
static cl_mem make_image(host_t host, cl_channel_type type, size_t width, size_t height, const void *texels)
{
    const cl_image_format format = {CL_RGBA, type};
    cl_image_desc desc = {0};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    const cl_mem_flags copy = texels != NULL ? CL_MEM_COPY_HOST_PTR : 0;
    cl_int status;
    cl_mem image = clCreateImage(host.context, CL_MEM_READ_WRITE | copy, &format, &desc, (void *)texels, &status);
    check(status, "clCreateImage", __LINE__);
    return image;
}

static void read_image(host_t host, cl_mem image, size_t width, size_t height, void *texels)
{
    const size_t origin[3] = {0, 0, 0};
    const size_t region[3] = {width, height, 1};
    CHECK(clEnqueueReadImage(host.queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
}

/* Runs a kernel over an image, one work-item a texel, the last groups reaching beyond its edge. */
static void run_over(host_t host, cl_kernel kernel, size_t width, size_t height, size_t group_x, size_t group_y)
{
    const size_t local[2] = {group_x, group_y};
    const size_t global[2] = {(width + group_x - 1) / group_x * group_x, (height + group_y - 1) / group_y * group_y};
    CHECK(clEnqueueNDRangeKernel(host.queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
}

/* Width and height from the command line. */
static void read_size(int argc, char **argv, int *width, int *height)
{
    if (argc > 1) {
        *width = atoi(argv[1]);
    }
    if (argc > 2) {
        *height = atoi(argv[2]);
    }
    if (*width < 1 || *height < 1 || *width > 8192 || *height > 8192) {
        fprintf(stderr, "usage: %s [WIDTH HEIGHT], 1 to 8192\n", argv[0]);
        exit(2);
    }
}

#endif
