// The reads of rows of AutoTVM: what a work-item of ours reads, against the indices of TVM's
// schedule. They come from the loop nest, so they hold for kernel text, simulator and model alike.

#include "base/random.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "tests/workbench/kernel_logs/log_lines.hpp"
#include "traces/launch_source.hpp"
#include "workbench/kernel_logs/autotvm_log.hpp"
#include "workbench/kernel_logs/logged_kernel.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>

using namespace texelscope::base;
using namespace texelscope::codegen;
using namespace texelscope::model;
using namespace texelscope::test;
using namespace texelscope::traces;
using namespace texelscope::workbench::kernel_logs;

namespace {

/// A split of TVM's: groups, virtual threads, threads, inner outputs.
struct Split {
    std::int64_t block, apart, items, beside;

    [[nodiscard]] std::int64_t extent() const { return block * apart * items * beside; }
    [[nodiscard]] std::string text(bool four) const
    {
        return four ? fmt::format("[-1, {}, {}, {}]", apart, items, beside)
                    : fmt::format("[-1, {}, {}]", apart, items);
    }
    /// The outputs of a thread of a group.
    [[nodiscard]] std::vector<std::int64_t> outputs(std::int64_t group, std::int64_t thread) const
    {
        std::vector<std::int64_t> all;
        for (std::int64_t v = 0; v < apart; ++v) {
            for (std::int64_t i = 0; i < beside; ++i) {
                all.push_back(((group * apart + v) * items + thread) * beside + i);
            }
        }
        return all;
    }
};

using Place = std::pair<std::int64_t, std::int64_t>; // column, row

std::vector<Place> sorted_places(std::vector<Place> places)
{
    std::ranges::sort(places);
    return places;
}

std::vector<Place> places_of_texels(const std::vector<Texel>& texels)
{
    std::vector<Place> places;
    for (const Texel& texel : texels) {
        places.emplace_back(texel.x, texel.y);
    }
    return sorted_places(std::move(places));
}

} // namespace

TEST_CASE("kernel logs: a work-item reads what TVM's thread reads", "[kernel_logs]")
{
    std::mt19937_64 random(17);
    const auto below = [&](std::int64_t count) {
        return static_cast<std::int64_t>(uniform_below(random, static_cast<std::uint64_t>(count)));
    };
    for (int round = 0; round < 60; ++round) {
        const bool four = below(2) == 0;
        const auto split = [&] {
            return Split{1 + below(2), 1 + below(3), 1 + below(4), four ? 1 + below(2) : 1};
        };
        const Split fc = split(), y = split(), x = split();
        const std::int64_t ci = 1 + below(3), kw = 1 + below(3);
        const std::int64_t kh = 1 + below(3);
        const std::int64_t stride = 1 + below(2);
        const std::int64_t height = (y.extent() - 1) * stride + kh;
        const std::int64_t width = (x.extent() - 1) * stride + kw;
        const LogLine line{.data = fmt::format("[1, {}, {}, {}]", 4 * ci, height, width),
                           .weights =
                               fmt::format("[{}, {}, {}, {}]", 4 * fc.extent(), 4 * ci, kh, kw),
                           .strides = fmt::format("[{0}, {0}]", stride),
                           .padding = "[0, 0, 0, 0]",
                           .fc = fc.text(four),
                           .y = y.text(four),
                           .x = x.text(four),
                           .rcc = "[-1, 1]",
                           .ry = "[-1, 1]",
                           .rx = fmt::format("[-1, {}]", kw),
                           .timestamp = 1665000000, // weights in images
                           .version = "0.10.dev0"};
        const ReadRow read = read_row(parse_autotvm_log(line.text()).rows.at(0));
        REQUIRE(std::holds_alternative<LoggedKernel>(read));
        const LoggedKernel& kernel = std::get<LoggedKernel>(read);
        INFO("round " << round << ": " << kernel.operator_text() << " " << kernel.config);
        const Operator op = parse_operator(kernel.op, kernel.shape, kernel.padding);
        const LoopNest nest = loop_nest(op, parse_schedule(kernel.config));
        const auto source = make_trace_source(launch_of(nest));

        // Threads and groups are numbered along the width, then the height, then channels.
        const std::int64_t tx = below(x.items), ty = below(y.items), tf = below(fc.items);
        const std::int64_t bx = below(x.block), by = below(y.block), bf = below(fc.block);
        const auto item = static_cast<std::int32_t>((tf * y.items + ty) * x.items + tx);
        const std::int64_t group = (bf * y.block + by) * x.block + bx;
        std::vector<Place> data, weights;
        for (std::int64_t rc = 0; rc < ci; ++rc) {
            for (std::int64_t ry = 0; ry < kh; ++ry) {
                for (std::int64_t rx = 0; rx < kw; ++rx) {
                    for (const std::int64_t oy : y.outputs(by, ty)) {
                        for (const std::int64_t ox : x.outputs(bx, tx)) {
                            data.emplace_back(ox * stride + rx, rc * height + oy * stride + ry);
                        }
                    }
                    for (const std::int64_t o : fc.outputs(bf, tf)) {
                        for (std::int64_t b = 0; b < 4; ++b) {
                            weights.emplace_back(rx, ((o * 4 * ci) + rc * 4 + b) * kh + ry);
                        }
                    }
                }
            }
        }
        const std::vector<std::vector<Texel>> texels = item_texels(*source, group, item);
        REQUIRE(texels.size() == 2);
        REQUIRE(places_of_texels(texels[0]) == sorted_places(data));
        REQUIRE(places_of_texels(texels[1]) == sorted_places(weights));
    }
}
