// dwconv2d 1,112,112,64,3,3,1
// configuration A=column,column;T=4x4x2;W=8x8;G=8x8x1;U=kh,kw
// launch: global size 16x32x56, work-group 8x8x1
// X: 16x12656 RGBA float texels, read
// W: 16x9 RGBA float texels, read
// Y: 16x12544 RGBA float texels, written

#define TEXEL(image, x, y) read_imagef(image, (int2)(x, y))
constant sampler_t texel_sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#define TEXEL_BORDER(image, x, y) read_imagef(image, texel_sampler, (int2)(x, y))

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void dwconv2d(read_only image2d_t X, read_only image2d_t W, write_only image2d_t Y)
{
    const int lx = get_local_id(0);
    const int ly = get_local_id(1);
    const int gx = get_group_id(0);
    const int gy = get_group_id(1);
    const int gz = get_group_id(2);
    const int tile_x = lx + 8 * gx;
    const int tile_y = ly + 8 * gy;
    const int tile_z = gz;
    if (tile_y >= 28) {
        return;
    }
    float4 y0_0_0 = (float4)(0.0f);
    float4 y0_1_0 = (float4)(0.0f);
    float4 y0_2_0 = (float4)(0.0f);
    float4 y0_3_0 = (float4)(0.0f);
    float4 y1_0_0 = (float4)(0.0f);
    float4 y1_1_0 = (float4)(0.0f);
    float4 y1_2_0 = (float4)(0.0f);
    float4 y1_3_0 = (float4)(0.0f);
    const int at0 = 4 * tile_y + 226 * tile_z;
    const float4 x0 = TEXEL_BORDER(X, tile_x, at0 - 114);
    const float4 x1 = TEXEL_BORDER(X, tile_x, at0 - 113);
    const float4 x2 = TEXEL_BORDER(X, tile_x, at0 - 112);
    const float4 x3 = TEXEL_BORDER(X, tile_x, at0 - 111);
    const float4 x4 = TEXEL_BORDER(X, tile_x, at0 - 1);
    const float4 x5 = TEXEL(X, tile_x, at0);
    const float4 x6 = TEXEL(X, tile_x, at0 + 1);
    const float4 x7 = TEXEL(X, tile_x, at0 + 2);
    const float4 w0 = TEXEL(W, tile_x, 0);
    y0_0_0 += x0 * w0;
    y0_1_0 += x1 * w0;
    y0_2_0 += x2 * w0;
    y0_3_0 += x3 * w0;
    y1_0_0 += x4 * w0;
    y1_1_0 += x5 * w0;
    y1_2_0 += x6 * w0;
    y1_3_0 += x7 * w0;
    const float4 x8 = TEXEL_BORDER(X, tile_x, at0 - 110);
    const float4 x9 = TEXEL(X, tile_x, at0 + 3);
    const float4 w1 = TEXEL(W, tile_x, 1);
    y0_0_0 += x1 * w1;
    y0_1_0 += x2 * w1;
    y0_2_0 += x3 * w1;
    y0_3_0 += x8 * w1;
    y1_0_0 += x5 * w1;
    y1_1_0 += x6 * w1;
    y1_2_0 += x7 * w1;
    y1_3_0 += x9 * w1;
    const float4 x10 = TEXEL_BORDER(X, tile_x, at0 - 109);
    const float4 x11 = TEXEL(X, tile_x, at0 + 4);
    const float4 w2 = TEXEL(W, tile_x, 2);
    y0_0_0 += x2 * w2;
    y0_1_0 += x3 * w2;
    y0_2_0 += x8 * w2;
    y0_3_0 += x10 * w2;
    y1_0_0 += x6 * w2;
    y1_1_0 += x7 * w2;
    y1_2_0 += x9 * w2;
    y1_3_0 += x11 * w2;
    const float4 x12 = TEXEL(X, tile_x, at0 + 112);
    const float4 x13 = TEXEL(X, tile_x, at0 + 113);
    const float4 x14 = TEXEL(X, tile_x, at0 + 114);
    const float4 x15 = TEXEL(X, tile_x, at0 + 115);
    const float4 w3 = TEXEL(W, tile_x, 3);
    y0_0_0 += x4 * w3;
    y0_1_0 += x5 * w3;
    y0_2_0 += x6 * w3;
    y0_3_0 += x7 * w3;
    y1_0_0 += x12 * w3;
    y1_1_0 += x13 * w3;
    y1_2_0 += x14 * w3;
    y1_3_0 += x15 * w3;
    const float4 x16 = TEXEL(X, tile_x, at0 + 116);
    const float4 w4 = TEXEL(W, tile_x, 4);
    y0_0_0 += x5 * w4;
    y0_1_0 += x6 * w4;
    y0_2_0 += x7 * w4;
    y0_3_0 += x9 * w4;
    y1_0_0 += x13 * w4;
    y1_1_0 += x14 * w4;
    y1_2_0 += x15 * w4;
    y1_3_0 += x16 * w4;
    const float4 x17 = TEXEL(X, tile_x, at0 + 117);
    const float4 w5 = TEXEL(W, tile_x, 5);
    y0_0_0 += x6 * w5;
    y0_1_0 += x7 * w5;
    y0_2_0 += x9 * w5;
    y0_3_0 += x11 * w5;
    y1_0_0 += x14 * w5;
    y1_1_0 += x15 * w5;
    y1_2_0 += x16 * w5;
    y1_3_0 += x17 * w5;
    const float4 x18 = TEXEL_BORDER(X, tile_x, at0 + 225);
    const float4 x19 = TEXEL_BORDER(X, tile_x, at0 + 226);
    const float4 x20 = TEXEL_BORDER(X, tile_x, at0 + 227);
    const float4 x21 = TEXEL_BORDER(X, tile_x, at0 + 228);
    const float4 w6 = TEXEL(W, tile_x, 6);
    y0_0_0 += x12 * w6;
    y0_1_0 += x13 * w6;
    y0_2_0 += x14 * w6;
    y0_3_0 += x15 * w6;
    y1_0_0 += x18 * w6;
    y1_1_0 += x19 * w6;
    y1_2_0 += x20 * w6;
    y1_3_0 += x21 * w6;
    const float4 x22 = TEXEL_BORDER(X, tile_x, at0 + 229);
    const float4 w7 = TEXEL(W, tile_x, 7);
    y0_0_0 += x13 * w7;
    y0_1_0 += x14 * w7;
    y0_2_0 += x15 * w7;
    y0_3_0 += x16 * w7;
    y1_0_0 += x19 * w7;
    y1_1_0 += x20 * w7;
    y1_2_0 += x21 * w7;
    y1_3_0 += x22 * w7;
    const float4 x23 = TEXEL_BORDER(X, tile_x, at0 + 230);
    const float4 w8 = TEXEL(W, tile_x, 8);
    y0_0_0 += x14 * w8;
    y0_1_0 += x15 * w8;
    y0_2_0 += x16 * w8;
    y0_3_0 += x17 * w8;
    y1_0_0 += x20 * w8;
    y1_1_0 += x21 * w8;
    y1_2_0 += x22 * w8;
    y1_3_0 += x23 * w8;
    const int at1 = 4 * tile_y + 224 * tile_z;
    write_imagef(Y, (int2)(tile_x, at1), y0_0_0);
    write_imagef(Y, (int2)(tile_x, at1 + 1), y0_1_0);
    write_imagef(Y, (int2)(tile_x, at1 + 2), y0_2_0);
    write_imagef(Y, (int2)(tile_x, at1 + 3), y0_3_0);
    write_imagef(Y, (int2)(tile_x, at1 + 112), y1_0_0);
    write_imagef(Y, (int2)(tile_x, at1 + 113), y1_1_0);
    write_imagef(Y, (int2)(tile_x, at1 + 114), y1_2_0);
    write_imagef(Y, (int2)(tile_x, at1 + 115), y1_3_0);
}
