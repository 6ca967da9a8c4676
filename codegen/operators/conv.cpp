#include "codegen/operators/conv.hpp"

#include "codegen/operators/contraction_operator.hpp"
#include "codegen/operators/operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope::codegen {
namespace {

/// Along one axis: the fine index of a coarse index and a kernel index, or -1 where it lies in the
/// padding.
std::int64_t fine_index(const ConvAxis& axis, std::int64_t coarse, std::int64_t tap)
{
    const std::int64_t fine = coarse * axis.stride + tap - axis.before;
    return fine < axis.fine ? fine : -1;
}

/// Calls visit(element of X, of W, of Y) for every product, straight from the definition.
template <class Visit>
void for_each_product(const Convolution& conv, const Visit& visit)
{
    // Two-dimensional convolutions get a depth of 1, so that one loop nest serves all.
    const std::array<ConvAxis, 3> axes = conv.axes.size() == 3
                                             ? std::array{conv.axes[0], conv.axes[1], conv.axes[2]}
                                             : std::array{ConvAxis{}, conv.axes[0], conv.axes[1]};
    const ConvAxis& d = axes[0];
    const ConvAxis& h = axes[1];
    const ConvAxis& w = axes[2];
    const auto visit_channels = [&](std::int64_t fine, std::int64_t coarse, std::int64_t tap) {
        const std::int64_t in = conv.family.transposed ? coarse : fine;
        const std::int64_t out = conv.family.transposed ? fine : coarse;
        const auto visit_pair = [&](std::int64_t ci, std::int64_t co, std::int64_t weight) {
            visit(static_cast<std::size_t>(in * conv.in_channels + ci),
                  static_cast<std::size_t>(weight),
                  static_cast<std::size_t>(out * conv.out_channels + co));
        };
        for (std::int64_t ci = 0; ci < conv.in_channels; ++ci) {
            if (conv.family.depthwise) {
                visit_pair(ci, ci, tap * conv.in_channels + ci);
                continue;
            }
            for (std::int64_t co = 0; co < conv.out_channels; ++co) {
                visit_pair(ci, co, (tap * conv.in_channels + ci) * conv.out_channels + co);
            }
        }
    };
    const auto visit_taps = [&](std::int64_t n, std::int64_t od, std::int64_t oh, std::int64_t ow) {
        const std::int64_t coarse = ((n * d.coarse + od) * h.coarse + oh) * w.coarse + ow;
        for (std::int64_t kd = 0; kd < d.kernel; ++kd) {
            for (std::int64_t kh = 0; kh < h.kernel; ++kh) {
                for (std::int64_t kw = 0; kw < w.kernel; ++kw) {
                    const std::int64_t fd = fine_index(d, od, kd);
                    const std::int64_t fh = fine_index(h, oh, kh);
                    const std::int64_t fw = fine_index(w, ow, kw);
                    if (fd >= 0 && fh >= 0 && fw >= 0) {
                        visit_channels(((n * d.fine + fd) * h.fine + fh) * w.fine + fw, coarse,
                                       (kd * h.kernel + kh) * w.kernel + kw);
                    }
                }
            }
        }
    };
    for (std::int64_t n = 0; n < conv.batch; ++n) {
        for (std::int64_t od = 0; od < d.coarse; ++od) {
            for (std::int64_t oh = 0; oh < h.coarse; ++oh) {
                for (std::int64_t ow = 0; ow < w.coarse; ++ow) {
                    visit_taps(n, od, oh, ow);
                }
            }
        }
    }
}

using Index = std::vector<IndexExpr>;

/// Adds dimensions; each gives the index expression that it is.
class Dimensions {
public:
    explicit Dimensions(Contraction& contraction) : contraction_(contraction) {}

    IndexExpr output(std::string name, std::int64_t extent)
    {
        contraction_.outputs.push_back(next());
        return add(std::move(name), extent);
    }
    IndexExpr reduction(std::string name, std::int64_t extent)
    {
        contraction_.reductions.push_back(next());
        return add(std::move(name), extent);
    }

    [[nodiscard]] int next() const { return static_cast<int>(contraction_.dims.size()); }

private:
    IndexExpr add(std::string name, std::int64_t extent)
    {
        contraction_.dims.push_back({next(), std::move(name), {0, extent - 1}});
        return IndexExpr(contraction_.dims.back());
    }

    Contraction& contraction_;
};

/// The channel that input and output share where depthwise, else those of each.
struct Channels {
    IndexExpr in;
    IndexExpr out;
};

Index image_index(const IndexExpr& n, const Index& places, const IndexExpr& channel)
{
    Index index{n};
    index.insert(index.end(), places.begin(), places.end());
    index.push_back(channel);
    return index;
}

Index weights_index(const Convolution& conv, const Index& taps, const Channels& channels)
{
    Index index = taps;
    index.push_back(channels.in);
    if (!conv.family.depthwise) {
        index.push_back(channels.out);
    }
    return index;
}

/// "oh" for the coarse index along h of a convolution; "ih" where the coarse image is the input.
std::string coarse_name(const Convolution& conv, const ConvAxis& axis)
{
    return {conv.family.transposed ? 'i' : 'o', axis.letter};
}

/// Indices along the axes: of the coarse image, the fine image and the kernel.
struct Places {
    Index coarse;
    Index fine;
    Index taps;

