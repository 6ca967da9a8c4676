#include "workbench/network_studies/kernel_words.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

namespace texelscope::workbench::network_studies {
namespace {

TensorWords tensor_words(const networks::Plan& plan, networks::ValueId id,
                         const codegen::Operand& operand)
{
    TensorWords words;
    const bool named = id != networks::no_value;
    words.name = named ? plan.graph.value(id).name : operand.tensor.name;
    words.value = networks::is_made(plan, id);
    words.layout = to_string(operand.memory);
    words.texels =
        fmt::format("{}x{} texels", operand.image.extent.width, operand.image.extent.height);
    if (operand.layout) {
        words.layout += " " + to_string(*operand.layout);
        words.texels += operand.layout->packed < 0
                            ? ", one number each"
                            : fmt::format(", four along dimension {} each", operand.layout->packed);
    }
    return words;
}

} // namespace

KernelWords kernel_words(const networks::Plan& plan, std::size_t kernel)
{
    const networks::PlannedKernel& planned = plan.kernels.at(kernel);
    KernelWords words;
    words.number = kernel;
    words.computes = planned.kernel.op.name;
    for (const std::size_t node : planned.nodes) {
        words.nodes.push_back(plan.graph.nodes[node].name);
    }
    words.conversion = planned.conversion;
    words.shape = networks::to_string(plan.graph.value(planned.kernel.output).shape);
    words.configuration = to_string(planned.schedule);
    for (std::size_t i = 0; i < planned.kernel.inputs.size(); ++i) {
        words.inputs.push_back(
            tensor_words(plan, planned.kernel.inputs[i], planned.nest.inputs[i]));
    }
    words.output = tensor_words(plan, planned.kernel.output, planned.nest.output);
    return words;
}

std::string kernel_title(const networks::Plan& plan, std::size_t kernel)
{
    const networks::NodeKernel& made = plan.kernels.at(kernel).kernel;
    return fmt::format("{} {} {}", kernel, made.op.name,
                       networks::to_string(plan.graph.value(made.output).shape));
}

} // namespace texelscope::workbench::network_studies
