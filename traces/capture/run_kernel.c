// texelscope-run-kernel FOLDER: builds a program of OpenCL C, tells of its kernels, and launches
// one of them once. It runs under Oclgrind, whose functions it finds in its own process.
//
// In the folder lie `source` and `options`, as they are; for a launch also `request`, and for each
// argument with data a file `0`, `1` ... `request` has a line for each item:
//
//     kernel NAME
//     global X Y Z
//     local X Y Z
//     image KIND ORDER TYPE WIDTH HEIGHT DEPTH    KIND: 1D, 1D-buffer ...; DEPTH: slices or layers
//     buffer BYTES
//     value BYTES
//     local-memory BYTES
//     sampler NORMALIZED ADDRESS FILTER
//
// It writes `answer`:
//
//     kernel NAME X Y Z BYTES             the work-group size that it asks for (0 0 0: none), and
//                                         the local memory that its text declares
//     argument ADDRESS ACCESS NAME TYPE   of the kernel before; both as words
//     end                                 all kernels were told of
//     ran                                 the launch is done
//     failed WHAT CODE                    behind it the build log, if there is one
//
// Exit codes: 0 done, 1 failed, as the answer says, 3 there is no OpenCL, or the folder is bad.

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { done = 0, failed = 1, missing = 3, name_size = 1024 };

static const char *folder;
static FILE *answer;

static void *function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        fprintf(stderr, "texelscope-run-kernel: there is no %s: run it under Oclgrind\n", name);
        exit(missing);
    }
    return found;
}
// The type of a function comes from OpenCL's header.
#define CALL(name) ((__typeof__(&name))function(#name))

static FILE *opened(const char *name, const char *mode)
{
    char path[4096];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, mode);
    return file;
}

/// The bytes of a file of the folder, with a 0 behind them.
static char *contents(const char *name, size_t *size)
{
    FILE *file = opened(name, "rb");
    long end;
    char *text;
    if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
        fprintf(stderr, "texelscope-run-kernel: %s/%s cannot be read\n", folder, name);
        exit(missing);
    }
    rewind(file);
    text = calloc(1, (size_t)end + 1);
    if (!text || fread(text, 1, (size_t)end, file) != (size_t)end) {
        fprintf(stderr, "texelscope-run-kernel: %s/%s cannot be read\n", folder, name);
        exit(missing);
    }
    fclose(file);
    *size = (size_t)end;
    return text;
}

static void fail(const char *what, cl_int code, const char *log)
{
    fprintf(answer, "failed %s %d\n%s\n", what, code, log);
    fclose(answer);
    exit(failed);
}

static void check(const char *what, cl_int code)
{
    if (code != CL_SUCCESS) {
        fail(what, code, "");
    }
}

static const char *address_word(cl_kernel_arg_address_qualifier address)
{
    return address == CL_KERNEL_ARG_ADDRESS_GLOBAL     ? "global"
           : address == CL_KERNEL_ARG_ADDRESS_CONSTANT ? "constant"
           : address == CL_KERNEL_ARG_ADDRESS_LOCAL    ? "local"
                                                       : "private";
}

static const char *access_word(cl_kernel_arg_access_qualifier access)
{
    return access == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? "read_only"
           : access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? "write_only"
           : access == CL_KERNEL_ARG_ACCESS_READ_WRITE ? "read_write"
                                                       : "none";
}

