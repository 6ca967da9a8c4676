/* Heat spreads over a plate: each step replaces a texel by a mix of itself and its four neighbours, from one image into
 * the other and back. Nothing leaves the plate, so the sum stays. */
#include "opencl_host.h"

#include <math.h>

#define STEPS 4

static const char *source =
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "\n"
    "kernel void spread(read_only image2d_t now, write_only image2d_t next)\n"
    "{\n"
    "    const int x = get_global_id(0), y = get_global_id(1);\n"
    "    if (x >= get_image_width(now) || y >= get_image_height(now))\n"
    "        return;\n"
    "    const float4 here = read_imagef(now, edge, (int2)(x, y));\n"
    "    const float4 left = read_imagef(now, edge, (int2)(x - 1, y));\n"
    "    const float4 right = read_imagef(now, edge, (int2)(x + 1, y));\n"
    "    const float4 above = read_imagef(now, edge, (int2)(x, y - 1));\n"
    "    const float4 below = read_imagef(now, edge, (int2)(x, y + 1));\n"
    "    write_imagef(next, (int2)(x, y), here + 0.2f * (left + right + above + below - 4.0f * here));\n"
    "}\n";

int main(int argc, char **argv)
{
    int width = 128, height = 96;
    read_size(argc, argv, &width, &height);
    const size_t count = (size_t)4 * (size_t)width * (size_t)height;
    float *plate = calloc(count, sizeof *plate);
    double before = 0, after = 0;
    for (size_t i = 0; i < count; ++i) {
        plate[i] = (float)(i * 2654435761u % 1000) / 1000;
        before += plate[i];
    }

    host_t host = open_host();
    cl_program program = build_program(host, source);
    cl_kernel kernel = find_kernel(program, "spread");
    cl_mem plates[2] = {make_image(host, CL_FLOAT, (size_t)width, (size_t)height, plate),
                        make_image(host, CL_FLOAT, (size_t)width, (size_t)height, NULL)};
    for (int step = 0; step < STEPS; ++step) {
        CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &plates[step % 2]));
        CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &plates[1 - step % 2]));
        run_over(host, kernel, (size_t)width, (size_t)height, 32, 2);
    }
    read_image(host, plates[STEPS % 2], (size_t)width, (size_t)height, plate);
    for (size_t i = 0; i < count; ++i) {
        after += plate[i];
    }
    printf("stencil of %dx%d, %d steps: the sum goes from %.3f to %.3f\n", width, height, STEPS, before, after);

    CHECK(clReleaseMemObject(plates[1]));
    CHECK(clReleaseMemObject(plates[0]));
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    close_host(host);
    free(plate);
    return fabs(after - before) < 1e-5 * before ? 0 : 1;
}
