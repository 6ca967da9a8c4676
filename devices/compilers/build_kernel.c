// texelscope-build-kernel FILE.cl [OPTIONS]: builds OpenCL C for each device of the OpenCL library that TEXELSCOPE_OPENCL names,
// so that its driver's compiler prints what it made of it. Nothing is run. Plain C that tcc takes too, as it is compiled once
// more where the compiler of another machine works under emulation.
//
// Standard output: "device NAME", "driver VERSION", then "kernel NAME" for each kernel that was made; the build log behind "log"
// where the build failed. Exit codes: 0 built, 1 the build failed, 2 bad input, 3 no library or device.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { built = 0, failed = 1, bad_input = 2, missing = 3, most = 16 };

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the OpenCL library has no %s\n", name);
        exit(missing);
    }
    return found;
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long end;
    if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
        return NULL;
    }
    rewind(file);
    text = malloc((size_t)end + 1);
    *size = text ? fread(text, 1, (size_t)end, file) : 0;
    fclose(file);
    return text;
}

static cl_device_id first_device(void)
{
    cl_int (*platforms_of)(cl_uint, cl_platform_id *, cl_uint *) = function("clGetPlatformIDs");
    cl_int (*devices_of)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *) =
        function("clGetDeviceIDs");
    cl_platform_id platforms[most];
    cl_uint count = 0, i;
    if (platforms_of(most, platforms, &count) != CL_SUCCESS) {
        return NULL;
    }
    for (i = 0; i < count && i < most; ++i) {
        cl_device_id device;
        if (devices_of(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS) {
            return device;
        }
    }
    return NULL;
}

static void print_log(cl_program program, cl_device_id device)
{
    cl_int (*info_of)(cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *) =
        function("clGetProgramBuildInfo");
    size_t size = 0;
    char *log;
    info_of(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = calloc(1, size + 1);
    if (log) {
        info_of(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        printf("log\n%s\n", log);
    }
}

int main(int count, char **words)
{
    const char *path = getenv("TEXELSCOPE_OPENCL");
    const char *options = count > 2 ? words[2] : "";
    size_t size = 0;
    char *text = count > 1 ? contents(words[1], &size) : NULL;
    char name[1024] = "", driver[1024] = "";
    cl_device_id device;
    cl_int error;
    if (!text) {
        fprintf(stderr, "texelscope-build-kernel: a file of OpenCL C is needed\n");
        return bad_input;
    }
    library = dlopen(path ? path : "libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return missing;
    }
    cl_int (*info_of)(cl_device_id, cl_device_info, size_t, void *, size_t *) = function("clGetDeviceInfo");
    cl_context (*context_of)(const cl_context_properties *, cl_uint, const cl_device_id *, void *, void *, cl_int *) =
        function("clCreateContext");
    cl_program (*program_of)(cl_context, cl_uint, const char **, const size_t *, cl_int *) =
        function("clCreateProgramWithSource");
    cl_int (*build)(cl_program, cl_uint, const cl_device_id *, const char *, void *, void *) =
        function("clBuildProgram");
    cl_int (*kernels_of)(cl_program, cl_uint, cl_kernel *, cl_uint *) = function("clCreateKernelsInProgram");
    cl_int (*kernel_info)(cl_kernel, cl_kernel_info, size_t, void *, size_t *) = function("clGetKernelInfo");

    device = first_device();
    if (!device) {
        fprintf(stderr, "the OpenCL library has no device\n");
        return missing;
    }
    info_of(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    info_of(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    printf("device %s\ndriver %s\n", name, driver);
    fflush(stdout);
    cl_context context = context_of(NULL, 1, &device, NULL, NULL, &error);
    if (!context) {
        fprintf(stderr, "no context: error %d\n", error);
        return missing;
    }
    cl_program program = program_of(context, 1, (const char **)&text, &size, &error);
    error = program ? build(program, 1, &device, options, NULL, NULL) : error;
    if (error != CL_SUCCESS) {
        printf("failed %d\n", error);
        if (program) {
            print_log(program, device);
        }
        return failed;
    }
    cl_kernel kernels[most];
    cl_uint made = 0, i;
    kernels_of(program, most, kernels, &made);
    for (i = 0; i < made && i < most; ++i) {
        kernel_info(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        printf("kernel %s\n", name);
    }
    fflush(stdout);
    return built;
}