static void tell_of(cl_kernel kernel, cl_device_id device)
{
    char name[name_size] = "", type[name_size];
    size_t size[3] = {0, 0, 0};
    cl_uint count = 0, i;
    cl_ulong memory = 0;
    CALL(clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    CALL(clGetKernelInfo)(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    CALL(clGetKernelWorkGroupInfo)
    (kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL);
    CALL(clGetKernelWorkGroupInfo)
    (kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof memory, &memory, NULL);
    fprintf(answer, "kernel %s %zu %zu %zu %llu\n", name, size[0], size[1], size[2],
            (unsigned long long)memory);
    for (i = 0; i < count; ++i) {
        cl_kernel_arg_address_qualifier address = 0;
        cl_kernel_arg_access_qualifier access = 0;
        char argument[name_size] = "";
        type[0] = 0;
        check("clGetKernelArgInfo", CALL(clGetKernelArgInfo)(kernel, i, CL_KERNEL_ARG_NAME,
                                                             sizeof argument, argument, NULL));
        CALL(clGetKernelArgInfo)(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL);
        CALL(clGetKernelArgInfo)
        (kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address, &address, NULL);
        CALL(clGetKernelArgInfo)
        (kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL);
        fprintf(answer, "argument %s %s %s %s\n", address_word(address), access_word(access),
                argument[0] ? argument : "?", type);
    }
}

/// A number of OpenCL by its name.
struct named {
    const char *name;
    cl_uint value;
};
static const struct named words[] = {
    {"1D", CL_MEM_OBJECT_IMAGE1D},
    {"1D-buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER},
    {"1D-array", CL_MEM_OBJECT_IMAGE1D_ARRAY},
    {"2D", CL_MEM_OBJECT_IMAGE2D},
    {"2D-array", CL_MEM_OBJECT_IMAGE2D_ARRAY},
    {"3D", CL_MEM_OBJECT_IMAGE3D},
    {"R", CL_R},
    {"RG", CL_RG},
    {"RGBA", CL_RGBA},
    {"BGRA", CL_BGRA},
    {"snorm8", CL_SNORM_INT8},
    {"snorm16", CL_SNORM_INT16},
    {"unorm8", CL_UNORM_INT8},
    {"unorm16", CL_UNORM_INT16},
    {"int8", CL_SIGNED_INT8},
    {"int16", CL_SIGNED_INT16},
    {"int32", CL_SIGNED_INT32},
    {"uint8", CL_UNSIGNED_INT8},
    {"uint16", CL_UNSIGNED_INT16},
    {"uint32", CL_UNSIGNED_INT32},
    {"half", CL_HALF_FLOAT},
    {"float", CL_FLOAT},
    {"none", CL_ADDRESS_NONE},
    {"border", CL_ADDRESS_CLAMP},
    {"edge", CL_ADDRESS_CLAMP_TO_EDGE},
    {"repeat", CL_ADDRESS_REPEAT},
    {"mirror", CL_ADDRESS_MIRRORED_REPEAT},
    {"nearest", CL_FILTER_NEAREST},
    {"linear", CL_FILTER_LINEAR},
};

static cl_uint number_of(const char *word)
{
    size_t i;
    for (i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(words[i].name, word) == 0) {
            return words[i].value;
        }
    }
    fprintf(stderr, "texelscope-run-kernel: '%s' in the request is not known\n", word);
    exit(missing);
}

static cl_mem image_of(cl_context context, const char *line, char *data, size_t bytes)
{
    char kind[16], order[16], type[16];
    size_t width = 1, height = 1, depth = 1;
    cl_image_format format;
    cl_image_desc desc;
    cl_int code = CL_SUCCESS;
    cl_mem image;
    if (sscanf(line, "image %15s %15s %15s %zu %zu %zu", kind, order, type, &width, &height,
               &depth) != 6) {
        exit(missing);
    }
    memset(&desc, 0, sizeof desc);
    format.image_channel_order = number_of(order);
    format.image_channel_data_type = number_of(type);
    desc.image_type = number_of(kind);
    desc.image_width = width;
    if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
        desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY) {
        desc.image_array_size = depth;
    }
    if (desc.image_type == CL_MEM_OBJECT_IMAGE2D ||
        desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
        desc.image_type == CL_MEM_OBJECT_IMAGE3D) {
        desc.image_height = height;
    }
    if (desc.image_type == CL_MEM_OBJECT_IMAGE3D) {
        desc.image_depth = depth;
    }
    if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        desc.buffer = CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                           data, &code);
        check("clCreateBuffer", code);
        data = NULL;
    }
    image = CALL(clCreateImage)(context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0),
                                &format, &desc, data, &code);
    check("clCreateImage", code);
    return image;
}

