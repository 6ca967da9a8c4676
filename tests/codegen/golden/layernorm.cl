// layernorm 128,768
// configuration A=row,column,column;T=4x2;W=1x64;G=1x64x1
// launch: global size 1x64x1, work-group 1x64x1
// X: 192x128 RGBA float texels, read
// gamma: 1x192 RGBA float texels, read
// beta: 1x192 RGBA float texels, read
// Y: 192x128 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))

#define I_COUNT 192

kernel __attribute__((reqd_work_group_size(1, 64, 1)))
void layernorm(read_only image2d_t X, read_only image2d_t gamma, read_only image2d_t beta, write_only image2d_t Y)
{
    const int ly = get_local_id(1);
    const int tile_y = ly;
    const int at0 = 2 * tile_y;
    float4 s0 = (float4)(0.0f);
    float4 s1 = (float4)(0.0f);
    for (int i = 0; i < I_COUNT; ++i) {
        const float4 x1_0_0 = TEXEL(X, i, at0);
        const float4 x1_1_0 = TEXEL(X, i, at0 + 1);
        s0 = s0 + x1_0_0;
        s1 = s1 + x1_1_0;
    }
    const float mean_sum0 = (s0.x + s0.y) + (s0.z + s0.w);
    const float mean_sum1 = (s1.x + s1.y) + (s1.z + s1.w);
    const float mean0 = mean_sum0 / 768.0f;
    const float mean1 = mean_sum1 / 768.0f;
    float4 v0 = (float4)(0.0f);
    float4 v1 = (float4)(0.0f);
    for (int i = 0; i < I_COUNT; ++i) {
        const float4 x2_0_0 = TEXEL(X, i, at0);
        const float4 x2_1_0 = TEXEL(X, i, at0 + 1);
        const float4 d2_0_0 = x2_0_0 - mean0;
        v0 = v0 + d2_0_0 * d2_0_0;
        const float4 d2_1_0 = x2_1_0 - mean1;
        v1 = v1 + d2_1_0 * d2_1_0;
    }
    const float var_sum0 = (v0.x + v0.y) + (v0.z + v0.w);
    const float var_sum1 = (v1.x + v1.y) + (v1.z + v1.w);
    const float var0 = var_sum0 / 768.0f;
    const float var1 = var_sum1 / 768.0f;
    const float rstd0 = rsqrt(var0 + 1e-05f);
    const float rstd1 = rsqrt(var1 + 1e-05f);
    for (int i = 0; i < I_COUNT; ++i) {
        const float4 x3_0_0 = TEXEL(X, i, at0);
        const float4 x3_1_0 = TEXEL(X, i, at0 + 1);
        const float4 gamma3_0 = TEXEL(gamma, 0, i);
        const float4 beta3_0 = TEXEL(beta, 0, i);
        write_imagef(Y, (int2)(i, at0), (x3_0_0 - mean0) * rstd0 * gamma3_0 + beta3_0);
        write_imagef(Y, (int2)(i, at0 + 1), (x3_1_0 - mean1) * rstd1 * gamma3_0 + beta3_0);
    }
}
