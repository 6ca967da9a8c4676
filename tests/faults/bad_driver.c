// An OpenCL library that passes calls on to the real one and does one thing wrong; TEXELSCOPE_OPENCL makes texelscope-agent load
// it. TEXELSCOPE_BAD_DRIVER=FUNCTION:WHAT[:N], from the N-th call of the function on:
//
//   crash abort exit hang error      instead of the call
//   garbage                          behind what was read
//   lies                             of clGetDeviceInfo: no-units, much-memory, no-group, no-images; of clGetEventProfilingInfo: no-time,
//                                    backwards, far

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WELL, FAILS, GARBAGE, LIES };

static char lie[32];

/// What the call is to do; does not return where it is to end or to hang.
static int wrong(const char* name, int* calls)
{
    const char* const wanted = getenv("TEXELSCOPE_BAD_DRIVER");
    char function[64], what[32];
    int first = 1;
    if (wanted == NULL || sscanf(wanted, "%63[^:]:%31[^:]:%d", function, what, &first) < 2 ||
        strcmp(function, name) != 0 || ++*calls < first) {
        return WELL;
    }
    if (strcmp(what, "crash") == 0) {
        signal(SIGSEGV, SIG_DFL); // PoCL has a handler of its own, which goes on
        raise(SIGSEGV);
    }
    if (strcmp(what, "abort") == 0) {
        abort();
    }
    if (strcmp(what, "exit") == 0) {
        _exit(0);
    }
    while (strcmp(what, "hang") == 0) {
        pause();
    }
    strcpy(lie, what);
    return strcmp(what, "error") == 0 ? FAILS : strcmp(what, "garbage") == 0 ? GARBAGE : LIES;
}

static void tell_wrongly(cl_uint asked, void* value)
{
    if (value == NULL) {
        return;
    }
    const cl_ulong now = UINT64_C(1) << 40;
    if (strcmp(lie, "no-units") == 0 && asked == CL_DEVICE_MAX_COMPUTE_UNITS) {
        *(cl_uint*)value = 0;
    } else if (strcmp(lie, "much-memory") == 0 &&
               (asked == CL_DEVICE_MAX_MEM_ALLOC_SIZE || asked == CL_DEVICE_GLOBAL_MEM_SIZE ||
                asked == CL_DEVICE_LOCAL_MEM_SIZE)) {
        *(cl_ulong*)value = UINT64_C(1) << 63;
    } else if (strcmp(lie, "no-group") == 0 && asked == CL_DEVICE_MAX_WORK_GROUP_SIZE) {
        *(size_t*)value = 0;
    } else if (strcmp(lie, "no-images") == 0 &&
               (asked == CL_DEVICE_IMAGE2D_MAX_WIDTH || asked == CL_DEVICE_IMAGE2D_MAX_HEIGHT)) {
        *(size_t*)value = 0;
    } else if (strcmp(lie, "no-time") == 0) {
        *(cl_ulong*)value = 0;
    } else if (strcmp(lie, "backwards") == 0) {
        *(cl_ulong*)value = asked == CL_PROFILING_COMMAND_END ? now - 1000 : now;
    } else if (strcmp(lie, "far") == 0) {
        *(cl_ulong*)value = asked == CL_PROFILING_COMMAND_END ? UINT64_MAX : 0;
    }
}

/// The beginning of what was read. Of an image the size is not known, but it has some texels.
static void wreck(char* bytes, size_t count)
{
    for (size_t i = 0; bytes != NULL && i < (count == 0 || count > 64 ? 64 : count); ++i) {
        bytes[i] = 0x41;
    }
}

static void* real_function(const char* name)
{
    static void* library;
    if (library == NULL) {
        library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    }
    void* const found = library == NULL ? NULL : dlsym(library, name);
    if (found == NULL) {
        _exit(125);
    }
    return found;
}

// What a function does not take is taken from here.
static cl_int* const errcode_ret = NULL;
static const cl_uint param_name = 0;
static void* const param_value = NULL;
static char* const ptr = NULL;
static const size_t size = 0;

#define IS_NUMBER(type) __builtin_types_compatible_p(type, cl_int)
#define FORWARD(type, name, parameters, arguments)                                                                     \
    type name parameters                                                                                               \
    {                                                                                                                  \
        static __typeof__(&name) real;                                                                                 \
        static int calls;                                                                                              \
        if (real == NULL) {                                                                                            \
            real = (__typeof__(&name))real_function(#name);                                                            \
        }                                                                                                              \
        const int what = wrong(#name, &calls);                                                                         \
        if (what == FAILS) {                                                                                           \
            if (errcode_ret != NULL) {                                                                                 \
                *errcode_ret = CL_OUT_OF_RESOURCES;                                                                    \
            }                                                                                                          \
            return (type)(intptr_t)(IS_NUMBER(type) ? CL_OUT_OF_RESOURCES : 0);                                        \
        }                                                                                                              \
        const type result = real arguments;                                                                            \
        if (what == LIES) {                                                                                            \
            tell_wrongly(param_name, param_value);                                                                     \
        }                                                                                                              \
        if (what == GARBAGE) {                                                                                         \
            wreck((char*)ptr, size);                                                                                   \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "agent/opencl_functions.inc"
