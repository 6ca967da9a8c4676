// Rows of AutoTVM as operators and configurations of ours: worked examples, the order of loops
// against TVM's six nested ones, and what is refused.

#include "base/random.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "workbench/kernel_logs/autotvm_log.hpp"
#include "workbench/kernel_logs/logged_kernel.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <random>
#include <sstream>

using namespace texelscope::base;
using namespace texelscope::workbench::kernel_logs;
using namespace texelscope::test;
using Catch::Matchers::Contains;

namespace {

ReadRow read(const LogLine& line)
{
    return read_row(parse_autotvm_log(line.text()).rows.at(0));
}

LoggedKernel kernel(const LogLine& line)
{
    const ReadRow row = read(line);
    if (const auto* const no = std::get_if<NotUnderstood>(&row)) {
        FAIL(no->reason);
    }
    return std::get<LoggedKernel>(row);
}

std::string refusal(const LogLine& line)
{
    const ReadRow row = read(line);
    REQUIRE(std::holds_alternative<NotUnderstood>(row));
    return std::get<NotUnderstood>(row).reason;
}

std::string part(const std::string& config, const std::string& key)
{
    const std::size_t at = (";" + config).find(";" + key + "=");
    if (at == std::string::npos) {
        return "";
    }
    const std::string rest = config.substr(at + key.size() + 1);
    return rest.substr(0, rest.find(';'));
}

using Iteration = std::array<std::int64_t, 3>; // ci, kh, kw

/// The iterations of loops "ci/2,kh,kw,ci" in their order, for these extents.
std::vector<Iteration> iterations_of(const std::string& loops, const Iteration& extents)
{
    struct Loop {
        std::size_t axis;
        std::int64_t extent, step;
    };
    const std::map<std::string, std::size_t> axes{{"ci", 0}, {"kh", 1}, {"kw", 2}};
    std::map<std::string, std::int64_t> blocks;
    std::vector<Loop> nest;
    std::stringstream in(loops);
    for (std::string name; std::getline(in, name, ',');) {
        const std::string base = name.substr(0, name.find('/'));
        const std::size_t axis = axes.at(base);
        if (base != name) {
            blocks[base] = std::stoll(name.substr(base.size() + 1));
            nest.push_back({axis, extents[axis] / blocks[base], blocks[base]});
        } else {
            nest.push_back({axis, blocks.contains(base) ? blocks[base] : extents[axis], 1});
        }
    }
    std::vector<Iteration> all{{0, 0, 0}};
    for (const Loop& loop : nest) {
        std::vector<Iteration> more;
        for (const Iteration& at : all) {
            for (std::int64_t i = 0; i < loop.extent; ++i) {
                more.push_back(at);
                more.back()[loop.axis] += i * loop.step;
            }
        }
        all = more;
    }
    return all;
}

} // namespace

TEST_CASE("kernel logs: a 3x3 convolution as a configuration", "[kernel_logs]")
{
    // 24 channels are 6 texels; the image of 20x18 has a border of 1. 2 virtual threads by 5 along
    // channels, 3 by 2 along columns, 1 by 4 along rows.
    const LoggedKernel conv = kernel({});
    CHECK(conv.operator_text() == "conv2d 1,22,20,24,40,3,3,1 --padding valid");
    CHECK(conv.config == "A=row,row;T=8x3x1;D=5x2x1;G=5x2x4;N=yzx;L=ci/2,kh,ci,kw;"
                         "M=image,buffer,buffer;F=tvm,tvm-weight,tvm");
    CHECK(conv.counts.group_size == 40);
    CHECK(conv.counts.groups == 1 * 3 * 5); // of 10 texels, 18 columns by 6, 20 rows by 4
    CHECK(conv.counts.iterations == 6 * 9);
    CHECK(conv.counts.data_reads == 15.0 * 40 * 54 * 3);
    CHECK(conv.counts.weight_reads == 15.0 * 40 * 54 * 8);
    CHECK(conv.counts.multiply_adds == 15.0 * 40 * 54 * 96);
    CHECK(conv.counts.bytes_per_texel == 16);
}

TEST_CASE("kernel logs: types, sums and strides", "[kernel_logs]")
{
    LogLine line{.type = "float16", .out_type = "float16", .strides = "[2, 2]"};
    CHECK_THAT(kernel(line).config, Contains(";P=fp16;C=fp16"));
    // 20 rows, padded to 22: windows of 3 by 2 steps reach 21; 18 columns, padded to 20, reach 19.
    CHECK(kernel(line).shape == "1,21,19,24,40,3,3,2");
    line.out_type = "float32";
    CHECK_THAT(kernel(line).config, Contains(";P=fp16;C=fp32"));
    line = {.task = "conv2d_nchwc_acc32.image2d", .type = "float16", .out_type = "float16"};
    CHECK_THAT(kernel(line).config, Contains(";P=fp16;C=fp32"));
    CHECK_FALSE(kernel(line).counts.half_sums);
    // Three channels are computed as four.
    line = {.data = "[1, 3, 9, 9]", .weights = "[5, 3, 3, 3]", .padding = "[0, 1, 0, 2]"};
    line.rcc = "[-1, 1]";
    CHECK(kernel(line).shape == "1,9,12,4,8,3,3,1");
}

