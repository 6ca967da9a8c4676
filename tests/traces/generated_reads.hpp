#pragma once

#include "traces/launch.hpp"
#include "traces/launch_source.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace texelscope::test {

/// Reads by work-item, [group * group size + item], as the trace source delivers them to warps.
inline std::vector<std::vector<traces::ItemRead>> generated_reads(const traces::Launch& launch,
                                                                  int warp_size)
{
    const auto source = traces::make_trace_source(launch);
    std::vector<std::vector<traces::ItemRead>> reads(
        static_cast<std::size_t>(launch.group_count() * launch.group_size()));
    traces::WarpAccess access;
    for (std::int64_t group = 0; group < launch.group_count(); ++group) {
        for (const std::int32_t warp : source->warps(group, warp_size)) {
            const auto stream = source->open(group, warp, warp_size);
            while (stream->next(access)) {
                for (const traces::LaneRead& lane : access.lanes) {
                    const std::int64_t item =
                        group * launch.group_size() + warp * warp_size + lane.lane;
                    reads[static_cast<std::size_t>(item)].push_back({lane.image, lane.texel});
                }
            }
        }
    }
    return reads;
}

} // namespace texelscope::test
