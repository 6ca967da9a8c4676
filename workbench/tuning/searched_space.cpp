#include "workbench/tuning/searched_space.hpp"

#include "base/error.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/space/searched_parts.hpp"

#include <fmt/format.h>

namespace texelscope::workbench::tuning {

SearchedSpace searched_space(const Strategy& strategy, const Operator& op,
                             const DeviceProfile& device, const std::string& parts,
                             const std::vector<Constraint>& where)
{
    const std::string what =
        fmt::format("{} on {}, --strategy {}", to_string(op), device.name, strategy.name);
    if (!parts.empty() && !strategy.parts) {
        throw bad_input("the strategy has a space of its own", "--parts " + parts_text(parts),
                        "leave it out, or use a strategy that searches parts, such as descent");
    }
    const std::string searched =
        !parts.empty() || !strategy.parts ? parts : strategy.parts(op, device);
    SearchedSpace left{narrowed(parts.empty()
                                    ? strategy.space(op, device)
                                    : configuration_space(op, device, {.parts = searched}),
                                conditions_of(where), what),
                       searched};
    check_some_left(left.counts, what);
    return left;
}

} // namespace texelscope::workbench::tuning
