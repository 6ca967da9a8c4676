#include "codegen/nest/schedule_check.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace texelscope::codegen {

void check_schedule(const Schedule& schedule, const std::vector<std::string>& input_names, const std::string& where)
{
    const std::size_t inputs = input_names.size();
    if (schedule.patterns.size() != inputs) {
        throw bad_input(fmt::format("{} access patterns", schedule.patterns.size()), where,
                        fmt::format("give one for each of {}", fmt::join(input_names, ", ")));
    }
    constexpr std::int64_t most_outputs = 1024;
    std::int64_t outputs = 1;
    for (const std::int32_t size : schedule.tile) {
        outputs *= size;
    }
    if (outputs > most_outputs) {
        throw bad_input(fmt::format("a tile of {} outputs", fmt::join(schedule.tile, "x")), where,
                        fmt::format("a work-item computes at most {}", most_outputs));
    }
    if (!schedule.memory.empty() && schedule.memory.size() != inputs + 1) {
        throw bad_input(fmt::format("memory of {} tensors", schedule.memory.size()), where,
                        fmt::format("give it for {} inputs and the output", inputs));
    }
    constexpr std::int32_t most_staged = 1024;
    if (schedule.stage > most_staged) {
        throw bad_input(fmt::format("{} iterations in local memory", schedule.stage), where,
                        fmt::format("S is at most {}", most_staged));
    }
    constexpr std::int32_t most_parts = 256;
    if (schedule.split > most_parts) {
        throw bad_input(fmt::format("a reduction split into {}", schedule.split), where,
                        fmt::format("at most {} work-items share one", most_parts));
    }
}

} // namespace texelscope::codegen
