// matmul 33,31,29
// configuration A=row,row;T=2x2;W=4x8;G=16x16x1
// launch: global size 16x32x1, work-group 16x16x1
// A: 8x33 RGBA float texels, read
// B: 8x31 RGBA float texels, read
// C: 31x33 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define K4_COUNT 8

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul(read_only image2d_t A, read_only image2d_t B, write_only image2d_t C)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gy = get_group_id(1);
    const int tile_x = (lx % 4) + 4 * (((ly / 2)) % 4);
    const int tile_y = 16 * gy + (lx / 4) + 8 * (ly / 8) + 4 * (ly % 2);
    if (tile_y >= 17) {
        return;
    }
    float c0_0 = 0.0f;
    float c0_1 = 0.0f;
    float c1_0 = 0.0f;
    float c1_1 = 0.0f;
    const int at0 = 2 * tile_y;
    const int at1 = 2 * tile_x;
    for (int k4 = 0; k4 < K4_COUNT; ++k4) {
        const float4 a0 = TEXEL(A, k4, at0);
        const float4 a1 = TEXEL_BORDER(A, k4, at0 + 1);
        const float4 b0 = TEXEL(B, k4, at1);
        const float4 b1 = TEXEL_BORDER(B, k4, at1 + 1);
        c0_0 += dot(a0, b0);
        c0_1 += dot(a0, b1);
        c1_0 += dot(a1, b0);
        c1_1 += dot(a1, b1);
    }
    const int at2 = 2 * tile_x;
    const int at3 = 2 * tile_y;
    write_imagef(C, (int2)(at2, at3), (float4)(c0_0, 0.0f, 0.0f, 0.0f));
    if (2 * tile_x + 1 < 31) {
        write_imagef(C, (int2)(at2 + 1, at3), (float4)(c0_1, 0.0f, 0.0f, 0.0f));
    }
    if (2 * tile_y + 1 < 33) {
        write_imagef(C, (int2)(at2, at3 + 1), (float4)(c1_0, 0.0f, 0.0f, 0.0f));
    }
    if (2 * tile_y + 1 < 33 && 2 * tile_x + 1 < 31) {
        write_imagef(C, (int2)(at2 + 1, at3 + 1), (float4)(c1_1, 0.0f, 0.0f, 0.0f));
    }
}
