#include "workbench/kernel_logs/logged_kernel.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "workbench/kernel_logs/tvm_convolution.hpp"
#include "workbench/kernel_logs/tvm_unroll.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace texelscope::workbench::kernel_logs {
namespace {

/// Iterations of loops that are written out together (Schedule::unroll), where those over channels
/// count once for each of a texel's four.
constexpr std::int64_t most_unrolled = 128;

std::vector<ConvTemplate> templates()
{
    return {{"conv2d_nchwc.image2d"},
            {.name = "conv2d_nchwc_acc32.image2d", .float_sums = true},
            {.name = "conv2d_nhwc.image2d", .nhwc = true},
            {.name = "conv2d_nhwc_acc32.image2d", .nhwc = true, .float_sums = true},
            {.name = "depthwise_conv2d_nchwc.image2d", .depthwise = true},
            {.name = "depthwise_conv2d_nchwc_acc32.image2d", .depthwise = true, .float_sums = true},
            {.name = "depthwise_conv2d_nhwc.image2d", .depthwise = true, .nhwc = true},
            {.name = "depthwise_conv2d_nhwc_acc32.image2d",
             .depthwise = true,
             .nhwc = true,
             .float_sums = true}};
}

/// What is known of templates that no schedule of ours says.
std::string refusal_of(const std::string& task)
{
    if (task.find("winograd") != std::string::npos) {
        return "a Winograd convolution, which we do not have";
    }
    if (task == "conv2d_NCHWc_KCRSk_tx_tune2") {
        return "texels go through local memory in blocks that no part of ours says";
    }
    if (task.find("spatial_pack") != std::string::npos) {
        return "data is packed into windows in buffers, which no layout of ours says";
    }
    return "this template is not understood";
}

/// One output axis: what TVM's split of it means. In texels along channels.
struct TileAxis {
    std::int64_t extent = 1;
    std::int64_t apart = 1;  ///< virtual threads
    std::int64_t items = 1;  ///< work-items of a group
    std::int64_t beside = 1; ///< outputs side by side

