#pragma once

#include "base/layers.hpp"
#include "networks/plan/plan.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace texelscope::workbench::network_studies {

/// A tensor of a kernel, and how it lies.
struct TensorWords {
    std::string name;
    std::string layout; ///< "image block2"
    std::string texels; ///< "54x1728 texels, four along dimension 1 each"
    /// Whether it is a value that the caller gives or a kernel makes; false for weights, and for
    /// constants that follow from the node.
    bool value = false;
};

/// A kernel of a network in words: what reports, timelines and annotations say of it.
struct KernelWords {
    std::size_t number = 0;
    std::string computes; ///< the operators that it computes: "ConvRelu"
    /// Names of the nodes that it computes; for a conversion, the node that asks for it.
    std::vector<std::string> nodes;
    bool conversion = false; ///< whether it only stores a value in another layout
    std::string shape;       ///< shape of the output, "1x64x56x56"
    std::string configuration;
    std::vector<TensorWords> inputs;
    TensorWords output;
};

[[nodiscard]] KernelWords kernel_words(const networks::Plan& plan, std::size_t kernel);
/// "7 ConvRelu 1x64x56x56": its number, what it computes, the shape of its output.
[[nodiscard]] std::string kernel_title(const networks::Plan& plan, std::size_t kernel);

} // namespace texelscope::workbench::network_studies
