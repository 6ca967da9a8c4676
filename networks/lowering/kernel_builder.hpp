#pragma once

#include "codegen/lowering/contraction.hpp"
#include "networks/lowering/node_kernel.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::networks {

/// The index of an element of a value along each dimension.
using Index = std::vector<codegen::IndexExpr>;

/// Builds the kernel of a node as a contraction (codegen/lowering/contraction.hpp). To be called in
/// this order: outputs() or output() for the output's dimensions, reduction() for those that are
/// summed over, factor() and further() for inputs, step() for functions of the epilogue, then
/// finish().
class KernelBuilder {
public:
    /// `packed`: the output's dimension of which texels hold four neighbours, or -1. Its dimensions
    /// are named d0, d1, ... but for those that have a name in `names`.
    KernelBuilder(std::string kernel, const Graph& graph, ValueId output, int packed,
                  std::string_view names = {});

    /// Adds one dimension for each of the output's and returns the index that they form: the usual
    /// case.
    [[nodiscard]] Index outputs();
    /// Adds a single output dimension, for kernels whose output index is not just one dimension
    /// each.
    [[nodiscard]] codegen::IndexExpr output(std::string name, std::int64_t extent);
    [[nodiscard]] codegen::IndexExpr reduction(std::string name, std::int64_t extent);

    /// Which of a tensor's dimensions an access pattern takes if no layout is given: see
    /// TensorLayout.
    struct Roles {
        int thread = -1;
        int reduction = -1;
    };
    /// Adds an input that is a factor of the terms. All factors must be added before other inputs.
    void factor(ValueId value, Index index, Roles roles);
    /// The same for a factor that is no value of the graph but constants that follow from the node.
    void factor(const Shape& shape, std::vector<float> numbers, Index index, Roles roles);
    /// Adds an input of the epilogue, and returns its number among the inputs of the epilogue.
    int further(ValueId value, Index index);
    /// The same for an input that is no value of the graph but constants that follow from the node.
    int further(Shape shape, std::vector<float> numbers, Index index);
    /// Adds a step to the epilogue: argument 0 is the number so far, argument 1 the element of
    /// `input`. `keeps_zero` says that the step maps zero to zero.
    void step(codegen::NumberExpr value, bool keeps_zero, int input = -1);
    codegen::Contraction& contraction() { return contraction_; }

    /// Completes the kernel. `index` is the index of the output. The x axis of the grid goes along
    /// the dimension that is packed, y along `second`, or else along the last of the others.
    [[nodiscard]] NodeKernel finish(Index index, double multiply_adds, int second = -1);

private:
    int add(const std::string& name, const Shape& shape, Index index, Roles roles);

    const Graph& graph_;
    int packed_;
    std::string names_;
    codegen::Contraction contraction_;
    NodeKernel kernel_;
};

/// Sets the kernel's operator from its contraction.
void make_operator(NodeKernel& kernel, double multiply_adds);

/// Argument of an element function or a term: 0 is the number so far, 1 the element of an input, 2
/// a number that follows from the place.
[[nodiscard]] inline codegen::NumberExpr argument(int number)
{
    return codegen::NumberExpr::argument(number);
}

/// The roles for a value whose texels hold neighbours along `packed`: rows of its image go along
/// that dimension, columns along the last of the others.
[[nodiscard]] KernelBuilder::Roles roles_of(const Shape& shape, int packed);

/// The index into an operand of that shape, broadcast to an output with index `output`.
[[nodiscard]] Index broadcast_index(const Shape& operand, const Index& output);

} // namespace texelscope::networks
