// conv3d 1,8,14,14,16,16,3,3,3,1
// configuration A=row,column;T=4x2x1;W=4x14;G=4x14x1;L=kd,kh,kw,ci
// launch: global size 4x14x112, work-group 4x14x1
// X: 4x1800 RGBA float texels, read
// W: 4x432 RGBA float texels, read
// Y: 4x1568 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define KD_COUNT 3
#define KH_COUNT 3
#define KW_COUNT 3
#define CI4_COUNT 4

kernel __attribute__((reqd_work_group_size(4, 14, 1)))
void conv3d(read_only image2d_t X, read_only image2d_t W, write_only image2d_t Y)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gz = get_group_id(2);
    const int tile_x = lx;
    const int tile_y = ly;
    const int tile_z = gz;
    const int oh = (tile_z % 14);
    const int od = (tile_z / 14);
    if (tile_y >= 7) {
        return;
    }
    float4 y0_0 = (float4)(0.0f);
    float4 y1_0 = (float4)(0.0f);
    const int at0 = 2 * tile_y + 225 * od + 15 * oh;
    for (int kd = 0; kd < KD_COUNT; ++kd) {
        const int at1 = 225 * kd + at0;
        const int at2 = 144 * kd;
        for (int kh = 0; kh < KH_COUNT; ++kh) {
            const int at3 = 15 * kh + at1;
            const int at4 = 48 * kh + at2;
            for (int kw = 0; kw < KW_COUNT; ++kw) {
                const int at5 = kw + at3;
                const int at6 = 16 * kw + at4;
                for (int ci4 = 0; ci4 < CI4_COUNT; ++ci4) {
                    const int at7 = 4 * ci4 + at6;
                    const float4 x0 = TEXEL_BORDER(X, ci4, at5 - 241);
                    const float4 x1 = TEXEL_BORDER(X, ci4, at5 - 240);
                    const float4 w0 = TEXEL(W, tile_x, at7);
                    y0_0 += x0.x * w0;
                    y1_0 += x1.x * w0;
                    const float4 w1 = TEXEL(W, tile_x, at7 + 1);
                    y0_0 += x0.y * w1;
                    y1_0 += x1.y * w1;
                    const float4 w2 = TEXEL(W, tile_x, at7 + 2);
                    y0_0 += x0.z * w2;
                    y1_0 += x1.z * w2;
                    const float4 w3 = TEXEL(W, tile_x, at7 + 3);
                    y0_0 += x0.w * w3;
                    y1_0 += x1.w * w3;
                }
            }
        }
    }
    const int at8 = 2 * tile_y + 196 * od + 14 * oh;
    write_imagef(Y, (int2)(tile_x, at8), y0_0);
    write_imagef(Y, (int2)(tile_x, at8 + 1), y1_0);
}