TEST_CASE("kernel logs: inner tiles of the templates of 2021 lie side by side", "[kernel_logs]")
{
    const LoggedKernel conv = kernel({.task = "conv2d_nchwc_acc32.image2d",
                                      .data = "[1, 6, 20, 18, 4]",
                                      .weights = "[10, 24, 3, 3, 4]",
                                      .type = "float16",
                                      .out_type = "float16",
                                      .fc = "[-1, 2, 5, 1]",
                                      .y = "[-1, 2, 5, 2]",
                                      .x = "[-1, 1, 2, 3]",
                                      .timestamp = 1615000000,
                                      .version = "0.8.dev0"});
    CHECK(conv.shape == "1,22,20,24,40,3,3,1");
    CHECK_THAT(conv.config,
               Contains("T=8x3x4;D=5x1x5;K=4x3x2;G=5x2x5") && Contains("M=image,image,buffer"));
}

TEST_CASE("kernel logs: NHWC and depthwise", "[kernel_logs]")
{
    const LoggedKernel conv = kernel({.task = "conv2d_nhwc.image2d",
                                      .data = "[1, 200, 180, 24]",
                                      .weights = "[1, 1, 24, 40]",
                                      .padding = "[0, 0, 0, 0]",
                                      .rx = "[-1, 1]",
                                      .timestamp = 1670000000,
                                      .version = "0.10.dev0"});
    CHECK(conv.shape == "1,200,180,24,40,1,1,1");
    // 200 * 180 rows are more than an image has, 24 of weights are not.
    CHECK(part(conv.config, "F") == "tvm-nhwc,tvm-nhwc,tvm-nhwc");
    CHECK(part(conv.config, "M") == "image,image,buffer");
    const LoggedKernel small = kernel({.task = "conv2d_nhwc.image2d",
                                       .data = "[1, 20, 18, 24]",
                                       .weights = "[3, 3, 24, 40]",
                                       .timestamp = 1670000000,
                                       .version = "0.10.dev0"});
    CHECK(part(small.config, "F") == "tvm-nhwc-rows,tvm-nhwc,tvm-nhwc");

    LogLine line{.task = "depthwise_conv2d_nchwc.image2d",
                 .data = "[1, 40, 20, 18]",
                 .weights = "[40, 1, 3, 3]",
                 .most_steps = 512,
                 .explicit_unroll = 1};
    const LoggedKernel depthwise = kernel(line);
    CHECK(depthwise.operator_text() == "dwconv2d 1,22,20,40,3,3,1 --padding valid");
    CHECK(part(depthwise.config, "L") == "kh,kw");
    CHECK(part(depthwise.config, "U") == "kh,kw");
    CHECK(depthwise.counts.weight_reads == depthwise.counts.work_items * 9 * 2);
    CHECK(depthwise.counts.data_reads == depthwise.counts.work_items * 9 * 6);
    line.task = "depthwise_conv2d_nhwc_acc32.image2d";
    line.data = "[1, 20, 18, 40]";
    line.weights = "[3, 3, 40, 1]";
    line.type = "float16";
    CHECK(kernel(line).operator_text() == depthwise.operator_text());
    CHECK(part(kernel(line).config, "C") == "fp32");
}

TEST_CASE("kernel logs: where weights lie follows TVM's age and their size", "[kernel_logs]")
{
    LogLine line{.weights = "[40, 24, 1, 1]", .padding = "[0, 0, 0, 0]", .rx = "[-1, 1]"};
    const auto places = [&] {
        const LoggedKernel conv = kernel(line);
        return part(conv.config, "M") + " " + part(conv.config, "F");
    };
    CHECK(places() == "image,image,buffer tvm,tvm,tvm"); // 240 rows of one column
    line.weights = "[4000, 240, 1, 1]";
    line.data = "[1, 240, 20, 18]";
    CHECK(places() == "image,image,buffer tvm,tvm-weight,tvm"); // 240,000 rows are too many
    line.weights = "[40, 24, 1, 1]";
    line.data = "[1, 24, 20, 18]";
    line.version = "0.9.dev0";
    CHECK(places() == "image,image,buffer tvm,tvm-weight,tvm");
    line.version = "0.10.dev0";
    line.timestamp = 1665000000; // October 2022
    CHECK(places() == "image,image,buffer tvm,tvm,tvm");
}

