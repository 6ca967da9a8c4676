// matmul 64,64,64
// configuration A=row,column;T=4x4;W=8x8;G=8x8x1
// launch: global size 16x16x1, work-group 8x8x1
// A: 16x64 RGBA float texels, read
// B: 16x64 RGBA float texels, read
// C: 16x64 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))

#define K4_COUNT 16

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void matmul(read_only image2d_t A, read_only image2d_t B, write_only image2d_t C)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gx = get_group_id(0);
    const int gy = get_group_id(1);
    const int tile_x = lx + 8 * gx;
    const int tile_y = ly + 8 * gy;
    float4 c0_0 = (float4)(0.0f);
    float4 c1_0 = (float4)(0.0f);
    float4 c2_0 = (float4)(0.0f);
    float4 c3_0 = (float4)(0.0f);
    const int at0 = 4 * tile_y;
    for (int k4 = 0; k4 < K4_COUNT; ++k4) {
        const int at1 = 4 * k4;
        const float4 a0 = TEXEL(A, k4, at0);
        const float4 a1 = TEXEL(A, k4, at0 + 1);
        const float4 a2 = TEXEL(A, k4, at0 + 2);
        const float4 a3 = TEXEL(A, k4, at0 + 3);
        const float4 b0 = TEXEL(B, tile_x, at1);
        c0_0 += a0.x * b0;
        c1_0 += a1.x * b0;
        c2_0 += a2.x * b0;
        c3_0 += a3.x * b0;
        const float4 b1 = TEXEL(B, tile_x, at1 + 1);
        c0_0 += a0.y * b1;
        c1_0 += a1.y * b1;
        c2_0 += a2.y * b1;
        c3_0 += a3.y * b1;
        const float4 b2 = TEXEL(B, tile_x, at1 + 2);
        c0_0 += a0.z * b2;
        c1_0 += a1.z * b2;
        c2_0 += a2.z * b2;
        c3_0 += a3.z * b2;
        const float4 b3 = TEXEL(B, tile_x, at1 + 3);
        c0_0 += a0.w * b3;
        c1_0 += a1.w * b3;
        c2_0 += a2.w * b3;
        c3_0 += a3.w * b3;
    }
    const int at2 = 4 * tile_y;
    write_imagef(C, (int2)(tile_x, at2), c0_0);
    write_imagef(C, (int2)(tile_x, at2 + 1), c1_0);
    write_imagef(C, (int2)(tile_x, at2 + 2), c2_0);
    write_imagef(C, (int2)(tile_x, at2 + 3), c3_0);
}
