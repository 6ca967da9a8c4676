// matmul 1,768,3072
// configuration A=row,column;T=4x1;W=16x1;G=16x1x1;R=16
// launch: global size 192x1x16, work-group 16x1x16
// A: 768x1 RGBA float texels, read
// B: 192x3072 RGBA float texels, read
// C: 192x1 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))

#define K4_COUNT 48

kernel __attribute__((reqd_work_group_size(16, 1, 16)))
void matmul(read_only image2d_t A, read_only image2d_t B, write_only image2d_t C)
{
    local float4 partial[256];
    const int lx = get_local_id(0);
    const int lz = get_local_id(2);
    const int gx = get_group_id(0);
    const int tile_x = lx + 16 * gx;
    const int part = lz;
    float4 c0_0 = (float4)(0.0f);
    const int at0 = 4 * part;
    for (int k4 = 0; k4 < K4_COUNT; ++k4) {
        const int at1 = 64 * k4 + at0;
        const float4 a0 = TEXEL(A, 16 * k4 + part, 0);
        const float4 b0 = TEXEL(B, tile_x, at1);
        c0_0 += a0.x * b0;
        const float4 b1 = TEXEL(B, tile_x, at1 + 1);
        c0_0 += a0.y * b1;
        const float4 b2 = TEXEL(B, tile_x, at1 + 2);
        c0_0 += a0.z * b2;
        const float4 b3 = TEXEL(B, tile_x, at1 + 3);
        c0_0 += a0.w * b3;
    }
    const int item = (int)(get_local_id(0) + 16 * (get_local_id(1) + 1 * get_local_id(2)));
    partial[item] = c0_0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 16) {
        for (int other = 1; other < 16; ++other) {
            c0_0 += partial[item + other * 16];
        }
    }
    if (part < 1) {
        write_imagef(C, (int2)(tile_x, 0), c0_0);
    }
}
