// deconv2d 1,14,14,32,32,4,4,2
// configuration A=row,column;T=4x2x1;W=8x8;G=8x8x1
// launch: global size 8x8x56, work-group 8x8x1
// X: 8x210 RGBA float texels, read
// W: 8x512 RGBA float texels, read
// Y: 8x784 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define JH_COUNT 2
#define JW_COUNT 2
#define CI4_COUNT 8

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void deconv2d(read_only image2d_t X, read_only image2d_t W, write_only image2d_t Y)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gz = get_group_id(2);
    const int tile_x = lx;
    const int tile_y = ly;
    const int tile_z = gz;
    const int qh = (tile_z % 14);
    const int pw = (((tile_z / 14)) % 2);
    const int ph = (tile_z / 28);
    if (tile_y >= 7) {
        return;
    }
    float4 y0_0 = (float4)(0.0f);
    float4 y1_0 = (float4)(0.0f);
    const int at0 = ((ph + 1) / 2);
    const int at1 = ((pw + 1) / 2);
    const int at2 = ((ph + 1) % 2);
    const int at3 = ((pw + 1) % 2);
    const int at4 = 2 * tile_y + 15 * qh + 15 * at0 + at1;
    const int at5 = 128 * at2 + 32 * at3;
    for (int jh = 0; jh < JH_COUNT; ++jh) {
        const int at6 = -15 * jh + at4;
        const int at7 = 256 * jh + at5;
        for (int jw = 0; jw < JW_COUNT; ++jw) {
            const int at8 = -jw + at6;
            const int at9 = 64 * jw + at7;
            for (int ci4 = 0; ci4 < CI4_COUNT; ++ci4) {
                const int at10 = 4 * ci4 + at9;
                const float4 x0 = TEXEL_BORDER(X, ci4, at8);
                const float4 x1 = TEXEL_BORDER(X, ci4, at8 + 1);
                const float4 w0 = TEXEL(W, tile_x, at10);
                y0_0 += x0.x * w0;
                y1_0 += x1.x * w0;
                const float4 w1 = TEXEL(W, tile_x, at10 + 1);
                y0_0 += x0.y * w1;
                y1_0 += x1.y * w1;
                const float4 w2 = TEXEL(W, tile_x, at10 + 2);
                y0_0 += x0.z * w2;
                y1_0 += x1.z * w2;
                const float4 w3 = TEXEL(W, tile_x, at10 + 3);
                y0_0 += x0.w * w3;
                y1_0 += x1.w * w3;
            }
        }
    }
    const int at11 = 4 * tile_y + 28 * ph + pw + 56 * qh;
    write_imagef(Y, (int2)(tile_x, at11), y0_0);
    write_imagef(Y, (int2)(tile_x, at11 + 2), y1_0);
}
