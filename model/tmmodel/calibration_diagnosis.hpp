#pragma once

#include "model/tmmodel/calibration.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace texelscope::model {

/// How well a linear model explains the walks that it was fitted to, and which block shapes its
/// predictions consist of.
struct WalkDiagnosis {
    /// Quantiles, at `shares`, of (predicted - measured) / measured over all walks, including the
    /// held-out ones.
    static constexpr std::array shares{0.05, 0.25, 0.5, 0.75, 0.95};
    std::array<double, shares.size()> quantiles{};

    struct Walk {
        std::size_t number = 0;
        double measured_ns = 0;
        double predicted_ns = 0;
    };
    /// The walks with the largest relative residuals, the largest first.
    std::vector<Walk> worst;

    /// The part of the predicted time of the mean walk that comes from one block shape.
    struct Shape {
        Extent2D block;
        double x_ns = 0;  ///< weight of a stride that leaves the block along x
        double y_ns = 0;  ///< along y
        double share = 0; ///< of the mean predicted latency; negative weights make it negative
    };
    std::vector<Shape> shapes;
    /// Cost of strides that leave blocks of one width along x, or of one height along y, added up
    /// over the shapes. Whether a stride leaves a block along x depends on the block's width alone.
    /// Shapes of equal width therefore have the same counts, and how the regression divides the
    /// weight among them means nothing; only the sum does.
    struct Side {
        bool along_x = true;
        std::int32_t texels = 1;
        double ns = 0;
        double share = 0;
    };
    std::vector<Side> sides; ///< widths, then heights, ascending
    /// Share of the access itself; together with the shapes' shares it makes 1.
    double access_share = 0;
};
/// Diagnoses the model on the walks; `worst` limits the list of worst walks. Throws bad_input where
/// the walks have other block shapes than the model.
[[nodiscard]] WalkDiagnosis diagnose_walks(const LinearModel& model,
                                           const std::vector<WalkSample>& walks,
                                           std::size_t worst = 5);

/// Warnings about a calibration that its samples hardly support, one line each; empty if there are
/// none. `walk_spreads` has, for each walk, the spread of its samples over their median (0.05: 5
/// %); it is empty if spreads are not known.
[[nodiscard]] std::vector<std::string> doubts(const Calibration& calibration,
                                              std::span<const double> walk_spreads = {});

} // namespace texelscope::model
