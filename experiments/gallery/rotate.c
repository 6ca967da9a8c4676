/* Turns an image about its middle by 30 degrees, with linear sampling and nothing (0) beyond the edge, and compares the
 * result with that of the processor. */
#include "opencl_host.h"

#include <math.h>
#include <stdint.h>

static const char *source =
    "constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
    "\n"
    "kernel void rotate_image(read_only image2d_t in, write_only image2d_t out, float cosine, float sine)\n"
    "{\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    const int2 size = get_image_dim(in);\n"
    "    if (at.x >= size.x || at.y >= size.y)\n"
    "        return;\n"
    "    const float2 middle = convert_float2(size) * 0.5f;\n"
    "    const float2 d = convert_float2(at) + 0.5f - middle;\n"
    "    const float2 from = middle + (float2)(cosine * d.x + sine * d.y, cosine * d.y - sine * d.x);\n"
    "    write_imagef(out, at, read_imagef(in, linear, from));\n"
    "}\n";

static float texel(const uint8_t *in, int width, int height, int x, int y, int c)
{
    return x < 0 || y < 0 || x >= width || y >= height ? 0 : (float)in[4 * (y * width + x) + c] / 255;
}

int main(int argc, char **argv)
{
    int width = 128, height = 96;
    read_size(argc, argv, &width, &height);
    const size_t count = (size_t)4 * (size_t)width * (size_t)height;
    uint8_t *in = malloc(count), *got = malloc(count);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < 4; ++c) { /* smooth, so that a rounding of coordinates shows little */
                in[4 * (y * width + x) + c] = (uint8_t)(127.5 + 127.5 * sin(0.05 * (c + 1) * x) * cos(0.04 * y));
            }
        }
    }
    const float cosine = cosf(0.52359878f), sine = sinf(0.52359878f);

    host_t host = open_host();
    cl_program program = build_program(host, source);
    cl_kernel kernel = find_kernel(program, "rotate_image");
    cl_mem from = make_image(host, CL_UNORM_INT8, (size_t)width, (size_t)height, in);
    cl_mem to = make_image(host, CL_UNORM_INT8, (size_t)width, (size_t)height, NULL);
    CHECK(clSetKernelArg(kernel, 0, sizeof from, &from));
    CHECK(clSetKernelArg(kernel, 1, sizeof to, &to));
    CHECK(clSetKernelArg(kernel, 2, sizeof cosine, &cosine));
    CHECK(clSetKernelArg(kernel, 3, sizeof sine, &sine));
    run_over(host, kernel, (size_t)width, (size_t)height, 8, 8);
    read_image(host, to, (size_t)width, (size_t)height, got);

    float worst = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const float dx = (float)x + 0.5f - (float)width / 2, dy = (float)y + 0.5f - (float)height / 2;
            const float u = (float)width / 2 + cosine * dx + sine * dy - 0.5f;
            const float v = (float)height / 2 + cosine * dy - sine * dx - 0.5f;
            const int i = (int)floorf(u), j = (int)floorf(v);
            const float a = u - floorf(u), b = v - floorf(v);
            for (int c = 0; c < 4; ++c) {
                const float want = (1 - a) * (1 - b) * texel(in, width, height, i, j, c) +
                                   a * (1 - b) * texel(in, width, height, i + 1, j, c) +
                                   (1 - a) * b * texel(in, width, height, i, j + 1, c) +
                                   a * b * texel(in, width, height, i + 1, j + 1, c);
                worst = fmaxf(worst, fabsf((float)got[4 * (y * width + x) + c] / 255 - want));
            }
        }
    }
    printf("rotation of %dx%d: largest difference %g\n", width, height, worst);

    CHECK(clReleaseMemObject(to));
    CHECK(clReleaseMemObject(from));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_host(host);
    free(got), free(in);
    return worst < 0.01f ? 0 : 1; /* devices filter with as few as 8 bits of fraction */
}
