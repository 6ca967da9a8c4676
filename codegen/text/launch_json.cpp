#include "codegen/text/launch_json.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/passes/address_elimination.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace texelscope::codegen {
namespace {

// Members keep the order in which they are written here.
using nlohmann::ordered_json;

ordered_json argument_json(const KernelArgument& argument, std::size_t index)
{
    const Operand& operand = argument.operand;
    return {{"id", operand.image.name},
            {"argument", index},
            {"qualifier", argument.qualifier()},
            {"memory", to_string(operand.memory)},
            {"storage", to_string(operand.storage)},
            {"channel_order", "CL_RGBA"},
            {"channel_type", operand.storage == Storage::fp32 ? "CL_FLOAT" : "CL_HALF_FLOAT"},
            {"width", operand.image.extent.width},
            {"height", operand.image.extent.height},
            {"bytes", operand.image.bytes_per_texel.value},
            {"tensor", operand.tensor.shape},
            {"x", operand.x.to_opencl()},
            {"y", operand.y.to_opencl()},
            {"component", operand.component.to_opencl()}};
}

ordered_json operations_json(const LoopNest& nest)
{
    const AddressOperations operations = address_operations(nest);
    return {{"in_text", operations.in_text}, {"executed", operations.executed}};
}

/// The same kernel with every address spelled out where it is used.
LoopNest without_elimination(const Operator& op, Schedule schedule)
{
    schedule.eliminate_addresses = false;
    return loop_nest(op, schedule);
}

/// What is otherwise on a device that computes in half precision; null where nothing is.
ordered_json half_json(const LoopNest& nest)
{
    if (!nest.half_sums) {
        return nullptr;
    }
    return {{"terms", nest.half_sums->terms},
            {"carried", nest.half_sums->carried},
            {"local_memory_bytes", local_memory_bytes(nest, Precision::fp16)},
            {"registers_estimate", nest.half_registers_per_item}};
}

} // namespace

std::string launch_json(const Operator& op, const Schedule& schedule)
{
    const LoopNest nest = loop_nest(op, schedule);
    ordered_json tensors = ordered_json::array();
    for (const KernelArgument& argument : kernel_arguments(nest)) {
        tensors.push_back(argument_json(argument, tensors.size()));
    }
    const ordered_json output = tensors.back();
    tensors.erase(tensors.size() - 1);
    const ordered_json launch{{"schema", "texelscope.launch/1"},
                              {"kernel", nest.name},
                              {"operator", nest.operator_text},
                              {"config", nest.schedule_text},
                              {"build_options", kernel_build_options},
                              {"global", global_size(nest)},
                              {"local", nest.local},
                              {"inputs", tensors},
                              {"output", output},
                              {"collective", nest.collective},
                              {"local_memory_bytes", local_memory_bytes(nest)},
                              {"registers_estimate", nest.registers_per_item},
                              {"half_arithmetic", half_json(nest)},
                              {"address_operations",
                               {{"before", operations_json(without_elimination(op, schedule))},
                                {"after", operations_json(nest)}}}};
    return launch.dump(2) + "\n";
}

} // namespace texelscope::codegen
