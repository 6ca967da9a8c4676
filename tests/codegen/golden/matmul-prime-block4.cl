// matmul 37,53,29
// configuration A=block4,block8;T=8x4;W=4x4;G=8x8x1
// launch: global size 8x16x1, work-group 8x8x1
// A: 2x148 RGBA float texels, read
// B: 4x112 RGBA float texels, read
// C: 14x37 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define K4_COUNT 8

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void matmul(read_only image2d_t A, read_only image2d_t B, write_only image2d_t C)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gy = get_group_id(1);
    const int tile_x = 4 * (((ly / 2)) % 2) + (lx % 4);
    const int tile_y = 8 * gy + (lx / 4) + 4 * (ly / 4) + 2 * (ly % 2);
    if (tile_x >= 7 || tile_y >= 10) {
        return;
    }
    float4 c0_0 = (float4)(0.0f);
    float4 c0_1 = (float4)(0.0f);
    float4 c1_0 = (float4)(0.0f);
    float4 c1_1 = (float4)(0.0f);
    float4 c2_0 = (float4)(0.0f);
    float4 c2_1 = (float4)(0.0f);
    float4 c3_0 = (float4)(0.0f);
    float4 c3_1 = (float4)(0.0f);
    const int at0 = 16 * tile_y;
    const int at1 = 16 * tile_x;
    for (int k4 = 0; k4 < K4_COUNT; ++k4) {
        const int at2 = (k4 / 4);
        const int at3 = (k4 % 4);
        const int at4 = (k4 / 2);
        const int at5 = (k4 % 2);
        const int at6 = at0 + at3;
        const int at7 = at1 + 4 * at5;
        const float4 a0 = TEXEL(A, at2, at6);
        const float4 a1 = TEXEL_BORDER(A, at2, at6 + 4);
        const float4 a2 = TEXEL_BORDER(A, at2, at6 + 8);
        const float4 a3 = TEXEL_BORDER(A, at2, at6 + 12);
        const float4 b0 = TEXEL(B, at4, at7);
        const float4 b1 = TEXEL(B, at4, at7 + 8);
        c0_0 += a0.x * b0;
        c0_1 += a0.x * b1;
        c1_0 += a1.x * b0;
        c1_1 += a1.x * b1;
        c2_0 += a2.x * b0;
        c2_1 += a2.x * b1;
        c3_0 += a3.x * b0;
        c3_1 += a3.x * b1;
        const float4 b2 = TEXEL(B, at4, at7 + 1);
        const float4 b3 = TEXEL(B, at4, at7 + 9);
        c0_0 += a0.y * b2;
        c0_1 += a0.y * b3;
        c1_0 += a1.y * b2;
        c1_1 += a1.y * b3;
        c2_0 += a2.y * b2;
        c2_1 += a2.y * b3;
        c3_0 += a3.y * b2;
        c3_1 += a3.y * b3;
        const float4 b4 = TEXEL(B, at4, at7 + 2);
        const float4 b5 = TEXEL(B, at4, at7 + 10);
        c0_0 += a0.z * b4;
        c0_1 += a0.z * b5;
        c1_0 += a1.z * b4;
        c1_1 += a1.z * b5;
        c2_0 += a2.z * b4;
        c2_1 += a2.z * b5;
        c3_0 += a3.z * b4;
        c3_1 += a3.z * b5;
        const float4 b6 = TEXEL(B, at4, at7 + 3);
        const float4 b7 = TEXEL(B, at4, at7 + 11);
        c0_0 += a0.w * b6;
        c0_1 += a0.w * b7;
        c1_0 += a1.w * b6;
        c1_1 += a1.w * b7;
        c2_0 += a2.w * b6;
        c2_1 += a2.w * b7;
        c3_0 += a3.w * b6;
        c3_1 += a3.w * b7;
    }
    const int at8 = 2 * tile_x;
    const int at9 = 4 * tile_y;
    write_imagef(C, (int2)(at8, at9), c0_0);
    write_imagef(C, (int2)(at8 + 1, at9), c0_1);
    if (4 * tile_y + 1 < 37) {
        write_imagef(C, (int2)(at8, at9 + 1), c1_0);
    }
    if (4 * tile_y + 1 < 37) {
        write_imagef(C, (int2)(at8 + 1, at9 + 1), c1_1);
    }
    if (4 * tile_y + 2 < 37) {
        write_imagef(C, (int2)(at8, at9 + 2), c2_0);
    }
    if (4 * tile_y + 2 < 37) {
        write_imagef(C, (int2)(at8 + 1, at9 + 2), c2_1);
    }
    if (4 * tile_y + 3 < 37) {
        write_imagef(C, (int2)(at8, at9 + 3), c3_0);
    }
    if (4 * tile_y + 3 < 37) {
        write_imagef(C, (int2)(at8 + 1, at9 + 3), c3_1);
    }
}
