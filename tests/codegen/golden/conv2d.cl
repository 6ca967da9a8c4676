// conv2d 1,56,56,64,64,3,3,1
// configuration A=row,column;T=4x4x1;W=16x4;G=16x4x1
// launch: global size 16x16x56, work-group 16x4x1
// X: 16x3192 RGBA float texels, read
// W: 16x576 RGBA float texels, read
// Y: 16x3136 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define KH_COUNT 3
#define KW_COUNT 3
#define CI4_COUNT 16

kernel __attribute__((reqd_work_group_size(16, 4, 1)))
void conv2d(read_only image2d_t X, read_only image2d_t W, write_only image2d_t Y)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gy = get_group_id(1);
    const int gz = get_group_id(2);
    const int tile_x = lx;
    const int tile_y = ly + 4 * gy;
    const int tile_z = gz;
    if (tile_y >= 14) {
        return;
    }
    float4 y0_0 = (float4)(0.0f);
    float4 y1_0 = (float4)(0.0f);
    float4 y2_0 = (float4)(0.0f);
    float4 y3_0 = (float4)(0.0f);
    const int at0 = 4 * tile_y + 57 * tile_z;
    for (int kh = 0; kh < KH_COUNT; ++kh) {
        const int at1 = 57 * kh + at0;
        const int at2 = 192 * kh;
        for (int kw = 0; kw < KW_COUNT; ++kw) {
            const int at3 = kw + at1;
            const int at4 = 64 * kw + at2;
            for (int ci4 = 0; ci4 < CI4_COUNT; ++ci4) {
                const int at5 = 4 * ci4 + at4;
                const float4 x0 = TEXEL_BORDER(X, ci4, at3 - 58);
                const float4 x1 = TEXEL_BORDER(X, ci4, at3 - 57);
                const float4 x2 = TEXEL_BORDER(X, ci4, at3 - 56);
                const float4 x3 = TEXEL_BORDER(X, ci4, at3 - 55);
                const float4 w0 = TEXEL(W, tile_x, at5);
                y0_0 += x0.x * w0;
                y1_0 += x1.x * w0;
                y2_0 += x2.x * w0;
                y3_0 += x3.x * w0;
                const float4 w1 = TEXEL(W, tile_x, at5 + 1);
                y0_0 += x0.y * w1;
                y1_0 += x1.y * w1;
                y2_0 += x2.y * w1;
                y3_0 += x3.y * w1;
                const float4 w2 = TEXEL(W, tile_x, at5 + 2);
                y0_0 += x0.z * w2;
                y1_0 += x1.z * w2;
                y2_0 += x2.z * w2;
                y3_0 += x3.z * w2;
                const float4 w3 = TEXEL(W, tile_x, at5 + 3);
                y0_0 += x0.w * w3;
                y1_0 += x1.w * w3;
                y2_0 += x2.w * w3;
                y3_0 += x3.w * w3;
            }
        }
    }
    const int at6 = 4 * tile_y + 56 * tile_z;
    write_imagef(Y, (int2)(tile_x, at6), y0_0);
    write_imagef(Y, (int2)(tile_x, at6 + 1), y1_0);
    write_imagef(Y, (int2)(tile_x, at6 + 2), y2_0);
    write_imagef(Y, (int2)(tile_x, at6 + 3), y3_0);
}
