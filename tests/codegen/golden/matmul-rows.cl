// matmul 32,30,64
// configuration A=column,row;T=3x4;W=8x8;G=8x8x1
// launch: global size 16x8x1, work-group 8x8x1
// A: 8x64 RGBA float texels, read
// B: 16x30 RGBA float texels, read
// C: 30x8 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))

#define K4_COUNT 16

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void matmul(read_only image2d_t A, read_only image2d_t B, write_only image2d_t C)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gx = get_group_id(0);
    const int tile_x = lx + 8 * gx;
    const int tile_y = ly;
    if (tile_x >= 10) {
        return;
    }
    float4 c0_0 = (float4)(0.0f);
    float4 c0_1 = (float4)(0.0f);
    float4 c0_2 = (float4)(0.0f);
    const int at0 = 3 * tile_x;
    for (int k4 = 0; k4 < K4_COUNT; ++k4) {
        const int at1 = 4 * k4;
        const float4 a0 = TEXEL(A, tile_y, at1);
        const float4 b0 = TEXEL(B, k4, at0);
        const float4 b1 = TEXEL(B, k4, at0 + 1);
        const float4 b2 = TEXEL(B, k4, at0 + 2);
        c0_0 += a0 * b0.x;
        c0_1 += a0 * b1.x;
        c0_2 += a0 * b2.x;
        const float4 a1 = TEXEL(A, tile_y, at1 + 1);
        c0_0 += a1 * b0.y;
        c0_1 += a1 * b1.y;
        c0_2 += a1 * b2.y;
        const float4 a2 = TEXEL(A, tile_y, at1 + 2);
        c0_0 += a2 * b0.z;
        c0_1 += a2 * b1.z;
        c0_2 += a2 * b2.z;
        const float4 a3 = TEXEL(A, tile_y, at1 + 3);
        c0_0 += a3 * b0.w;
        c0_1 += a3 * b1.w;
        c0_2 += a3 * b2.w;
    }
    const int at2 = 3 * tile_x;
    write_imagef(C, (int2)(at2, tile_y), c0_0);
    write_imagef(C, (int2)(at2 + 1, tile_y), c0_1);
    write_imagef(C, (int2)(at2 + 2, tile_y), c0_2);
}