TEST_CASE("kernel logs: loops run in TVM's order", "[kernel_logs]")
{
    std::mt19937_64 random(5);
    const auto divisor = [&](std::int64_t of) {
        std::vector<std::int64_t> all;
        for (std::int64_t d = 1; d <= of; ++d) {
            if (of % d == 0) {
                all.push_back(d);
            }
        }
        return all[uniform_below(random, all.size())];
    };
    for (int round = 0; round < 200; ++round) {
        const Iteration extents{1 + static_cast<std::int64_t>(uniform_below(random, 12)),
                                1 + static_cast<std::int64_t>(uniform_below(random, 6)),
                                1 + static_cast<std::int64_t>(uniform_below(random, 6))};
        const Iteration inner{divisor(extents[0]), divisor(extents[1]), divisor(extents[2])};
        const LoggedKernel conv = kernel(
            {.data = fmt::format("[1, {}, 20, 18]", 4 * extents[0]),
             .weights = fmt::format("[40, {}, {}, {}]", 4 * extents[0], extents[1], extents[2]),
             .rcc = fmt::format("[-1, {}]", inner[0]),
             .ry = fmt::format("[-1, {}]", inner[1]),
             .rx = fmt::format("[-1, {}]", inner[2])});
        std::vector<Iteration> expected;
        for (std::int64_t rco = 0; rco < extents[0] / inner[0]; ++rco) {
            for (std::int64_t ryo = 0; ryo < extents[1] / inner[1]; ++ryo) {
                for (std::int64_t rxo = 0; rxo < extents[2] / inner[2]; ++rxo) {
                    for (std::int64_t rci = 0; rci < inner[0]; ++rci) {
                        for (std::int64_t ryi = 0; ryi < inner[1]; ++ryi) {
                            for (std::int64_t rxi = 0; rxi < inner[2]; ++rxi) {
                                expected.push_back({rco * inner[0] + rci, ryo * inner[1] + ryi,
                                                    rxo * inner[2] + rxi});
                            }
                        }
                    }
                }
            }
        }
        const std::string loops = part(conv.config, "L");
        INFO(round << ": " << loops);
        REQUIRE(iterations_of(loops, extents) == expected);
    }
}

TEST_CASE("kernel logs: loops are written out up to TVM's steps and our iterations",
          "[kernel_logs]")
{
    // 6 outputs of 4 channels: 24 stores an iteration; kw 3, ci 2 of ci/2 3, kh 3.
    LogLine line{.most_steps = 512, .explicit_unroll = 1};
    CHECK(part(kernel(line).config, "U") == "kh,ci,kw"); // 72, 144, 432; 1296 are too many
    CHECK(kernel(line).counts.unrolled == 18);
    line.most_steps = 1500;
    CHECK_FALSE(kernel({.most_steps = 512, .explicit_unroll = 1})
                    .unrolled_less);                     // 72 with a texel's four channels
    CHECK(part(kernel(line).config, "U") == "kh,ci,kw"); // with ci/2 they would be 864
    CHECK(kernel(line).counts.unrolled == 54);
    CHECK(kernel(line).unrolled_less);
    line.most_steps = 100;
    CHECK(part(kernel(line).config, "U") == "kw");
    // One output, 18 texels of channels by 9: 162 iterations of 4 stores.
    line = {.data = "[1, 72, 20, 18]",
            .weights = "[40, 72, 3, 3]",
            .fc = "[-1, 1, 10]",
            .y = "[-1, 1, 4]",
            .x = "[-1, 1, 2]",
            .rcc = "[-1, 18]",
            .ry = "[-1, 3]",
            .most_steps = 1500,
            .explicit_unroll = 1};
    CHECK(part(kernel(line).config, "U") == "kh,kw");
    CHECK(kernel(line).unrolled_less);
    CHECK(kernel(line).counts.unrolled == 162);
    // What the driver's compiler is asked to write out stays a loop.
    line.explicit_unroll = 0;
    CHECK(kernel(line).config.find(";U=") == std::string::npos);
    CHECK_FALSE(kernel(line).unrolled_less);
    CHECK(kernel(line).counts.unrolled == 162);
}

TEST_CASE("kernel logs: what our convolutions cannot say is refused with its reason",
          "[kernel_logs]")
{
    CHECK_THAT(refusal({.dilation = "[2, 2]"}), Contains("dilation"));
    CHECK_THAT(refusal({.strides = "[1, 2]"}), Contains("strides"));
    CHECK_THAT(refusal({.data = "[2, 24, 20, 18]"}), Contains("batch"));
    CHECK_THAT(refusal({.weights = "[40, 28, 3, 3]"}), Contains("channels"));
    CHECK_THAT(refusal({.padding = "[0, 0, 0, -1]"}), Contains("padding"));
    CHECK_THAT(refusal({.weights = "[40, 24, 99, 3]"}), Contains("larger"));
    CHECK_THAT(refusal({.type = "int8"}), Contains("float16"));
    CHECK_THAT(refusal({.rcc = "[-1, 4]"}), Contains("tile_rcc"));
    CHECK_THAT(refusal({.fc = "[-1, 2]"}), Contains("tile_fc"));
    CHECK_THAT(refusal({.y = "[-1, 0, 4]"}), Contains("tile_y"));
    CHECK_THAT(refusal({.task = "depthwise_conv2d_nchwc.image2d", .weights = "[24, 2, 3, 3]"}),
               Contains("multiplier"));
    CHECK_THAT(refusal({.task = "conv2d_nchw_winograd.image2d"}), Contains("Winograd"));
    CHECK_THAT(refusal({.task = "dense_small_batch.gpu"}), Contains("not understood"));
    CHECK(known_templates().size() == 8);
}