static void set_argument(cl_context context, cl_kernel kernel, cl_uint number, const char *line)
{
    char what[16], address[16], filter[16];
    size_t bytes = 0, size = 0;
    int normalized = 0;
    char name[16];
    char *data = NULL;
    cl_mem memory;
    cl_sampler sampler;
    cl_int code = CL_SUCCESS;
    snprintf(name, sizeof name, "%u", number);
    if (sscanf(line, "%15s %zu", what, &bytes) < 1) {
        exit(missing);
    }
    if (strcmp(what, "local-memory") == 0) {
        check("clSetKernelArg", CALL(clSetKernelArg)(kernel, number, bytes, NULL));
        return;
    }
    if (strcmp(what, "sampler") == 0) {
        if (sscanf(line, "sampler %d %15s %15s", &normalized, address, filter) != 3) {
            exit(missing);
        }
        sampler = CALL(clCreateSampler)(context, normalized ? CL_TRUE : CL_FALSE,
                                        number_of(address), number_of(filter), &code);
        check("clCreateSampler", code);
        check("clSetKernelArg",
              CALL(clSetKernelArg)(kernel, number, sizeof sampler, &sampler));
        return;
    }
    data = contents(name, &size);
    if (strcmp(what, "value") == 0) {
        check("clSetKernelArg", CALL(clSetKernelArg)(kernel, number, size, data));
        return;
    }
    if (strcmp(what, "buffer") == 0) {
        memory = CALL(clCreateBuffer)(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size, data,
                                      &code);
        check("clCreateBuffer", code);
    } else {
        memory = image_of(context, line, data, size);
    }
    check("clSetKernelArg", CALL(clSetKernelArg)(kernel, number, sizeof memory, &memory));
}

static void launch(cl_context context, cl_device_id device, cl_program program)
{
    FILE *request = opened("request", "r");
    char line[2 * name_size], name[name_size];
    size_t global[3], local[3];
    cl_kernel kernel;
    cl_command_queue queue;
    cl_uint number = 0;
    cl_int code = CL_SUCCESS;
    if (!request) {
        return;
    }
    if (!fgets(line, sizeof line, request) || sscanf(line, "kernel %1023s", name) != 1 ||
        !fgets(line, sizeof line, request) ||
        sscanf(line, "global %zu %zu %zu", global, global + 1, global + 2) != 3 ||
        !fgets(line, sizeof line, request) ||
        sscanf(line, "local %zu %zu %zu", local, local + 1, local + 2) != 3) {
        fprintf(stderr, "texelscope-run-kernel: the request is not one\n");
        exit(missing);
    }
    kernel = CALL(clCreateKernel)(program, name, &code);
    check("clCreateKernel", code);
    while (fgets(line, sizeof line, request)) {
        set_argument(context, kernel, number++, line);
    }
    fclose(request);
    queue = CALL(clCreateCommandQueue)(context, device, 0, &code);
    check("clCreateCommandQueue", code);
    check("clEnqueueNDRangeKernel", CALL(clEnqueueNDRangeKernel)(queue, kernel, 3, NULL, global,
                                                                 local, 0, NULL, NULL));
    check("clFinish", CALL(clFinish)(queue));
    fprintf(answer, "ran\n");
}

int main(int count, char **arguments)
{
    size_t size = 0, unused = 0;
    char *text, *options;
    const char *const *texts;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_program program;
    cl_kernel *kernels;
    cl_uint made = 0, i;
    cl_int code = CL_SUCCESS;
    if (count != 2) {
        fprintf(stderr, "texelscope-run-kernel: a folder is needed\n");
        return missing;
    }
    folder = arguments[1];
    text = contents("source", &size);
    options = contents("options", &unused);
    texts = (const char *const *)&text;
    answer = opened("answer", "w");
    if (!answer) {
        fprintf(stderr, "texelscope-run-kernel: %s/answer cannot be written\n", folder);
        return missing;
    }
    check("clGetPlatformIDs", CALL(clGetPlatformIDs)(1, &platform, NULL));
    check("clGetDeviceIDs",
          CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = CALL(clCreateContext)(NULL, 1, &device, NULL, NULL, &code);
    check("clCreateContext", code);
    program = CALL(clCreateProgramWithSource)(context, 1, (const char **)texts, &size, &code);
    check("clCreateProgramWithSource", code);
    code = CALL(clBuildProgram)(program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        size_t length = 0;
        char *log;
        CALL(clGetProgramBuildInfo)(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length);
        log = calloc(1, length + 1);
        CALL(clGetProgramBuildInfo)(program, device, CL_PROGRAM_BUILD_LOG, length, log, NULL);
        fail("clBuildProgram", code, log ? log : "");
    }
    check("clCreateKernelsInProgram", CALL(clCreateKernelsInProgram)(program, 0, NULL, &made));
    kernels = calloc(made + 1, sizeof *kernels);
    check("clCreateKernelsInProgram",
          CALL(clCreateKernelsInProgram)(program, made, kernels, NULL));
    for (i = 0; i < made; ++i) {
        tell_of(kernels[i], device);
    }
    fprintf(answer, "end\n");
    launch(context, device, program);
    fclose(answer);
    return done;
}
