#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"

#include <array>

namespace texelscope::networks {
// Networks whose blocks concatenate: each layer's output is joined to what was there before.
namespace {

/// Joins along the channels.
ValueId joined(Builder& net, std::vector<ValueId> parts)
{
    Attributes axis;
    axis.set("axis", std::int64_t{1});
    return net.node("Concat", std::move(parts), axis);
}

/// Huang et al., CVPR 2017, table 1. `layers`: layers of each block; each adds `growth` = 32
/// channels behind a 1x1 convolution of four times as many (DenseNet-B), and transitions halve the
/// channels (DenseNet-C).
BuiltInModel densenet(const std::string& name, std::array<int, 4> layers)
{
    const auto make = [=](std::int64_t batch, std::uint64_t seed) {
        constexpr std::int64_t growth = 32;
        Builder net(name, seed);
        const auto norm_relu = [&](ValueId x) { return net.node("Relu", {net.batch_norm(x)}); };
        ValueId x = net.input("image", {batch, 3, 224, 224});
        x = net.pool(net.conv_norm(x, {64, {7, 7}, 2, {3, 3}}), "MaxPool", 3, 2, 1);
        for (std::size_t block = 0; block < layers.size(); ++block) {
            for (int i = 0; i < layers[block]; ++i) {
                const ValueId narrow = net.conv(norm_relu(x), {4 * growth});
                const ValueId more = net.conv(norm_relu(narrow), {growth, {3, 3}, 1, {1, 1}});
                x = joined(net, {x, more});
            }
            x = norm_relu(x);
            if (block + 1 < layers.size()) {
                x = net.pool(net.conv(x, {net.shape(x)[1] / 2}), "AveragePool", 2, 2);
            }
        }
        x = net.node("Flatten", {net.node("GlobalAveragePool", {x})});
        return std::move(net).finish(net.gemm(x, 1000));
    };
    return {name, "Huang et al., CVPR 2017, table 1", {1, 3, 224, 224}, make};
}

/// Szegedy et al., CVPR 2016, table 1 and figures 5 to 7, with the widths of the released network.
/// Convolutions of n x n are factored into 1 x n (across()) and n x 1 (down()).
class Inception {
public:
    explicit Inception(std::uint64_t seed) : net_("inception-v3", seed) {}

    Graph make(std::int64_t batch)
    {
        ValueId x = net_.input("image", {batch, 3, 299, 299});
        x = net_.conv_norm(x, {32, {3, 3}, 2});
        x = square(square(x, 32, 3, 0), 64, 3, 1);
        x = net_.pool(x, "MaxPool", 3, 2);
        x = square(square(x, 80, 1, 0), 192, 3, 0);
        x = net_.pool(x, "MaxPool", 3, 2);
        // In the manner of figure 5, at 35x35; one branch has a 5x5.
        for (const std::int64_t pooled : {32, 64, 64}) {
            x = joined(net_, {square(x, 64, 1, 0), square(square(x, 48, 1, 0), 64, 5, 2),
                              square(square(square(x, 64, 1, 0), 96, 3, 1), 96, 3, 1),
                              averaged(x, pooled)});
        }
        // To 17x17.
        x = joined(net_, {net_.conv_norm(x, {384, {3, 3}, 2}),
                          net_.conv_norm(square(square(x, 64, 1, 0), 96, 3, 1), {96, {3, 3}, 2}),
                          net_.pool(x, "MaxPool", 3, 2)});
        // Figure 6: 7x7 factored into 1x7 and 7x1, at 17x17.
        for (const std::int64_t narrow : {128, 160, 160, 192}) {
            const ValueId two = down(across(square(x, narrow, 1, 0), narrow, 7), 192, 7);
            const ValueId four =
                across(down(across(down(square(x, narrow, 1, 0), narrow, 7), narrow, 7), narrow, 7),
                       192, 7);
            x = joined(net_, {square(x, 192, 1, 0), two, four, averaged(x, 192)});
        }
        // To 8x8.
        x = joined(net_, {net_.conv_norm(square(x, 192, 1, 0), {320, {3, 3}, 2}),
                          net_.conv_norm(down(across(square(x, 192, 1, 0), 192, 7), 192, 7),
                                         {192, {3, 3}, 2}),
                          net_.pool(x, "MaxPool", 3, 2)});
        // Figure 7: the last modules spread out instead of going deeper.
        for (int i = 0; i < 2; ++i) {
            const ValueId two = square(x, 384, 1, 0);
            const ValueId three = square(square(x, 448, 1, 0), 384, 3, 1);
            x = joined(net_, {square(x, 320, 1, 0),
                              joined(net_, {across(two, 384, 3), down(two, 384, 3)}),
                              joined(net_, {across(three, 384, 3), down(three, 384, 3)}),
                              averaged(x, 192)});
        }
        x = net_.node("Flatten", {net_.node("GlobalAveragePool", {x})});
        return std::move(net_).finish(net_.gemm(x, 1000));
    }

private:
    ValueId square(ValueId x, std::int64_t outputs, std::int64_t kernel, std::int64_t pad)
    {
        return net_.conv_norm(x, {outputs, {kernel, kernel}, 1, {pad, pad}});
    }
    ValueId across(ValueId x, std::int64_t outputs, std::int64_t kernel)
    {
        return net_.conv_norm(x, {outputs, {1, kernel}, 1, {0, kernel / 2}});
    }
    ValueId down(ValueId x, std::int64_t outputs, std::int64_t kernel)
    {
        return net_.conv_norm(x, {outputs, {kernel, 1}, 1, {kernel / 2, 0}});
    }
    /// Mean of the neighbours, and a 1x1 convolution: the branch that has a pool.
    ValueId averaged(ValueId x, std::int64_t outputs)
    {
        return square(net_.pool(x, "AveragePool", 3, 1, 1), outputs, 1, 0);
    }

    Builder net_;
};

} // namespace

std::vector<BuiltInModel> concatenating_models()
{
    return {{"inception-v3",
             "Szegedy et al., CVPR 2016, table 1",
             {1, 3, 299, 299},
             [](std::int64_t batch, std::uint64_t seed) { return Inception(seed).make(batch); }},
            densenet("densenet-121", {6, 12, 24, 16}),
            densenet("densenet-201", {6, 12, 48, 32})};
}

} // namespace texelscope::networks
