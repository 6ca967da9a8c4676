#include "codegen/operators/conv_geometry.hpp"

#include "base/error.hpp"
#include "codegen/operators/operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace texelscope::codegen {
namespace {

struct Padding {
    bool same = false;
    std::int64_t size = 0; ///< on every side, where it is not `same`
};

/// Of `--padding`, and its usual spelling.
std::pair<Padding, std::string> parse_padding(const std::string& text, const std::string& where)
{
    if (text.empty() || text == "same") {
        return {{.same = true}, "same"};
    }
    if (text == "valid") {
        return {{}, "valid"};
    }
    std::int64_t size = -1;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, size);
    if (error != std::errc{} || end != last || size < 0 || size > largest_size) {
        throw bad_input(fmt::format("the padding '{}' is not known", text), where,
                        fmt::format("give same, valid or a number from 0 to {}", largest_size));
    }
    return {{.size = size}, std::to_string(size)};
}

/// `axis` has its kernel and stride; `input` is the size of X along it.
ConvAxis with_images(ConvAxis axis, std::int64_t input, const Padding& padding, bool transposed,
                     const std::string& where)
{
    if (transposed) {
        axis.coarse = input;
        axis.fine = padding.same ? input * axis.stride
                                 : (input - 1) * axis.stride + axis.kernel - 2 * padding.size;
    } else {
        axis.fine = input;
        axis.coarse = padding.same
                          ? ceil_div(input, axis.stride)
                          : floor_div(input + 2 * padding.size - axis.kernel, axis.stride) + 1;
    }
    axis.before =
        padding.same
            ? std::max<std::int64_t>((axis.coarse - 1) * axis.stride + axis.kernel - axis.fine, 0) /
                  2
            : padding.size;
    if (axis.fine < 1 || axis.coarse < 1) {
        throw bad_input(
            fmt::format("the output is empty along {}: input {}, kernel {}, stride {}, padding {}",
                        axis.letter, input, axis.kernel, axis.stride, padding.size),
            where, transposed ? "take less padding" : "take a smaller kernel or more padding");
    }
    const std::int64_t output = transposed ? axis.fine : axis.coarse;
    if (output > largest_size) {
        throw bad_input(fmt::format("the output's size along {} would be {}", axis.letter, output),
                        where, fmt::format("at most {} is possible", largest_size));
    }
    return axis;
}

std::string letters(const ConvFamily& family)
{
    return family.rank == 3 ? "dhw" : "hw";
}

} // namespace

std::string conv_sizes(const ConvFamily& family)
{
    return fmt::format("N,{}H,W,{},{}KH,KW,STRIDE", family.rank == 3 ? "D," : "",
                       family.depthwise ? "C" : "CIN,COUT", family.rank == 3 ? "KD," : "");
}

Convolution convolution(const ConvFamily& family, Pass pass, const std::vector<std::int64_t>& shape,
                        const std::string& padding)
{
    Convolution conv{.family = family, .pass = pass, .shape = shape};
    const std::string axes = letters(family);
    const std::size_t channels = family.depthwise ? 1 : 2;
    // N, the size and the kernel along each axis, the channels and the stride.
    if (shape.size() != 2 + 2 * axes.size() + channels) {
        throw bad_input(fmt::format("{} sizes", shape.size()), conv.name(),
                        "give " + conv_sizes(family));
    }
    check_sizes(conv.name(), shape, conv_sizes(family));
    const std::string where = fmt::format("{} {}", conv.name(), fmt::join(shape, ","));
    const auto [pad, spelling] = parse_padding(padding, where);
    conv.padding = spelling;
    conv.batch = shape.front();
    conv.in_channels = shape[1 + axes.size()];
    conv.out_channels = shape[axes.size() + channels];
    for (std::size_t a = 0; a < axes.size(); ++a) {
        const std::int64_t kernel = shape[1 + axes.size() + channels + a];
        const ConvAxis axis{.letter = axes[a], .kernel = kernel, .stride = shape.back()};
        conv.axes.push_back(with_images(axis, shape[1 + a], pad, family.transposed, where));
    }
    return conv;
}

std::string Convolution::name() const
{
    switch (pass) {
    case Pass::first_gradient:
        return std::string(family.name) + "_dx";
    case Pass::second_gradient:
        return std::string(family.name) + "_dw";
    case Pass::forward:
        break;
    }
    return std::string(family.name);
}

BilinearMap Convolution::tensors() const
{
    const TensorRole weights =
        family.depthwise ? TensorRole::depthwise_weights : TensorRole::weights;
    BilinearMap map{{"X", {batch}, {"batch"}, TensorRole::activations},
                    {"W", {}, {}, weights},
                    {"Y", {batch}, {"batch"}, TensorRole::activations}};
    for (const ConvAxis& axis : axes) {
        map.first.shape.push_back(family.transposed ? axis.coarse : axis.fine);
        map.second.shape.push_back(axis.kernel);
        map.result.shape.push_back(family.transposed ? axis.fine : axis.coarse);
        const std::string along = axis.letter == 'd' ? "z" : axis.letter == 'h' ? "y" : "x";
        map.first.dims.push_back(along);
        map.second.dims.push_back("tap " + along);
        map.result.dims.push_back(along);
    }
    map.first.shape.push_back(in_channels);
    map.second.shape.push_back(in_channels);
    map.second.dims.emplace_back(family.depthwise ? "channel" : "input channel");
    if (!family.depthwise) {
        map.second.shape.push_back(out_channels);
        map.second.dims.emplace_back("output channel");
    }
    map.first.dims.emplace_back("channel");
    map.result.dims.emplace_back("channel");
    map.result.shape.push_back(out_channels);
    return map;
}

bool Convolution::computes_fine() const
{
    return pass == (family.transposed ? Pass::forward : Pass::first_gradient);
}

double Convolution::products() const
{
    double count = static_cast<double>(batch) * static_cast<double>(in_channels);
    count *= family.depthwise ? 1.0 : static_cast<double>(out_channels);
    for (const ConvAxis& axis : axes) {
        // Coarse indices o with 0 <= o*stride + k - before < fine, summed over k.
        std::int64_t pairs = 0;
        for (std::int64_t k = 0; k < axis.kernel; ++k) {
            const std::int64_t first =
                std::max<std::int64_t>(-floor_div(k - axis.before, axis.stride), 0);
            const std::int64_t last =
                std::min(floor_div(axis.fine - 1 + axis.before - k, axis.stride), axis.coarse - 1);
            pairs += std::max<std::int64_t>(last - first + 1, 0);
        }
        count *= static_cast<double>(pairs);
    }
    return count;
}

} // namespace texelscope::codegen
