#include "codegen/text/host_program_parts.hpp"

namespace texelscope::codegen::host_program_parts {

const char* const includes = R"c(#define _POSIX_C_SOURCE 199309L // clock_gettime()
#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
)c";

const char* const errors = R"c(// ---- Errors: one line on standard error, exit code 2 ----

enum { EXIT_PASSED = 0, EXIT_FAILED = 1, EXIT_ERROR = 2 };

static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_ERROR);
}

static const char *error_name(cl_int error)
{
#define NAME(code) case code: return #code
    switch (error) {
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_IMAGE_SIZE);
        NAME(CL_INVALID_BUFFER_SIZE);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_VALUE);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_OPERATION);
    default:
        return "OpenCL error";
    }
#undef NAME
}

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fail("%s: %s (%d)", what, error_name(error), (int)error);
    }
}

// Zeroed.
static void *allocate(size_t count, size_t size)
{
    void *const memory = calloc(count, size);
    if (memory == NULL) {
        fail("no memory for %zu numbers", count);
    }
    return memory;
}
)c";

const char* const tensor_type =
    R"c(// ---- Tensors: row-major here, in RGBA texels on the device ----

enum { COMPONENTS = 4 }; // of a texel

typedef struct {
    const char *name;
    enum { IMAGE, BUFFER } memory;
    cl_channel_type type; // of a component: CL_FLOAT or CL_HALF_FLOAT
    size_t width, height; // in texels; a buffer is one row of them
    size_t elements;
    // Where each element lies, in row-major order: the number of its component, counted over the rows of texels.
    void (*places)(size_t width, size_t *place);
} Tensor;
)c";

const char* const to_half = R"c(// The nearest IEEE 754 half-precision number, ties to even.
static cl_half half_of(float value)
{
    const unsigned sign = signbit(value) ? 0x8000u : 0u;
    const float magnitude = fabsf(value);
    if (isnan(value)) {
        return (cl_half)(sign | 0x7e00u);
    }
    if (magnitude >= 65520.0f) { // halfway from the largest number to the next power of two: infinity
        return (cl_half)(sign | 0x7c00u);
    }
    if (magnitude < 0x1p-14f) { // subnormal: a multiple of 2^-24
        return (cl_half)(sign | (unsigned)nearbyintf(magnitude * 0x1p24f));
    }
    int exponent;
    const float fraction = frexpf(magnitude, &exponent); // from 0.5 to below 1
    const unsigned scaled = (unsigned)nearbyintf(fraction * 0x1p11f);
    return (cl_half)(sign | (((unsigned)(exponent + 13) << 10) + scaled)); // a carry goes into the exponent
}
)c";

const char* const from_half = R"c(static float float_of(cl_half half)
{
    const float sign = half & 0x8000 ? -1.0f : 1.0f;
    const int exponent = half >> 10 & 0x1f;
    const int fraction = half & 0x3ff;
    if (exponent == 0x1f) {
        return fraction != 0 ? NAN : sign * INFINITY;
    }
    return exponent == 0 ? sign * ldexpf((float)fraction, -24) : sign * ldexpf((float)(1024 + fraction), exponent - 25);
}
)c";

const char* const texels = R"c(static size_t texel_bytes(const Tensor *tensor)
{
    return COMPONENTS * (tensor->type == CL_FLOAT ? sizeof(cl_float) : sizeof(cl_half));
}

static size_t *places_of(const Tensor *tensor)
{
    size_t *const places = allocate(tensor->elements, sizeof *places);
    tensor->places(tensor->width, places);
    return places;
}

// The texels of a tensor; what no element lies in is zero.
static void *pack(const Tensor *tensor, const float *values)
{
    void *const texels = allocate(tensor->width * tensor->height, texel_bytes(tensor));
    size_t *const places = places_of(tensor);
    for (size_t i = 0; i < tensor->elements; ++i) {
        store(tensor, texels, places[i], values[i]);
    }
    free(places);
    return texels;
}

static float *unpack(const Tensor *tensor, const void *texels)
{
    float *const values = allocate(tensor->elements, sizeof *values);
    size_t *const places = places_of(tensor);
    for (size_t i = 0; i < tensor->elements; ++i) {
        values[i] = load(tensor, texels, places[i]);
    }
    free(places);
    return values;
}

// Bits that are a NaN of either type, so that an element that the kernel leaves out cannot pass for a number.
static void *poison(const Tensor *tensor)
{
    const size_t texels = tensor->width * tensor->height;
    return memset(allocate(texels, texel_bytes(tensor)), 0xff, texels * texel_bytes(tensor));
}

// From -1 to below 1, the same for the same state everywhere.
static float random_value(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u; // Knuth's generator MMIX
    return (float)(*state >> 40) * 0x1p-23f - 1.0f;                // its upper 24 bits
}

// As the device sees them.
static float *random_values(const Tensor *tensor, uint64_t *state)
{
    float *const values = allocate(tensor->elements, sizeof *values);
    for (size_t i = 0; i < tensor->elements; ++i) {
        values[i] = as_stored(tensor, random_value(state));
    }
    return values;
}
)c";

} // namespace texelscope::codegen::host_program_parts
