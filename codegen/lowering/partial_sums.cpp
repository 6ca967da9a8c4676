#include "codegen/lowering/partial_sums.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::codegen {

void add_partial_sums(LoopNest& nest, const std::vector<ValueId>& sums, std::int32_t split)
{
    // As many sums meet at once as local memory of this size holds: barriers are dear.
    constexpr std::int64_t local_bytes = 16384, float_bytes = 4;
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    const std::int64_t width = nest.values[static_cast<std::size_t>(sums.front())].registers;
    const std::int64_t at_once =
        std::clamp<std::int64_t>(local_bytes / (items * width * float_bytes), 1, std::ssize(sums));
    nest.collective = true;
    nest.local_arrays.push_back({static_cast<int>(width), "partial", items * at_once});
    nest.epilogue.emplace_back(NestCompute{
        fmt::format("const int item = (int)(get_local_id(0) + {} * (get_local_id(1) + {} * get_local_id(2)));",
                    nest.local[0], nest.local[1])});
    for (std::int64_t first = 0; first < std::ssize(sums); first += at_once) {
        const std::vector<ValueId> meeting(sums.begin() + first,
                                           sums.begin() + std::min(first + at_once, std::ssize(sums)));
        std::string keep = first > 0 ? "barrier(CLK_LOCAL_MEM_FENCE);\n" : "";
        std::string add;
        std::int64_t offset = 0;
        for (const ValueId sum : meeting) {
            const std::string& name = nest.name_of(sum);
            const std::string place = offset == 0 ? "" : fmt::format(" + {}", offset);
            keep += fmt::format("partial[item{}] = {};\n", place, name);
            add += fmt::format("        {} += partial[item{} + other * {}];\n", name, place, items / split);
            offset += items;
        }
        nest.epilogue.emplace_back(NestCompute{fmt::format("{}barrier(CLK_LOCAL_MEM_FENCE);\n"
                                                           "if (item < {}) {{\n"
                                                           "    for (int other = 1; other < {}; ++other) {{\n"
                                                           "{}    }}\n"
                                                           "}}",
                                                           keep, items / split, split, add),
                                               -1, meeting});
    }
}

} // namespace texelscope::codegen
