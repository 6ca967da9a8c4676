#pragma once

#include <fmt/format.h>

#include <string>

namespace texelscope::test {

/// A convolution of AutoTVM in NCHW, as a line of a log. Sizes and knobs are made up.
struct LogLine {
    std::string task = "conv2d_nchwc.image2d";
    std::string data = "[1, 24, 20, 18]", weights = "[40, 24, 3, 3]";
    std::string type = "float32", out_type = "float32";
    std::string strides = "[1, 1]", padding = "[1, 1, 1, 1]", dilation = "[1, 1]";
    std::string fc = "[-1, 2, 5]", y = "[-1, 1, 4]", x = "[-1, 3, 2]";
    std::string rcc = "[-1, 2]", ry = "[-1, 1]", rx = "[-1, 3]";
    int most_steps = 0, explicit_unroll = 0;
    std::string seconds = "[0.0015]";
    int error = 0;
    double timestamp = 1693000000;
    std::string version = "0.14.dev0";
    std::string target = "opencl -device=adreno -texture_spatial_limit=16384";

    [[nodiscard]] std::string text() const
    {
        const bool depthwise = task.starts_with("depthwise");
        return fmt::format(
            R"({{"input": ["{}", "{}", [["TENSOR", {}, "{}"], ["TENSOR", {}, "{}"], {}, {}, {}, "{}"], )"
            R"({{}}], "config": {{"index": 7, "code_hash": null, "entity": [["tile_fc", "sp", {}], )"
            R"(["tile_y", "sp", {}], ["tile_x", "sp", {}], {}["tile_ry", "sp", {}], )"
            R"(["tile_rx", "sp", {}], ["auto_unroll_max_step", "ot", {}], ["unroll_explicit", )"
            R"("ot", {}]]}}, "result": [{}, {}, 2.5, {}], "version": 0.2, "tvm_version": "{}"}})",
            target, task, data, type, weights, type, strides, padding, dilation, out_type, fc, y, x,
            depthwise ? "" : fmt::format(R"(["tile_rcc", "sp", {}], )", rcc), ry, rx, most_steps,
            explicit_unroll, seconds, error, timestamp, version);
    }
};

} // namespace texelscope::test
