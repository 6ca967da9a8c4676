#pragma once

#include "base/units.hpp"
#include "sim/reuse/miss_ratio_curve.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/plots/result_table.hpp"

#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// Miss-ratio curves of one launch on one device.
struct MissRatioCurves {
    struct Named {
        std::string name; ///< an image, or "together"
        MissRatioCurve curve;
    };
    std::string source; ///< what was looked up
    std::string device;
    Bytes line{1};        ///< of L1
    Bytes l1_capacity{1}; ///< of one core
    std::vector<Named> curves;
};

/// The curve of each image and, where there are several images, one named "together".
[[nodiscard]] std::vector<MissRatioCurves::Named> named_curves(const ReuseDistances& distances,
                                                               std::span<const Image> images);

/// Plots the miss ratio over the cache's capacity, in bytes and in lines on a logarithmic axis,
/// with the capacity of L1 marked. A curve that is known only up to some capacity ends there.
/// Throws bad_input where there is no curve.
[[nodiscard]] PanelPlot miss_ratio_plot(const MissRatioCurves& curves);

/// The curves as a table with columns curve, lines, bytes, lookups, misses, miss_ratio. A curve has
/// a row for every capacity at which it falls; its misses hold for all capacities from there to the
/// next row's.
[[nodiscard]] ResultTable miss_ratio_table(const MissRatioCurves& curves);

/// "96 B", "1 KiB", "12.5 KiB", "3.2 MiB".
[[nodiscard]] std::string capacity_text(Bytes bytes);

} // namespace texelscope::workbench::plots
