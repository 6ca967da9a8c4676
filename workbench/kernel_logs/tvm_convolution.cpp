#include "workbench/kernel_logs/tvm_convolution.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace texelscope::workbench::kernel_logs {
namespace {

constexpr std::int64_t texel = 4;
constexpr std::int64_t largest = std::int64_t{1} << 20;

std::int64_t texels(std::int64_t channels)
{
    return (channels + texel - 1) / texel;
}

/// The sizes of both tensors by what they mean, whatever order they lie in.
struct Sizes {
    std::int64_t batch, channels, height, width;
    std::int64_t out_channels, in_channels, kernel_h, kernel_w;
};

/// Of shapes with four dimensions, or five where the last is the four of a texel.
Sizes sizes_of(const std::vector<std::int64_t>& data, const std::vector<std::int64_t>& weights,
               const ConvTemplate& of)
{
    const bool packed_data = data.size() == 5 && data[4] == texel;
    const bool packed_weights = weights.size() == 5 && weights[4] == texel;
    if ((data.size() != 4 && !packed_data) || (weights.size() != 4 && !packed_weights)) {
        throw bad_input("tensors are not of 4 dimensions, or 5 with texels of 4");
    }
    const auto all = [](const std::vector<std::int64_t>& shape) {
        return std::ranges::all_of(shape, [](auto n) { return n >= 1 && n <= largest; });
    };
    if (!all(data) || !all(weights)) {
        throw bad_input("a size is below 1 or above 2^20");
    }
    const std::int64_t d = packed_data ? texel : 1;
    const std::int64_t w = packed_weights ? texel : 1;
    if (!of.nhwc) {
        return {data[0],        data[1] * d, data[2],    data[3],
                weights[0] * w, weights[1],  weights[2], weights[3]};
    }
    if (of.depthwise) { // [KH, KW, C, M]
        return {data[0],        data[3] * d, data[1],    data[2],
                weights[2] * w, weights[3],  weights[0], weights[1]};
    }
    return {data[0],        data[3] * d, data[1],    data[2],
            weights[3] * w, weights[2],  weights[0], weights[1]};
}

/// The image is as long as the padded input, or as far as the last window reaches.
WindowAxis axis_of(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                   std::int64_t before, std::int64_t behind)
{
    if (before < 0 || behind < 0 || before > largest || behind > largest) {
        throw bad_input("a padding is below 0 or above 2^20");
    }
    const std::int64_t padded = input + before + behind;
    if (padded < kernel) {
        throw bad_input("the kernel is larger than the padded data");
    }
    const std::int64_t output = (padded - kernel) / stride + 1;
    return {(output - 1) * stride + kernel, kernel, output};
}

} // namespace

TvmConvolution convolution_of(const LogRow& row, const ConvTemplate& of)
{
    if (row.tensors.size() != 2 || row.lists.size() != 3) {
        throw bad_input("its arguments are not data, weights, strides, padding, dilation");
    }
    const Sizes sizes = sizes_of(row.tensors[0].shape, row.tensors[1].shape, of);
    const std::vector<std::int64_t>& strides = row.lists[0];
    const std::vector<std::int64_t>& dilation = row.lists[2];
    std::vector<std::int64_t> padding = row.lists[1];
    if (padding.size() == 2) { // above and below, left and right
        padding = {padding[0], padding[1], padding[0], padding[1]};
    }
    if (strides.size() != 2 || padding.size() != 4 || dilation.size() != 2) {
        throw bad_input("strides, padding and dilation are not of 2, 4 and 2 numbers");
    }
    if (dilation != std::vector<std::int64_t>{1, 1}) {
        throw bad_input("dilation is not 1, which our convolutions do not have");
    }
    if (strides[0] != strides[1] || strides[0] < 1 || strides[0] > largest) {
        throw bad_input("strides differ, which our convolutions do not have");
    }
    if (sizes.batch != 1) {
        throw bad_input("a batch of several images is fused with other axes than ours");
    }
    const std::int64_t channels_in = texels(sizes.channels);
    const std::int64_t channels_out = texels(sizes.out_channels);
    if (of.depthwise && (sizes.in_channels != 1 || channels_in != channels_out)) {
        throw bad_input("a depth multiplier is not 1, which our convolutions do not have");
    }
    if (!of.depthwise && texels(sizes.in_channels) != channels_in) {
        throw bad_input("data and weights have different channels");
    }
    const std::string& type = row.tensors[0].dtype;
    if ((type != "float16" && type != "float32") || row.tensors[1].dtype != type) {
        throw bad_input("numbers are not all float16 or all float32");
    }
    const bool half = type == "float16";
    return {channels_in,
            channels_out,
            sizes.in_channels,
            axis_of(sizes.height, sizes.kernel_h, strides[0], padding[0], padding[2]),
            axis_of(sizes.width, sizes.kernel_w, strides[0], padding[1], padding[3]),
            strides[0],
            half,
            half && (of.float_sums || row.out_dtype == "float32")};
}

namespace {

/// The word of F for data whose first dimensions make the rows of its image.
std::string data_word(bool nhwc, ImageRows rows)
{
    if (nhwc && rows != ImageRows::one) {
        return rows == ImageRows::two ? "tvm-nhwc" : "tvm-nhwc-rows";
    }
    if (!nhwc && rows != ImageRows::two) {
        return rows == ImageRows::three ? "tvm" : "tvm-weight";
    }
    throw bad_input("its data lie in an image that no layout of ours says");
}

std::string weights_word(bool nhwc, ImageRows rows)
{
    if (nhwc && rows == ImageRows::three) {
        return "tvm-nhwc";
    }
    if (!nhwc && rows != ImageRows::two) {
        return rows == ImageRows::three ? "tvm" : "tvm-weight";
    }
    throw bad_input("its weights lie in an image that no layout of ours says");
}

} // namespace

TvmPlaces places_of(const LogRow& row, const ConvTemplate& of, const TvmConvolution& conv)
{
    const TvmAge age = tvm_age(row);
    const std::int64_t limit = texture_limit(row);
    const std::int64_t c = conv.in_texels, o = conv.out_texels, i = conv.weight_channels;
    const std::int64_t kh = conv.height.kernel, kw = conv.width.kernel;
    const bool by_size = of.nhwc || age != TvmAge::first;
    const ImageRows data = !by_size ? ImageRows::three
                           : of.nhwc
                               ? image_rows({1, conv.height.input, conv.width.input, c}, limit)
                               : image_rows({1, c, conv.height.input, conv.width.input}, limit);
    const bool in_buffer = age == TvmAge::weights_in_buffers && (kh != 1 || kw != 1);
    // Depthwise weights are of one input channel: [C/4, 1, KH, KW] and [KH, KW, C/4, 1].
    const std::array<std::int64_t, 4> hwio =
        of.depthwise ? std::array{kh, kw, o, std::int64_t{1}} : std::array{kh, kw, i, o};
    if (in_buffer) { // where all layouts of one order are the same
        return {data_word(of.nhwc, data), of.nhwc ? "tvm-nhwc" : "tvm-weight", true};
    }
    const ImageRows weights = !by_size  ? ImageRows::one
                              : of.nhwc ? image_rows(hwio, limit)
                                        : image_rows({o, i, kh, kw}, limit);
    return {data_word(of.nhwc, data), weights_word(of.nhwc, weights), false};
}

} // namespace texelscope::workbench::kernel_logs
