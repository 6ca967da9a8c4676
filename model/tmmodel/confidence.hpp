#pragma once

#include "model/tmmodel/linear_model.hpp"

#include <memory>
#include <vector>

namespace texelscope::model {

/// Tells how near a histogram is to the walks that a model was fitted to. Distances are Euclidean,
/// between vectors of per-access features (per_access_features()); the distance of a histogram is
/// the mean of its distances to the three nearest walks.
class CalibratedRegion {
public:
    /// Throws bad_input for fewer than five walks, or walks of different block shapes.
    explicit CalibratedRegion(const std::vector<WalkSample>& walks);
    ~CalibratedRegion();
    CalibratedRegion(CalibratedRegion&&) noexcept;
    CalibratedRegion& operator=(CalibratedRegion&&) noexcept;

    /// Mean distance to the three nearest walks. Throws bad_input for other block shapes than the
    /// walks'.
    [[nodiscard]] double distance(const CrossBlockHistogram& histogram) const;

    /// The distance of each walk to the other walks, in their order. A walk does not count as its
    /// own neighbour.
    [[nodiscard]] const std::vector<double>& walk_distances() const;

    /// How far apart the walks themselves lie: the median of walk_distances() over those that are
    /// not 0. It is 0 where all walks are the same.
    [[nodiscard]] double typical_distance() const;

    /// min(1, typical distance / distance), in (0, 1]: 1 for a point that lies as near to the walks
    /// as half of them do to each other, 0.1 for one ten times as far from them. (Where all walks
    /// are the same: 1 there, and 1 / (1 + distance) elsewhere.) It says whether the model
    /// interpolates; how good it is where it does is told by its held-out error.
    [[nodiscard]] double confidence(const CrossBlockHistogram& histogram) const;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace texelscope::model
