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

/// The curves of each image, and "together" where there are several.
[[nodiscard]] std::vector<MissRatioCurves::Named> named_curves(const ReuseDistances& distances,
                                                               std::span<const Image> images);

/// Miss ratio over the capacity, which is on a logarithmic axis in bytes and in lines; the capacity
/// of L1 is marked. A curve that is known up to a limit ends there. Throws bad_input where there is
/// no curve.
[[nodiscard]] PanelPlot miss_ratio_plot(const MissRatioCurves& curves);

/// Columns curve, lines, bytes, lookups, misses, miss_ratio: a row for every capacity from which on
/// a curve is lower than before; the misses are those of every capacity up to that of the next row.
[[nodiscard]] ResultTable miss_ratio_table(const MissRatioCurves& curves);

/// "96 B", "1 KiB", "12.5 KiB", "3.2 MiB".
[[nodiscard]] std::string capacity_text(Bytes bytes);

} // namespace texelscope::workbench::plots
