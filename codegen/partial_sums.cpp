#include "codegen/partial_sums.hpp"

#include <fmt/format.h>

namespace texelscope {

void add_partial_sums(LoopNest& nest, const std::vector<ValueId>& sums, std::int32_t split)
{
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    const int width = nest.values[static_cast<std::size_t>(sums.front())].registers;
    nest.collective = true;
    nest.local_arrays.push_back({width == 1 ? "float" : fmt::format("float{}", width), "partial", items});
    nest.epilogue.emplace_back(NestCompute{
        fmt::format("const int item = (int)(get_local_id(0) + {} * (get_local_id(1) + {} * get_local_id(2)));",
                    nest.local[0], nest.local[1])});
    for (const ValueId sum : sums) {
        const std::string& name = nest.name_of(sum);
        const std::string text = fmt::format("partial[item] = {0};\n"
                                             "barrier(CLK_LOCAL_MEM_FENCE);\n"
                                             "if (item < {1}) {{\n"
                                             "    for (int other = 1; other < {2}; ++other) {{\n"
                                             "        {0} += partial[item + other * {1}];\n"
                                             "    }}\n"
                                             "}}\n"
                                             "barrier(CLK_LOCAL_MEM_FENCE);",
                                             name, items / split, split);
        nest.epilogue.emplace_back(NestCompute{text, -1, {sum}});
    }
}

} // namespace texelscope
