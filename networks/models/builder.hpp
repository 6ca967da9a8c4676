#pragma once

#include "networks/graph/graph.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::networks {

/// Makes a built-in network layer by layer: input() first, then layers, each of which appends nodes
/// and returns the value that they make, then finish(). Weights are drawn with a seed, of a size at
/// which numbers neither vanish nor grow from layer to layer (He et al., ICCV 2015). Layers are
/// named by what they are and by their number.
class Builder {
public:
    Builder(std::string name, std::uint64_t seed);

    ValueId input(std::string name, Shape shape);
    /// The network, whose only output is that value; the builder is used up.
    [[nodiscard]] Graph finish(ValueId output) &&;
    [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.value(id).shape; }

    struct Conv {
        std::int64_t outputs = 0;
        std::array<std::int64_t, 2> kernel{1, 1};
        std::int64_t stride = 1;
        std::array<std::int64_t, 2> pad{0, 0}; ///< in front and behind, along rows and columns
        std::int64_t groups = 1;
        bool bias = false;
        std::int64_t less_in_front = 0; ///< so many places less padding in front, along both
    };
    ValueId conv(ValueId x, const Conv& conv);
    /// A convolution, its batch normalisation and its activation; an empty name: no activation.
    /// "Relu6" is written as a Clip.
    ValueId conv_norm(ValueId x, const Conv& conv, const std::string& activation = "Relu");
    /// A batch normalisation as inference has it, with numbers near those that do nothing.
    ValueId batch_norm(ValueId x);
    ValueId layer_norm(ValueId x);
    /// x W + b over the last dimension.
    ValueId dense(ValueId x, std::int64_t outputs);
    /// Of a matrix: Gemm with the weights transposed, as frameworks export it.
    ValueId gemm(ValueId x, std::int64_t outputs);
    ValueId pool(ValueId x, const std::string& op, std::int64_t kernel, std::int64_t stride,
                 std::int64_t pad = 0, bool ceil = false, std::int64_t less_in_front = 0);
    /// Any other operator with one output.
    ValueId node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {});
    ValueId relu6(ValueId x);
    ValueId reshape(ValueId x, Shape shape);
    ValueId transpose(ValueId x, std::vector<std::int64_t> order);
    /// Numbers drawn between -range and range.
    ValueId weights(const std::string& role, Shape shape, double range);
    ValueId constant(const std::string& role, Shape shape, std::vector<float> values);

private:
    std::string layer(const std::string& op);

    Graph graph_;
    std::mt19937_64 random_;
    std::map<std::string, int> counts_;
};

} // namespace texelscope::networks
