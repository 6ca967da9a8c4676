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

/// Puts the kernel of a node together: dimensions of the output, reductions, inputs, and what is
/// done with each number.
class KernelBuilder {
public:
    /// `packed`: the output's dimension of which texels hold four neighbours, or -1. Its dimensions
    /// are named d0, d1, ... but for those that have a name in `names`.
    KernelBuilder(std::string kernel, const Graph& graph, ValueId output, int packed,
                  std::string_view names = {});

    /// One dimension for each of the output's, in its order: the usual case.
    [[nodiscard]] Index outputs();
    /// A dimension of the output's index space.
    [[nodiscard]] codegen::IndexExpr output(std::string name, std::int64_t extent);
    [[nodiscard]] codegen::IndexExpr reduction(std::string name, std::int64_t extent);

    /// Roles of a tensor's dimensions in its image where nobody decides: see TensorLayout.
    struct Roles {
        int thread = -1;
        int reduction = -1;
    };
    /// An input that is a factor of the terms; those come first.
    void factor(ValueId value, Index index, Roles roles);
    /// An input of the epilogue; its number among those.
    int further(ValueId value, Index index);
    /// The same of numbers that follow from the node.
    int further(Shape shape, std::vector<float> numbers, Index index);
    /// A step of the epilogue: argument 0 is the number so far, argument 1 that of the input.
    void step(codegen::NumberExpr value, bool keeps_zero, int input = -1);
    codegen::Contraction& contraction() { return contraction_; }

    /// `index`: of the output. The grid goes along the dimension that is packed, and along
    /// `second`, or else the last of the others.
    [[nodiscard]] NodeKernel finish(Index index, double multiply_adds, int second = -1);

private:
    int add(const std::string& name, const Shape& shape, Index index, Roles roles);

    const Graph& graph_;
    int packed_;
    std::string names_;
    codegen::Contraction contraction_;
    NodeKernel kernel_;
};

/// The operator of a kernel's contraction.
void make_operator(NodeKernel& kernel, double multiply_adds);

/// Arguments of an element function or a term: the number so far, that of an input, and a number
/// that follows from the place.
[[nodiscard]] inline codegen::NumberExpr argument(int number)
{
    return codegen::NumberExpr::argument(number);
}

/// Roles of the dimensions of a value whose texels hold neighbours along `packed`: rows of its
/// image go along that dimension, columns along the last of the others.
[[nodiscard]] KernelBuilder::Roles roles_of(const Shape& shape, int packed);

/// The index of an operand of that shape that broadcasts to an output.
[[nodiscard]] Index broadcast_index(const Shape& operand, const Index& output);

} // namespace texelscope::networks
