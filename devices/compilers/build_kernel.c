// texelscope-build-kernel OPTIONS FILE.cl...: builds OpenCL C for a device of the OpenCL library that TEXELSCOPE_OPENCL names, so
// that its driver's compiler prints what it made of it. Nothing is run. Plain C that tcc takes too, as it is compiled once more
// where the compiler of another machine works under emulation.
//
// Standard output: "device NAME", "driver VERSION"; then for each file "file NUMBER", from 0 on, what the compiler prints, and
// "kernel NAME" for each kernel that was made, or "failed ERROR" and the build log; "end" behind the last. Exit codes: 0 all were
// tried, 2 bad input, 3 no library or device.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

enum { tried = 0, bad_input = 2, missing = 3, most = 16 };

static void *library;

// In the place of libdrm's: the stand-in for the hardware has no fences, without which Mesa ends the process where it uploads a
// constant table. Nothing is run, so that any file does for one.
int drmSyncobjExportSyncFile(int device, unsigned handle, int *file)
{
    (void)device;
    (void)handle;
    *file = open("/dev/null", O_RDWR);
    return *file < 0 ? -1 : 0;
}

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

static void build(cl_context context, cl_device_id device, const char *options, const char *text, size_t size)
{
    cl_program (*program_of)(cl_context, cl_uint, const char **, const size_t *, cl_int *) =
        function("clCreateProgramWithSource");
    cl_int (*build_program)(cl_program, cl_uint, const cl_device_id *, const char *, void *, void *) =
        function("clBuildProgram");
    cl_int (*kernels_of)(cl_program, cl_uint, cl_kernel *, cl_uint *) = function("clCreateKernelsInProgram");
    cl_int (*info_of)(cl_kernel, cl_kernel_info, size_t, void *, size_t *) = function("clGetKernelInfo");
    cl_int (*release_kernel)(cl_kernel) = function("clReleaseKernel");
    cl_int (*release_program)(cl_program) = function("clReleaseProgram");
    cl_int error;
    cl_kernel *kernels;
    cl_uint made = 0, i;
    char name[1024] = "";
    cl_program program = program_of(context, 1, &text, &size, &error);
    error = program ? build_program(program, 1, &device, options, NULL, NULL) : error;
    if (error != CL_SUCCESS) {
        printf("failed %d\n", error);
        if (program) {
            print_log(program, device);
        }
        return;
    }
    kernels_of(program, 0, NULL, &made);
    kernels = calloc(made + 1, sizeof *kernels);
    if (!kernels || (made > 0 && kernels_of(program, made, kernels, NULL) != CL_SUCCESS)) {
        made = 0;
    }
    for (i = 0; i < made; ++i) {
        info_of(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
        printf("kernel %s\n", name);
        release_kernel(kernels[i]);
    }
    free(kernels);
    release_program(program);
}

int main(int count, char **words)
{
    const char *path = getenv("TEXELSCOPE_OPENCL");
    char name[1024] = "", driver[1024] = "";
    cl_device_id device;
    cl_int error;
    int i;
    if (count < 3) {
        fprintf(stderr, "texelscope-build-kernel: options and files of OpenCL C are needed\n");
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

    device = first_device();
    if (!device) {
        fprintf(stderr, "the OpenCL library has no device\n");
        return missing;
    }
    info_of(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    info_of(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    printf("device %s\ndriver %s\n", name, driver);
    cl_context context = context_of(NULL, 1, &device, NULL, NULL, &error);
    if (!context) {
        fprintf(stderr, "no context: error %d\n", error);
        return missing;
    }
    for (i = 2; i < count; ++i) {
        size_t size = 0;
        char *text = contents(words[i], &size);
        if (!text) {
            fprintf(stderr, "%s cannot be read\n", words[i]);
            return bad_input;
        }
        printf("file %d\n", i - 2);
        fflush(NULL);
        build(context, device, words[1], text, size);
        fflush(NULL);
        free(text);
    }
    printf("end\n");
    fflush(NULL);
    return tried;
}
