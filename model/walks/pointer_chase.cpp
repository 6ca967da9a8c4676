#include "model/walks/pointer_chase.hpp"

#include "traces/formats/trace_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace texelscope::model {

SimulationOptions chase_options(SimulationOptions device)
{
    device.cores = 1;
    device.timed = true;
    device.miss_kinds = false;
    device.timing.alu_cycles_per_step = 0;
    return device;
}

std::unique_ptr<TraceSource> chase_source(const Image& image, std::span<const Texel> texels, int passes)
{
    std::vector<TraceRow> rows;
    rows.reserve(texels.size() * static_cast<std::size_t>(passes));
    for (int pass = 0; pass < passes; ++pass) {
        for (const Texel texel : texels) {
            rows.push_back({.step = static_cast<std::uint32_t>(rows.size()), .texel = texel});
        }
    }
    return make_trace_source("chase", {image}, std::move(rows));
}

} // namespace texelscope::model
