#pragma once

#include "base/units.hpp"
#include "model/tmmodel/confidence.hpp"
#include "model/tmmodel/linear_model.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace texelscope::model {

/// How far a prediction of the linear model may be off.
struct ErrorBound {
    /// Of |log(measured / predicted)|; infinite where the walks give no bound.
    double log_error = std::numeric_limits<double>::infinity();
    /// Farther from the walks than any of them is from the others: nothing was seen there.
    bool outside = false;
};

/// What a linear model's errors on held-out walks say of its next prediction, by conformal
/// prediction (Vovk, Gammerman, Shafer 2005): of n walks, n + 1 with the next, any is as likely as
/// another to be the k-th in the order of its error e = |log(measured / predicted)|, so that the
/// next one's is at most the k-th smallest of the n with a probability of
///   k / (n + 1) or more, k = ceil((n + 1) level).
/// The walks are taken in groups of equal size by their distance from the others
/// (CalibratedRegion), the quantile from the group of the prediction's distance (Mondrian conformal
/// prediction, Vovk et al. 2003), so that it holds at each distance and not only on average. A
/// bound is never less than that of a nearer group: being farther off makes no prediction surer.
///
/// It holds for accesses as the walks make them on the device that was calibrated. Errors are those
/// of four-fold cross-validation, so that k / (n + 1) is not exact (a fold's fit is not the fit
/// that predicts).
class HeldOutErrors {
public:
    /// At most four groups, of at least 40 walks where there is more than one: 39 bound an error at
    /// the level of 97.5 %.
    static constexpr std::size_t most_groups = 4;
    static constexpr std::size_t least_in_group = 40;

    /// `held_out`: of each walk, the time of an access as a fit predicts it that has not seen the
    /// walk; an error is infinite where it is not positive. Throws bad_input as CalibratedRegion
    /// does, and for another number of times than walks.
    HeldOutErrors(const std::vector<WalkSample>& walks, const std::vector<Nanoseconds>& held_out);

    /// For the prediction of a histogram. `level` in (0, 1). Throws bad_input for other block
    /// shapes than the walks'.
    [[nodiscard]] ErrorBound bound(const CrossBlockHistogram& histogram, double level) const;
    /// For a prediction at a distance from the walks, as CalibratedRegion::distance() measures it.
    [[nodiscard]] ErrorBound bound(double distance, double level) const;

    struct Group {
        double up_to = 0;           ///< largest distance
        std::vector<double> errors; ///< |log(measured / predicted)|, ascending
    };
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; } ///< from near to far

private:
    CalibratedRegion region_;
    std::vector<Group> groups_;
};

} // namespace texelscope::model