    void add(const ConvAxis& axis, const IndexExpr& coarse_index, const IndexExpr& tap)
    {
        coarse.push_back(coarse_index);
        taps.push_back(tap);
        fine.push_back(coarse_index * axis.stride + tap - axis.before);
    }
};

/// The pass that computes an image.
void add_image_pass(const Convolution& conv, Contraction& contraction)
{
    const bool fine = conv.computes_fine();
    const bool forward = conv.pass == Pass::forward;
    const bool depthwise = conv.family.depthwise;
    const std::size_t rank = conv.axes.size();
    Dimensions dimensions(contraction);

    const IndexExpr n = dimensions.output("n", conv.batch);
    Index phases(rank, 0);
    for (std::size_t a = 0; a < rank && fine; ++a) {
        const ConvAxis& axis = conv.axes[a];
        if (axis.stride > 1) {
            phases[a] = dimensions.output({'p', axis.letter}, std::min(axis.stride, axis.fine));
        }
    }
    Index wholes;
    for (const ConvAxis& axis : conv.axes) {
        wholes.push_back(
            fine ? dimensions.output({'q', axis.letter}, ceil_div(axis.fine, axis.stride))
                 : dimensions.output(coarse_name(conv, axis), axis.coarse));
    }
    contraction.y = dimensions.next() - 1;
    contraction.z.assign(contraction.outputs.begin(), contraction.outputs.end() - 1);
    contraction.x = dimensions.next();
    const std::string of_output = forward ? "co" : "ci";
    const IndexExpr computed = dimensions.output(depthwise ? "c" : of_output,
                                                 forward ? conv.out_channels : conv.in_channels);

    Places places;
    for (std::size_t a = 0; a < rank; ++a) {
        const ConvAxis& axis = conv.axes[a];
        if (fine) {
            const std::int64_t s = axis.stride;
            const IndexExpr j = dimensions.reduction({'j', axis.letter}, ceil_div(axis.kernel, s));
            const IndexExpr shifted = phases[a] + axis.before;
            places.taps.push_back(j * s + mod(shifted, s));
            places.coarse.push_back(wholes[a] + floor_div(shifted, s) - j);
            places.fine.push_back(wholes[a] * s + phases[a]);
        } else {
            places.add(axis, wholes[a], dimensions.reduction({'k', axis.letter}, axis.kernel));
        }
    }
    IndexExpr summed = computed;
    if (!depthwise) {
        summed = dimensions.reduction(forward ? "ci" : "co",
                                      forward ? conv.in_channels : conv.out_channels);
    }

    const std::vector<Tensor> inputs = pass_inputs(conv.tensors(), conv.pass);
    // Place of the channel among the dimensions of an image; the width is in front of it.
    const int channel = static_cast<int>(rank) + 1;
    contraction.inputs.push_back(
        {inputs[0], image_index(n, fine ? places.coarse : places.fine, summed),
         depthwise ? channel : channel - 1, depthwise ? channel - 1 : channel});
    const Channels channels = forward ? Channels{summed, computed} : Channels{computed, summed};
    // Place of the input channel among those of the weights; the output channel is behind it, KW in
    // front.
    const int in = static_cast<int>(rank);
    int thread = forward ? in + 1 : in;
    int reduction = forward ? in : in + 1;
    if (depthwise) {
        thread = in;
        reduction = in - 1;
    }
    contraction.inputs.push_back(
        {inputs[1], weights_index(conv, places.taps, channels), thread, reduction});
    contraction.output_index = image_index(n, fine ? places.fine : places.coarse, computed);
}

/// The pass that computes the weights.
void add_weights_pass(const Convolution& conv, Contraction& contraction)
{
    const bool depthwise = conv.family.depthwise;
    Dimensions dimensions(contraction);
    Index taps;
    for (const ConvAxis& axis : conv.axes) {
        taps.push_back(dimensions.output({'k', axis.letter}, axis.kernel));
    }
    Channels channels;
    channels.in = dimensions.output(depthwise ? "c" : "ci", conv.in_channels);
    channels.out = depthwise ? channels.in : dimensions.output("co", conv.out_channels);
    contraction.x = dimensions.next() - 1;
    contraction.y = contraction.x - 1;
    contraction.z.assign(contraction.outputs.begin(), contraction.outputs.end() - 2);

    const IndexExpr n = dimensions.reduction("n", conv.batch);
    Places places;
    for (std::size_t a = 0; a < conv.axes.size(); ++a) {
        const ConvAxis& axis = conv.axes[a];
        places.add(axis, dimensions.reduction(coarse_name(conv, axis), axis.coarse), taps[a]);
    }

    const std::vector<Tensor> inputs = pass_inputs(conv.tensors(), conv.pass);
    const int channel = static_cast<int>(conv.axes.size()) + 1;
    const bool transposed = conv.family.transposed;
    contraction.inputs.push_back(
        {inputs[0], image_index(n, transposed ? places.coarse : places.fine, channels.in), channel,
         channel - 1});
    contraction.inputs.push_back(
        {inputs[1], image_index(n, transposed ? places.fine : places.coarse, channels.out), channel,
         channel - 1});
    contraction.output_index = weights_index(conv, taps, channels);
}

} // namespace

Operator conv_operator(const Convolution& conv)
{
    const BilinearMap map = conv.tensors();
    check_tensors(fmt::format("{} {}", conv.name(), fmt::join(conv.shape, ",")),
                  {map.first, map.second, map.result});
    ContractionOperator parts;
    parts.shape = conv.shape;
    parts.padding = conv.padding;
    parts.contraction = conv_contraction(conv);
    parts.products = conv.products();
    parts.reference = sum_of_products(conv.pass, parts.contraction.output.size(),
                                      [conv](const auto& visit) { for_each_product(conv, visit); });
    return contraction_operator(std::move(parts));
}

Contraction conv_contraction(const Convolution& conv)
{
    Contraction contraction;
    contraction.kernel = conv.name();
    contraction.output = pass_output(conv.tensors(), conv.pass);
    if (conv.pass == Pass::second_gradient) {
        add_weights_pass(conv, contraction);
    } else {
        add_image_pass(conv, contraction);
    }
    return contraction;
}

} // namespace texelscope::codegen
