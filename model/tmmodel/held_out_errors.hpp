#pragma once

#include "base/units.hpp"
#include "model/tmmodel/confidence.hpp"
#include "model/tmmodel/linear_model.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace texelscope::model {

/// A bound on the error of one prediction of the linear model.
struct ErrorBound {
    /// Bound of |log(measured / predicted)|; infinite where the walks give no bound.
    double log_error = std::numeric_limits<double>::infinity();
    /// The prediction is farther from the walks than any walk is from the others: nothing was
    /// measured there.
    bool outside = false;
};

/// Bounds the error of a linear model's next prediction from its errors on held-out walks, by
/// conformal prediction (Vovk, Gammerman, Shafer 2005). The error of a walk is e = |log(measured /
/// predicted)|. Of n walks and the next one, each is equally likely to have the k-th smallest
/// error. The next error is therefore at most the k-th smallest of the n with a probability of
///   k / (n + 1) or more, k = ceil((n + 1) level).
/// So that this holds at each distance from the walks and not only on average, the walks are
/// divided into groups of equal size by their distance from the others (CalibratedRegion), and the
/// quantile is taken from the group of the prediction's distance (Mondrian conformal prediction,
/// Vovk et al. 2003). A bound is never less than that of a nearer group: being farther away makes
/// no prediction surer.
///
/// The bound holds for accesses like those of the walks, on the device that was calibrated. Errors
/// are those of four-fold cross-validation, so that k / (n + 1) is not exact (a fold's fit is not
/// the fit that predicts).
class HeldOutErrors {
public:
    /// There are at most four groups. If there are several, each has at least 40 walks, because a
    /// bound at the level of 97.5 % needs 39.
    static constexpr std::size_t most_groups = 4;
    static constexpr std::size_t least_in_group = 40;

    /// `held_out` has, for each walk, the time of an access predicted by a fit that has not seen
    /// the walk. The error is infinite where that time is not positive. Throws bad_input as
    /// CalibratedRegion does, and for another number of times than walks.
    HeldOutErrors(const std::vector<WalkSample>& walks, const std::vector<Nanoseconds>& held_out);

    /// The bound for the prediction of a histogram; `level`, in (0, 1), is the probability with
    /// which it holds. Throws bad_input for other block shapes than the walks'.
    [[nodiscard]] ErrorBound bound(const CrossBlockHistogram& histogram, double level) const;
    /// The bound for a prediction at this distance from the walks (CalibratedRegion::distance()).
    [[nodiscard]] ErrorBound bound(double distance, double level) const;

    struct Group {
        double up_to = 0;           ///< the group's largest distance
        std::vector<double> errors; ///< |log(measured / predicted)|, ascending
    };
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; } ///< from near to far

private:
    CalibratedRegion region_;
    std::vector<Group> groups_;
};

} // namespace texelscope::model
