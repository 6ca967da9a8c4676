// conv2d 1,28,28,32,64,3,3,2
// configuration A=column,row;T=4x2x2;W=8x8;G=8x8x1;M=image,buffer,image;P=fp16
// launch: global size 16x8x7, work-group 8x8x1
// X: 28x224 RGBA half texels, read
// W: buffer of 4608 RGBA half texels, read
// Y: 16x196 RGBA half texels, written

#if defined(cl_khr_fp16) && !defined(FLOAT_ARITHMETIC) // products and sums in half precision
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define READ_TEXEL read_imageh
#define WRITE_TEXEL(image, at, texel) write_imageh(image, at, convert_half4(texel))
#define LOAD_TEXEL(at, buffer) (((global const half4 *)(buffer))[at])
#define STORE_TEXEL(texel, at, buffer) (((global half4 *)(buffer))[at] = convert_half4(texel))
typedef half4 number4;
#else // in float32
#define READ_TEXEL read_imagef
#define WRITE_TEXEL write_imagef
static float4 load_texel(int at, global const half *buffer)
{
    const ushort4 bits = ((global const ushort4 *)buffer)[at];
    return vload_half4(0, (const half *)&bits);
}
static void store_texel(float4 texel, int at, global half *buffer)
{
    ushort4 bits;
    vstore_half4(texel, 0, (half *)&bits);
    ((global ushort4 *)buffer)[at] = bits;
}
#define LOAD_TEXEL load_texel
#define STORE_TEXEL store_texel
typedef float4 number4;
#endif

#define TEXEL(image, x, y) READ_TEXEL(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) READ_TEXEL(image, texel_sampler, (int2)(x, y))

#define KH_COUNT 3
#define KW_COUNT 3
#define CI4_COUNT 8

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void conv2d(read_only image2d_t X, global const half *restrict W, write_only image2d_t Y)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gx = get_group_id(0);
    const int gz = get_group_id(2);
    const int tile_x = lx + 8 * gx;
    const int tile_y = ly;
    const int tile_z = gz;
    if (tile_y >= 7) {
        return;
    }
    number4 y0_0_0 = (number4)(0.0f);
    number4 y0_1_0 = (number4)(0.0f);
    number4 y1_0_0 = (number4)(0.0f);
    number4 y1_1_0 = (number4)(0.0f);
    const int at0 = 4 * tile_y;
    const int at1 = 32 * tile_z;
    const int at2 = 32 * tile_x;
    for (int kh = 0; kh < KH_COUNT; ++kh) {
        const int at3 = 8 * kh + at1;
        const int at4 = 1536 * kh + at2;
        for (int kw = 0; kw < KW_COUNT; ++kw) {
            const int at5 = kw + at0;
            const int at6 = 512 * kw + at4;
            for (int ci4 = 0; ci4 < CI4_COUNT; ++ci4) {
                const int at7 = ci4 + at3;
                const int at8 = 4 * ci4 + at6;
                const number4 x0 = TEXEL(X, at5, at7);
                const number4 x1 = TEXEL_BORDER(X, at5 + 2, at7);
                const number4 x2 = TEXEL_BORDER(X, at5, at7 + 16);
                const number4 x3 = TEXEL_BORDER(X, at5 + 2, at7 + 16);
                const number4 w0 = LOAD_TEXEL(at8, W);
                y0_0_0 += x0.x * w0;
                y0_1_0 += x1.x * w0;
                y1_0_0 += x2.x * w0;
                y1_1_0 += x3.x * w0;
                const number4 w1 = LOAD_TEXEL(at8 + 1, W);
                y0_0_0 += x0.y * w1;
                y0_1_0 += x1.y * w1;
                y1_0_0 += x2.y * w1;
                y1_1_0 += x3.y * w1;
                const number4 w2 = LOAD_TEXEL(at8 + 2, W);
                y0_0_0 += x0.z * w2;
                y0_1_0 += x1.z * w2;
                y1_0_0 += x2.z * w2;
                y1_1_0 += x3.z * w2;
                const number4 w3 = LOAD_TEXEL(at8 + 3, W);
                y0_0_0 += x0.w * w3;
                y0_1_0 += x1.w * w3;
                y1_0_0 += x2.w * w3;
                y1_1_0 += x3.w * w3;
            }
        }
    }
    const int at9 = 2 * tile_y + 28 * tile_z;
    WRITE_TEXEL(Y, (int2)(tile_x, at9), y0_0_0);
    WRITE_TEXEL(Y, (int2)(tile_x, at9 + 1), y0_1_0);
    WRITE_TEXEL(Y, (int2)(tile_x, at9 + 14), y1_0_0);
    WRITE_TEXEL(Y, (int2)(tile_x, at9 + 15), y1_1_0);
}
