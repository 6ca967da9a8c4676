#pragma once

#include "model/tmmodel/calibration.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace texelscope::model {

/// How well a linear model explains the walks it was fitted to, and by what.
struct WalkDiagnosis {
    /// Of (predicted - measured) / measured over all walks, those held out among them.
    static constexpr std::array shares{0.05, 0.25, 0.5, 0.75, 0.95};
    std::array<double, shares.size()> quantiles{};

    struct Walk {
        std::size_t number = 0;
        double measured_ns = 0;
        double predicted_ns = 0;
    };
    /// By relative residual, the largest first; at most as many as asked for.
    std::vector<Walk> worst;

    /// What a block shape adds to the prediction of the mean walk.
    struct Shape {
        Extent2D block;
        double x_ns = 0;  ///< weight of a stride that leaves the block along x
        double y_ns = 0;  ///< along y
        double share = 0; ///< of the mean predicted latency; negative weights make it negative
    };
    std::vector<Shape> shapes;
    /// A stride leaves a block along x by the block's width alone, so that shapes of one width
    /// share one weight in whatever parts the regression gave them; so along y. What strides cost
    /// that leave blocks of a width, or of a height:
    struct Side {
        bool along_x = true;
        std::int32_t texels = 1;
        double ns = 0;
        double share = 0;
    };
    std::vector<Side> sides; ///< widths, then heights, ascending
    double access_share = 0; ///< of the access itself; with the shapes' shares 1
};
/// Throws bad_input where the walks are not of the model's block shapes.
[[nodiscard]] WalkDiagnosis diagnose_walks(const LinearModel& model,
                                           const std::vector<WalkSample>& walks,
                                           std::size_t worst = 5);

/// What the samples do not tell, one line each: where nothing has to be said, none. `walk_spreads`:
/// of each walk, the spread of its samples over their median (0.05: 5 %); empty where there are
/// none.
[[nodiscard]] std::vector<std::string> doubts(const Calibration& calibration,
                                              std::span<const double> walk_spreads = {});

} // namespace texelscope::model
