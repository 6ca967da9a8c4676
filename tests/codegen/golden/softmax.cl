// softmax 128,1000
// configuration A=row;T=4x1;W=8x8;G=8x8x1;R=8
// launch: global size 8x16x8, work-group 8x8x8
// X: 250x128 RGBA float texels, read
// Y: 250x128 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

#define I_COUNT 31

kernel __attribute__((reqd_work_group_size(8, 8, 8)))
void softmax(read_only image2d_t X, write_only image2d_t Y)
{
    local float4 shared[512];
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int lz = get_local_id(2);
    const int gy = get_group_id(1);
    const int tile_x = lx;
    const int tile_y = ly + 8 * gy;
    const int part = lz;
    const int home = lx + 8 * ly;
    const int tile = tile_x + 8 * tile_y;
    float4 m0 = (float4)(-FLT_MAX);
    for (int i = 0; i < I_COUNT; ++i) {
        const float4 x1_0_0 = TEXEL(X, 8 * i + part, tile);
        m0 = fmax(m0, x1_0_0);
    }
    const float4 x1_0_0 = TEXEL_BORDER(X, part + 248, tile);
    m0 = fmax(m0, select((float4)(-FLT_MAX), x1_0_0, (int4)(0, 1, 2, 3) < -4 * part + 8));
    float top0 = fmax(fmax(m0.x, m0.y), fmax(m0.z, m0.w));
    shared[64 * part + home] = (float4)(top0, 0.0f, 0.0f, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        float4 all0 = shared[home];
        for (int p = 1; p < 8; ++p) {
            all0 = fmax(all0, shared[home + 64 * p]);
        }
        top0 = all0.x;
    }
    float4 s0 = (float4)(0.0f);
    for (int i = 0; i < I_COUNT; ++i) {
        const float4 x2_0_0 = TEXEL(X, 8 * i + part, tile);
        s0 = s0 + exp(x2_0_0 - top0);
    }
    const float4 x2_0_0 = TEXEL_BORDER(X, part + 248, tile);
    s0 = s0 + exp(select((float4)(-FLT_MAX), x2_0_0, (int4)(0, 1, 2, 3) < -4 * part + 8) - top0);
    float sum0 = (s0.x + s0.y) + (s0.z + s0.w);
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[64 * part + home] = (float4)(sum0, 0.0f, 0.0f, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        float4 all0 = shared[home];
        for (int p = 1; p < 8; ++p) {
            all0 += shared[home + 64 * p];
        }
        sum0 = all0.x;
    }
    const float scale0 = 1.0f / sum0;
    for (int i = 0; i < I_COUNT; ++i) {
        const int at0 = 8 * i + part;
        const float4 x3_0_0 = TEXEL(X, at0, tile);
        write_imagef(Y, (int2)(at0, tile), exp(x3_0_0 - top0) * scale0);
    }
    const float4 x3_0_0 = TEXEL_BORDER(X, part + 248, tile);
    if (part + 248 < 250) {
        write_imagef(Y, (int2)(part + 248, tile), select((float4)(0.0f), exp(x3_0_0 - top0) * scale0, (int4)(0, 1, 2, 3) < -4 * part + 8));
    }
}
