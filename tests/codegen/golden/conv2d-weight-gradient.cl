// conv2d_dw 1,28,28,32,64,3,3,1
// configuration A=column,column;T=4x4x1;W=8x8;G=8x8x1;R=4
// launch: global size 16x8x36, work-group 8x8x4
// X: 8x812 RGBA float texels, read
// dY: 16x784 RGBA float texels, read
// dW: 16x288 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define OH_COUNT 28
#define OW_COUNT 7

kernel __attribute__((reqd_work_group_size(8, 8, 4)))
void conv2d_dw(read_only image2d_t X, read_only image2d_t dY, write_only image2d_t dW)
{
    local float4 partial[1024];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int lz = get_local_id(2);
    const int gx = get_group_id(0);
    const int gz = get_group_id(2);
    const int tile_x = lx + 8 * gx;
    const int tile_y = ly;
    const int tile_z = gz;
    const int part = lz;
    const int kw = (tile_z % 3);
    const int kh = (tile_z / 3);
    float4 dw0_0 = (float4)(0.0f);
    float4 dw1_0 = (float4)(0.0f);
    float4 dw2_0 = (float4)(0.0f);
    float4 dw3_0 = (float4)(0.0f);
    const int at0 = part + 29 * kh + kw;
    for (int oh = 0; oh < OH_COUNT; ++oh) {
        const int at1 = 29 * oh + at0;
        const int at2 = 28 * oh + part;
        for (int ow = 0; ow < OW_COUNT; ++ow) {
            const float4 x0 = TEXEL_BORDER(X, tile_y, 4 * ow + at1 - 30);
            const float4 dy0 = TEXEL(dY, tile_x, 4 * ow + at2);
            dw0_0 += x0.x * dy0;
            dw1_0 += x0.y * dy0;
            dw2_0 += x0.z * dy0;
            dw3_0 += x0.w * dy0;
        }
    }
    const int at3 = 4 * tile_y + 96 * kh + 32 * kw;
    const int item = (int)(get_local_id(0) + 8 * (get_local_id(1) + 8 * get_local_id(2)));
    partial[item] = dw0_0;
    partial[item + 256] = dw1_0;
    partial[item + 512] = dw2_0;
    partial[item + 768] = dw3_0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 64) {
        for (int other = 1; other < 4; ++other) {
            dw0_0 += partial[item + other * 64];
            dw1_0 += partial[item + 256 + other * 64];
            dw2_0 += partial[item + 512 + other * 64];
            dw3_0 += partial[item + 768 + other * 64];
        }
    }
    if (part < 1) {
        write_imagef(dW, (int2)(tile_x, at3), dw0_0);
    }
    if (part < 1) {
        write_imagef(dW, (int2)(tile_x, at3 + 1), dw1_0);
    }
    if (part < 1) {
        write_imagef(dW, (int2)(tile_x, at3 + 2), dw2_0);
    }
    if (part < 1) {
        write_imagef(dW, (int2)(tile_x, at3 + 3), dw3_0);
    }
}
