#include "codegen/nest/kernel_launch.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

namespace texelscope::codegen {

std::string KernelArgument::qualifier() const
{
    if (operand.memory == Memory::image) {
        return written ? "write_only" : "read_only";
    }
    return written ? "global" : "global const";
}

std::string KernelArgument::declaration() const
{
    const char* type = operand.memory == Memory::image    ? "image2d_t "
                       : operand.storage == Storage::fp32 ? "float4 *restrict "
                                                          : "half *restrict ";
    return fmt::format("{} {}{}", qualifier(), type, operand.image.name);
}

std::vector<KernelArgument> kernel_arguments(const LoopNest& nest)
{
    std::vector<KernelArgument> arguments;
    for (const Operand& input : nest.inputs) {
        arguments.push_back({input, false});
    }
    arguments.push_back({nest.output, true});
    return arguments;
}

Dim3 global_size(const LoopNest& nest)
{
    return {nest.groups[0] * nest.local[0], nest.groups[1] * nest.local[1],
            nest.groups[2] * nest.local[2]};
}

std::int64_t local_memory_bytes(const LoopNest& nest, Precision arithmetic)
{
    return local_memory_bytes(nest, arithmetic,
                              std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2]);
}

std::int64_t local_memory_bytes(const LoopNest& nest, Precision arithmetic, std::int64_t items)
{
    std::int64_t bytes = 0;
    for (const LoopNest::LocalArray& array : nest.local_arrays) {
        const std::int64_t number_bytes = array.factors && arithmetic == Precision::fp16 ? 2 : 4;
        bytes += array.count_for(items) * array.width * number_bytes;
    }
    return bytes;
}

} // namespace texelscope::codegen
