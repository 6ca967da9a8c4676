/* Blurs an image by a Gaussian, along rows and then along columns (the Gaussian is the product of two), and compares the
 * result with that of the processor. */
#include "opencl_host.h"

#include <math.h>

#define RADIUS 4

static const char *source =
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "\n"
    "kernel void blur(read_only image2d_t in, write_only image2d_t out, constant float *weights, int dx, int dy)\n"
    "{\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    if (at.x >= get_image_width(in) || at.y >= get_image_height(in))\n"
    "        return;\n"
    "    float4 sum = weights[0] * read_imagef(in, edge, at);\n"
    "    for (int i = 1; i <= 4; ++i) {\n"
    "        const int2 step = (int2)(i * dx, i * dy);\n"
    "        sum += weights[i] * (read_imagef(in, edge, at - step) + read_imagef(in, edge, at + step));\n"
    "    }\n"
    "    write_imagef(out, at, sum);\n"
    "}\n";

static int clamp_to(int v, int size)
{
    return v < 0 ? 0 : v >= size ? size - 1 : v;
}

static void blur_on_processor(const float *in, float *out, int width, int height, const float *weights, int dx, int dy)
{
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < 4; ++c) {
                float sum = 0;
                for (int i = -RADIUS; i <= RADIUS; ++i) {
                    const int sx = clamp_to(x + i * dx, width);
                    const int sy = clamp_to(y + i * dy, height);
                    sum += weights[abs(i)] * in[4 * (sy * width + sx) + c];
                }
                out[4 * (y * width + x) + c] = sum;
            }
        }
    }
}

int main(int argc, char **argv)
{
    int width = 128, height = 96;
    read_size(argc, argv, &width, &height);

    float weights[RADIUS + 1];
    float total = 0;
    for (int i = 0; i <= RADIUS; ++i) {
        weights[i] = expf(-(float)(i * i) / 8); /* standard deviation 2 */
        total += (i == 0 ? 1 : 2) * weights[i];
    }
    for (int i = 0; i <= RADIUS; ++i) {
        weights[i] /= total;
    }

    const size_t count = (size_t)4 * (size_t)width * (size_t)height;
    float *in = malloc(count * sizeof *in), *half = malloc(count * sizeof *half);
    float *want = malloc(count * sizeof *want), *got = malloc(count * sizeof *got);
    for (size_t i = 0; i < count; ++i) {
        in[i] = (float)(i * 2654435761u % 1000) / 1000;
    }

    host_t host = open_host();
    cl_program program = build_program(host, source);
    cl_kernel kernel = find_kernel(program, "blur");
    cl_mem first = make_image(host, CL_FLOAT, (size_t)width, (size_t)height, in);
    cl_mem second = make_image(host, CL_FLOAT, (size_t)width, (size_t)height, NULL);
    cl_int status;
    cl_mem constants =
        clCreateBuffer(host.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof weights, weights, &status);
    check(status, "clCreateBuffer", __LINE__);
    for (int pass = 0; pass < 2; ++pass) {
        const cl_int dx = pass == 0, dy = pass == 1;
        CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), pass == 0 ? &first : &second));
        CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), pass == 0 ? &second : &first));
        CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &constants));
        CHECK(clSetKernelArg(kernel, 3, sizeof dx, &dx));
        CHECK(clSetKernelArg(kernel, 4, sizeof dy, &dy));
        run_over(host, kernel, (size_t)width, (size_t)height, 16, 4);
    }
    read_image(host, first, (size_t)width, (size_t)height, got);

    blur_on_processor(in, half, width, height, weights, 1, 0);
    blur_on_processor(half, want, width, height, weights, 0, 1);
    float worst = 0;
    for (size_t i = 0; i < count; ++i) {
        worst = fmaxf(worst, fabsf(got[i] - want[i]));
    }
    printf("Gaussian blur of %dx%d: largest difference %g\n", width, height, worst);

    CHECK(clReleaseMemObject(constants));
    CHECK(clReleaseMemObject(second));
    CHECK(clReleaseMemObject(first));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_host(host);
    free(got), free(want), free(half), free(in);
    return worst < 1e-5f ? 0 : 1;
}