    [[nodiscard]] std::int64_t outputs() const { return apart * beside; }
    [[nodiscard]] std::int64_t groups() const
    {
        const std::int64_t covered = outputs() * items;
        return (extent + covered - 1) / covered;
    }
};

const std::vector<std::int64_t>& split_of(const LogRow& row, const char* name, std::size_t least,
                                          std::size_t most)
{
    const LogKnob* const knob = row.knob(name);
    if (knob == nullptr || knob->kind != "sp" || knob->numbers.size() < least ||
        knob->numbers.size() > most) {
        throw bad_input(fmt::format("the knob {} is no split of {} numbers", name,
                                    least == most ? fmt::to_string(least)
                                                  : fmt::format("{} or {}", least, most)));
    }
    const bool positive = std::all_of(knob->numbers.begin() + 1, knob->numbers.end(),
                                      [](auto n) { return n >= 1 && n <= (1 << 20); });
    if (!positive) {
        throw bad_input(fmt::format("a number of the knob {} is below 1 or above 2^20", name));
    }
    return knob->numbers;
}

TileAxis tile_axis(const LogRow& row, const char* name, std::int64_t extent)
{
    const std::vector<std::int64_t>& split = split_of(row, name, 3, 4);
    return {extent, split[1], split[2], split.size() == 4 ? split[3] : 1};
}

/// One reduction axis, cut into blocks of `inner` iterations.
struct Reduction {
    std::string name;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    std::int64_t values = 1; ///< of an iteration: the channels of a texel
};

Reduction reduction(const LogRow& row, const char* knob, const std::string& name,
                    std::int64_t extent)
{
    const std::int64_t inner = split_of(row, knob, 2, 2)[1];
    if (extent % inner != 0) {
        throw bad_input(fmt::format("the knob {} does not divide its loop", knob));
    }
    return {name, extent, inner, name == "ci" ? 4 : 1};
}

/// A reduction loop in TVM's order, with its name in a schedule's parts L and U.
struct NamedLoop {
    std::string name;
    std::int64_t extent = 1;
    std::int64_t values = 1; ///< of an iteration
};

/// The outer loops of all axes, then the inner ones; outermost first. Where one of an axis' two
/// loops has one iteration, the axis has but the other.
std::vector<NamedLoop> named_loops(const std::vector<Reduction>& axes)
{
    std::vector<NamedLoop> loops;
    for (const Reduction& axis : axes) {
        if (axis.inner == axis.extent) {
            continue;
        }
        loops.push_back({axis.inner == 1 ? axis.name : fmt::format("{}/{}", axis.name, axis.inner),
                         axis.extent / axis.inner, axis.values});
    }
    for (const Reduction& axis : axes) {
        if (axis.inner > 1 || axis.inner == axis.extent) {
            loops.push_back({axis.name, axis.inner, axis.values});
        }
    }
    return loops;
}

/// What TVM writes out, of a kernel's reduction loops.
struct WrittenOut {
    std::vector<std::string> names; ///< outermost first, of at most most_unrolled iterations
    double iterations = 1;          ///< all of them
    bool more = false;              ///< there are further ones
};

WrittenOut written_out_loops(const LogRow& row, const std::vector<NamedLoop>& loops,
                             const std::vector<TileAxis>& tiles, bool depthwise)
{
    const LogKnob* const knob = row.knob("auto_unroll_max_step");
    if (knob == nullptr || knob->numbers.size() != 1) {
        throw bad_input("the knob auto_unroll_max_step is no number");
    }
    // TVM repeats statements for fewer than 16 virtual threads, and makes a loop of more.
    constexpr std::int64_t least_looped = 16;
    std::int64_t stores = 1;
    std::vector<TvmLoop> inside;
    for (const TileAxis& tile : tiles) {
        if (tile.apart < least_looped) {
            stores *= tile.apart;
        } else {
            inside.push_back({tile.apart});
        }
    }
    for (const TileAxis& tile : tiles) {
        inside.push_back({tile.beside});
    }
    if (!depthwise) {
        inside.push_back({4, true}); // the channels of a texel
    }
    std::vector<TvmLoop> all = inside;
    for (std::size_t i = loops.size(); i-- > 0;) {
        all.push_back({loops[i].extent});
    }
    const std::int64_t most_steps = std::clamp<std::int64_t>(knob->numbers.front(), 0, 1 << 30);
    const std::vector<bool> out = written_out(all, stores, most_steps);
    WrittenOut written;
    std::int64_t ours = 1;
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const NamedLoop& loop = loops[loops.size() - 1 - i];
        if (!out[inside.size() + i]) {
            continue;
        }
        written.iterations *= static_cast<double>(loop.extent);
        const std::int64_t values = loop.extent * loop.values;
        written.more = written.more || ours * values > most_unrolled;
        if (!written.more) {
            ours *= values;
            written.names.insert(written.names.begin(), loop.name);
        }
    }
    return written;
}

std::vector<std::string> names_of(const std::vector<NamedLoop>& loops)
{
    return mapped(loops, &NamedLoop::name);
}

/// Parts D and K, where they make a difference: a group's work-items take turns along the axes on
/// which each has several rounds.
std::string turns_text(const TileAxis& fc, const TileAxis& x, const TileAxis& y)
{
    const auto turns = [](const TileAxis& axis) { return axis.apart > 1 ? axis.items : 1; };
    std::string text;
    if (turns(fc) * turns(x) * turns(y) > 1) {
        text = fmt::format(";D={}x{}x{}", turns(fc), turns(x), turns(y));
        if (fc.beside * x.beside * y.beside > 1) {
            text += fmt::format(";K={}x{}x{}", 4 * fc.beside, x.beside, y.beside);
        }
    }
    return text;
}

