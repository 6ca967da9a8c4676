#pragma once

#include "model/tmmodel/calibrate.hpp"

#include <string>

namespace texelscope::test {
using namespace model;

/// 1 KB of 64-byte lines, 4x4-texel Morton tiles, 16 lanes to a warp.
inline SimulationOptions small_device(const std::string& layout = "4x4:morton,row")
{
    SimulationOptions device;
    device.machine.warp_size = 16;
    device.machine.layout = parse_layout(layout);
    device.machine.l1().geometry = {.capacity = Bytes{1024}, .line = Bytes{64}};
    device.machine.l2().geometry = {.capacity = Bytes{16 * 1024}, .ways = 16};
    return device;
}

/// `walks` short walks in a small image.
inline CalibrationOptions short_walks(int walks, std::uint64_t seed)
{
    CalibrationOptions options;
    options.walks = walks;
    options.steps = 200;
    options.extent = {256, 256};
    options.seed = seed;
    return options;
}

} // namespace texelscope::test
