// matmul 61,53,67
// configuration A=row,column;T=4x1;W=16x16;G=16x16x1;S=16
// launch: global size 16x64x1, work-group 16x16x1
// A: 17x61 RGBA float texels, read
// B: 14x67 RGBA float texels, read
// C: 14x61 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define K_BLOCK_COUNT 2
#define K4_COUNT 16

kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void matmul(read_only image2d_t A, read_only image2d_t B, write_only image2d_t C)
{
    local float4 a_block[256];
    local float4 b_block[1024];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gy = get_group_id(1);
    const int tile_x = lx;
    const int tile_y = ly + 16 * gy;
    const int item = lx + 16 * ly;
    const int item_x = tile_x;
    const int item_y = (tile_y % 16);
    float4 c0_0 = (float4)(0.0f);
    const int at0 = (item % 16);
    const int at1 = (item / 16);
    const int at2 = 16 * gy + at1;
    const int at3 = 16 * at0 + at1;
    const int at4 = 4 * at1;
    for (int k_block = 0; k_block < K_BLOCK_COUNT; ++k_block) {
        const int at5 = 64 * k_block + at4;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float4 a_copy0 = TEXEL_BORDER(A, 16 * k_block + at0, at2);
        a_block[at3] = a_copy0;
        const float4 b_copy0 = TEXEL_BORDER(B, at0, at5);
        const float4 b_copy1 = TEXEL_BORDER(B, at0, at5 + 1);
        const float4 b_copy2 = TEXEL_BORDER(B, at0, at5 + 2);
        const float4 b_copy3 = TEXEL_BORDER(B, at0, at5 + 3);
        b_block[item] = b_copy0;
        b_block[item + 256] = b_copy1;
        b_block[item + 512] = b_copy2;
        b_block[item + 768] = b_copy3;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k4 = 0; k4 < K4_COUNT; ++k4) {
            const int at6 = 16 * k4 + item_x;
            const float4 a0 = a_block[16 * k4 + item_y];
            const float4 b0 = b_block[at6];
            c0_0 += a0.x * b0;
            const float4 b1 = b_block[at6 + 256];
            c0_0 += a0.y * b1;
            const float4 b2 = b_block[at6 + 512];
            c0_0 += a0.z * b2;
            const float4 b3 = b_block[at6 + 768];
            c0_0 += a0.w * b3;
        }
    }
    if (tile_y < 61 && tile_x < 14) {
        write_imagef(C, (int2)(tile_x, tile_y), c0_0);
    }
}
