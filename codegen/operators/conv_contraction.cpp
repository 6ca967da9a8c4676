#include "codegen/operators/conv_contraction.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::codegen {
namespace {

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
        wholes.push_back(fine ? dimensions.output({'q', axis.letter}, ceil_div(axis.fine, axis.stride))
                              : dimensions.output(coarse_name(conv, axis), axis.coarse));
    }
    contraction.y = dimensions.next() - 1;
    contraction.z.assign(contraction.outputs.begin(), contraction.outputs.end() - 1);
    contraction.x = dimensions.next();
    const std::string of_output = forward ? "co" : "ci";
    const IndexExpr computed =
        dimensions.output(depthwise ? "c" : of_output, forward ? conv.out_channels : conv.in_channels);

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
        summed = dimensions.reduction(forward ? "ci" : "co", forward ? conv.in_channels : conv.out_channels);
    }

    const std::vector<Tensor> inputs = pass_inputs(conv.tensors(), conv.pass);
    const int channel = static_cast<int>(rank) + 1; // dimension of an image; width is the one in front of it
    contraction.inputs.push_back({inputs[0], image_index(n, fine ? places.coarse : places.fine, summed),
                                  depthwise ? channel : channel - 1, depthwise ? channel - 1 : channel});
    const Channels channels = forward ? Channels{summed, computed} : Channels{computed, summed};
    const int in = static_cast<int>(rank); // dimension of the weights; out is the one behind it, KW in front
    int thread = forward ? in + 1 : in;
    int reduction = forward ? in : in + 1;
    if (depthwise) {
        thread = in;
        reduction = in - 1;
    }
    contraction.inputs.push_back({inputs[1], weights_index(conv, places.taps, channels), thread, reduction});
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
        {inputs[0], image_index(n, transposed ? places.coarse : places.fine, channels.in), channel, channel - 1});
    contraction.inputs.push_back(
        {inputs[1], image_index(n, transposed ? places.fine : places.coarse, channels.out), channel, channel - 1});
    contraction.output_index = weights_index(conv, taps, channels);
}

} // namespace

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
