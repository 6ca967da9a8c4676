#include "networks/models/builder.hpp"
#include "networks/models/models.hpp"

#include <cmath>

namespace texelscope::networks {
// Transformers, with their attention written out as the products, transposes and softmax that
// exporters write.
namespace {

/// Numbers of each token, and among how many heads they are shared out.
struct Width {
    std::int64_t model = 0, heads = 0;
};

/// softmax(Q K^T / sqrt(d)) V of each head, d its width (Vaswani et al., NeurIPS 2017, equation 1),
/// from x of batch x tokens x width. A head has its own d columns of Q, K and V.
ValueId attention(Builder& net, ValueId x, const Width& width)
{
    const Shape shape = net.shape(x);
    const std::int64_t of_head = width.model / width.heads;
    const auto by_head = [&](ValueId y) {
        return net.transpose(net.reshape(y, {shape[0], shape[1], width.heads, of_head}),
                             {0, 2, 1, 3});
    };
    const ValueId query = by_head(net.dense(x, width.model));
    // Transposed at once: batch x head x d x token.
    const ValueId key = net.transpose(
        net.reshape(net.dense(x, width.model), {shape[0], shape[1], width.heads, of_head}),
        {0, 2, 3, 1});
    const ValueId value = by_head(net.dense(x, width.model));
    const ValueId scale = net.constant(
        "attention_scale", {}, {static_cast<float>(1 / std::sqrt(static_cast<double>(of_head)))});
    Attributes last;
    last.set("axis", std::int64_t{-1});
    const ValueId share =
        net.node("Softmax", {net.node("Mul", {net.node("MatMul", {query, key}), scale})}, last);
    const ValueId heads = net.transpose(net.node("MatMul", {share, value}), {0, 2, 1, 3});
    return net.dense(net.reshape(heads, shape), width.model);
}

/// Two dense layers, the inner one four times as wide.
ValueId feed_forward(Builder& net, ValueId x, std::int64_t width)
{
    return net.dense(net.node("Gelu", {net.dense(x, 4 * width)}), width);
}

/// Dosovitskiy et al., ICLR 2021, figure 1: patches of 16x16 become tokens by one convolution; a
/// token for the class comes first; blocks normalise before attention and before the dense layers.
BuiltInModel vit(const std::string& name, const Width& width, int blocks)
{
    const auto make = [=](std::int64_t batch, std::uint64_t seed) {
        Builder net(name, seed);
        ValueId x = net.input("image", {batch, 3, 224, 224});
        x = net.conv(x, {width.model, {16, 16}, 16, {0, 0}, 1, true});
        // 14x14 = 196 patches, and with the class token 197 tokens.
        x = net.transpose(net.reshape(x, {batch, width.model, 196}), {0, 2, 1});
        Attributes tokens;
        tokens.set("axis", std::int64_t{1});
        x = net.node("Concat", {net.weights("class_token", {batch, 1, width.model}, 0.1), x},
                     tokens);
        x = net.node("Add", {x, net.weights("positions", {1, 197, width.model}, 0.1)});
        for (int block = 0; block < blocks; ++block) {
            x = net.node("Add", {x, attention(net, net.layer_norm(x), width)});
            x = net.node("Add", {x, feed_forward(net, net.layer_norm(x), width.model)});
        }
        x = net.layer_norm(x);
        // The class is told from its token alone, which is the first.
        Attributes first;
        first.set("axis", std::int64_t{1});
        first.set("indices", Array{{}, std::vector<std::int64_t>{0}});
        return std::move(net).finish(net.gemm(net.node("Gather", {x}, first), 1000));
    };
    return {name, "Dosovitskiy et al., ICLR 2021, table 1", {1, 3, 224, 224}, make};
}

/// One layer of BERT-base on 128 tokens (Devlin et al., NAACL 2019). It normalises after each sum,
/// unlike ViT.
Graph bert_layer(std::int64_t batch, std::uint64_t seed)
{
    const Width width{768, 12};
    Builder net("bert-base-layer", seed);
    ValueId x = net.input("tokens", {batch, 128, width.model});
    x = net.layer_norm(net.node("Add", {x, attention(net, x, width)}));
    x = net.layer_norm(net.node("Add", {x, feed_forward(net, x, width.model)}));
    return std::move(net).finish(x);
}

} // namespace

std::vector<BuiltInModel> transformer_models()
{
    return {vit("vit-tiny", {192, 3}, 12),
            vit("vit-b-16", {768, 12}, 12),
            {"bert-base-layer",
             "one layer of Devlin et al., NAACL 2019, on 128 tokens",
             {1, 128, 768},
             bert_layer}};
}

} // namespace texelscope::networks