LoggedKernel kernel_of(const LogRow& row, const ConvTemplate& of)
{
    const TvmConvolution conv = convolution_of(row, of);
    const TvmPlaces places = places_of(row, of, conv);
    const TileAxis fc = tile_axis(row, "tile_fc", conv.out_texels);
    const TileAxis y = tile_axis(row, "tile_y", conv.height.output);
    const TileAxis x = tile_axis(row, "tile_x", conv.width.output);
    std::vector<Reduction> axes;
    if (!of.depthwise) {
        axes.push_back(reduction(row, "tile_rcc", "ci", conv.in_texels));
    }
    axes.push_back(reduction(row, "tile_ry", "kh", conv.height.kernel));
    axes.push_back(reduction(row, "tile_rx", "kw", conv.width.kernel));
    const std::vector<NamedLoop> loops = named_loops(axes);
    const WrittenOut written = written_out_loops(row, loops, {x, y, fc}, of.depthwise);

    LoggedKernel kernel;
    kernel.op = of.depthwise ? "dwconv2d" : "conv2d";
    kernel.padding = "valid";
    kernel.shape =
        fmt::format("1,{},{},{},{}{},{},{}", conv.height.input, conv.width.input,
                    4 * conv.in_texels, of.depthwise ? "" : fmt::format("{},", 4 * conv.out_texels),
                    conv.height.kernel, conv.width.kernel, conv.stride);
    std::string& config = kernel.config;
    config = fmt::format("A=row,row;T={}x{}x{}", 4 * fc.outputs(), x.outputs(), y.outputs());
    config += turns_text(fc, x, y);
    config += fmt::format(";G={}x{}x{};N=yzx;L={}", fc.items, x.items, y.items,
                          fmt::join(names_of(loops), ","));
    const LogKnob* const by_tvm = row.knob("unroll_explicit");
    const bool explicit_unroll =
        by_tvm != nullptr && by_tvm->numbers == std::vector<std::int64_t>{1};
    if (explicit_unroll && !written.names.empty()) {
        config += fmt::format(";U={}", fmt::join(written.names, ","));
    }
    config +=
        fmt::format(";M=image,{},buffer;F={},{},{}", places.weights_in_buffer ? "buffer" : "image",
                    places.data, places.weights, of.nhwc ? "tvm-nhwc" : "tvm");
    if (conv.half) {
        config += fmt::format(";P=fp16;C={}", conv.float_sums ? "fp32" : "fp16");
    }
    kernel.unrolled_less = explicit_unroll && written.more;

    KernelCounts& counts = kernel.counts;
    counts.groups = static_cast<double>(fc.groups()) * static_cast<double>(x.groups() * y.groups());
    counts.group_size = static_cast<double>(fc.items * x.items) * static_cast<double>(y.items);
    counts.work_items = counts.groups * counts.group_size;
    const double out_texels =
        static_cast<double>(fc.outputs()) * static_cast<double>(x.outputs() * y.outputs());
    counts.outputs = 4 * out_texels;
    counts.iterations = 1;
    for (const Reduction& axis : axes) {
        counts.iterations *= static_cast<double>(axis.extent);
    }
    counts.unrolled = written.iterations;
    counts.explicit_unroll = explicit_unroll;
    const double steps = counts.work_items * counts.iterations;
    counts.data_reads =
        steps * (of.depthwise ? out_texels : static_cast<double>(x.outputs() * y.outputs()));
    counts.weight_reads = steps * static_cast<double>((of.depthwise ? 1 : 4) * fc.outputs());
    counts.multiply_adds = steps * (of.depthwise ? 4 : 16) * out_texels;
    counts.bytes_per_texel = conv.half ? 8 : 16;
    counts.half_sums = conv.half && !conv.float_sums;
    for (std::size_t axis = 0; const TileAxis& tile : {fc, x, y}) {
        counts.tile[axis] = static_cast<double>(tile.outputs());
        counts.group[axis++] = static_cast<double>(tile.items);
    }
    return kernel;
}

} // namespace

std::string LoggedKernel::operator_text() const
{
    return fmt::format("{} {} --padding {}", op, shape, padding);
}

ReadRow read_row(const LogRow& row)
{
    const std::vector<ConvTemplate> known = templates();
    const auto found = std::ranges::find(known, row.task, &ConvTemplate::name);
    if (found == known.end()) {
        return NotUnderstood{refusal_of(row.task)};
    }
    try {
        return kernel_of(row, *found);
    } catch (const Error& error) {
        return NotUnderstood{error.what()};
    }
}

std::vector<std::string> known_templates()
{
    std::vector<std::string> names;
    for (const ConvTemplate& one : templates()) {
        names.push_back(one.name);
    }
    return names;
}

} // namespace texelscope::workbench::kernel_logs
