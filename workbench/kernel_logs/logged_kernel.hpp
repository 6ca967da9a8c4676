#pragma once

#include "workbench/kernel_logs/autotvm_log.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::workbench::kernel_logs {

/// Counts of a kernel as TVM's schedule has them, before any compiler: what baselines and the
/// telling of clocks go by.
struct KernelCounts {
    double work_items = 0; ///< of the launch, those past the output's edge included
    double groups = 0;     ///< work-groups of the launch
    double group_size = 0; ///< work-items of a group
    double outputs = 0;    ///< numbers that a work-item computes
    double iterations = 0; ///< of a work-item's reduction loops, in texels of channels
    double unrolled = 0;   ///< iterations that are written out
    /// TVM itself writes them out (unroll_explicit); else the driver's compiler is asked to.
    bool explicit_unroll = false;
    double data_reads = 0;      ///< texels of data that all work-items read
    double weight_reads = 0;    ///< texels of weights that all work-items read
    double multiply_adds = 0;   ///< of all work-items
    double bytes_per_texel = 0; ///< 16 or 8
    bool half_sums = false;     ///< sums are in float16
    /// Along channels, columns, rows: texels that a work-item computes, work-items of a group.
    std::array<double, 3> tile{1, 1, 1}, group{1, 1, 1};

    [[nodiscard]] double reads() const { return data_reads + weight_reads; }
};

/// A row as an operator and a configuration of ours, both as text, so that they can be looked at
/// where either is not legal.
struct LoggedKernel {
    std::string op;    ///< "conv2d"
    std::string shape; ///< "1,58,58,64,64,3,3,1": with the padding, which TVM copies into the image
    std::string padding; ///< "valid"
    std::string config;  ///< "A=row,row;T=8x1x4;D=32x1x8;..."
    KernelCounts counts;
    /// TVM writes out more iterations than a schedule of ours may; loops are left where they would
    /// be too many.
    bool unrolled_less = false;

    /// "conv2d 1,58,58,64,64,3,3,1 --padding valid"
    [[nodiscard]] std::string operator_text() const;
};

/// Why a row is no kernel of ours.
struct NotUnderstood {
    std::string reason;
};

using ReadRow = std::variant<LoggedKernel, NotUnderstood>;

/// A row as a kernel of ours, template by template; the loop structure is that of TVM's own
/// schedules (apache/tvm python/tvm/topi/adreno before ccaa534b2c, and those of octoml/qualcomm for
/// 2021). Nothing is guessed: a template that is not known, and arguments or knobs that our
/// convolutions cannot say, are refused with the reason.
///
/// What a row becomes:
/// - The image holds the padding, since TVM copies the padded data into it. So the operator has no
///   padding, and as many rows and columns as TVM's image. Channels are rounded up to whole texels,
///   as TVM computes them.
/// - tile_fc, tile_y, tile_x = [-1, v, t(, i)]: T = v * i, D = G = t, K = i, along output channels
///   (in texels of four), rows and columns. Work-items are numbered along columns, rows, channels.
/// - tile_rcc, tile_ry, tile_rx = [-1, inner]: loops rc, ry, rx outside, then inside.
/// - U: what TVM itself writes out (unroll_explicit 1; written_out()), up to 128 iterations. What
/// it
///   asks of the driver's compiler by `#pragma unroll` (unroll_explicit 0) stays a loop: on the 740
///   such kernels take the time of those without.
/// - The work-item's outputs are written out, though TVM leaves loops over the inner ones to the
///   compiler unless it unrolls them.
[[nodiscard]] ReadRow read_row(const LogRow& row);

/// Names of the templates that read_row() knows.
[[nodiscard]] std::vector<std::string> known_templates();

} // namespace texelscope::workbench::kernel_logs
