#include "model/tmmodel/confidence.hpp"

#include "base/error.hpp"
#include "model/tmmodel/linear_model.hpp"

#include <fmt/format.h>
#include <nanoflann.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace texelscope::model {
namespace {

constexpr std::size_t neighbours = 3;

/// The points as nanoflann asks for them.
struct Points {
    std::vector<std::vector<double>> rows;

    [[nodiscard]] std::size_t kdtree_get_point_count() const { return rows.size(); }
    [[nodiscard]] double kdtree_get_pt(std::size_t row, std::size_t dimension) const
    {
        return rows[row][dimension];
    }
    template <class Box>
    bool kdtree_get_bbox(Box&) const
    {
        return false;
    }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Adaptor<double, Points>, Points, -1,
                                                 std::size_t>;

Points points_of(const std::vector<WalkSample>& walks)
{
    if (walks.size() < neighbours + 2) {
        throw bad_input(fmt::format("{} walks are too few", walks.size()), "confidence",
                        fmt::format("give at least {}", neighbours + 2));
    }
    Points points;
    for (const WalkSample& walk : walks) {
        if (block_shapes(walk.histogram) != block_shapes(walks.front().histogram)) {
            throw bad_input("the walks differ in their block shapes", "confidence");
        }
        points.rows.push_back(per_access_features(walk.histogram));
    }
    return points;
}

} // namespace

class CalibratedRegion::Impl {
public:
    explicit Impl(const std::vector<WalkSample>& walks)
        : shapes(block_shapes(walks.empty() ? CrossBlockHistogram{} : walks.front().histogram)),
          points_(points_of(walks)), tree_(static_cast<int>(points_.rows.front().size()), points_)
    {
        for (const std::vector<double>& row : points_.rows) {
            between_walks.push_back(distance(row, 1)); // a walk is its own nearest one
        }
        std::vector<double> distances;
        std::copy_if(between_walks.begin(), between_walks.end(), std::back_inserter(distances),
                     [](double apart) { return apart > 0; });
        if (!distances.empty()) {
            const auto middle =
                distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
            std::nth_element(distances.begin(), middle, distances.end());
            typical = *middle;
        }
    }

    /// Mean distance to the nearest points after the first `skipped`.
    [[nodiscard]] double distance(const std::vector<double>& point, std::size_t skipped) const
    {
        std::array<std::size_t, neighbours + 1> indices{};
        std::array<double, neighbours + 1> squares{}; // ascending
        tree_.knnSearch(point.data(), neighbours + skipped, indices.data(), squares.data());
        double sum = 0;
        for (std::size_t i = skipped; i < neighbours + skipped; ++i) {
            sum += std::sqrt(squares[i]);
        }
        return sum / static_cast<double>(neighbours);
    }

    std::vector<Extent2D> shapes;
    std::vector<double> between_walks;
    double typical = 0;

private:
    Points points_;
    Tree tree_;
};

CalibratedRegion::CalibratedRegion(const std::vector<WalkSample>& walks)
    : impl_(std::make_unique<Impl>(walks))
{}
CalibratedRegion::~CalibratedRegion() = default;
CalibratedRegion::CalibratedRegion(CalibratedRegion&&) noexcept = default;
CalibratedRegion& CalibratedRegion::operator=(CalibratedRegion&&) noexcept = default;

double CalibratedRegion::distance(const CrossBlockHistogram& histogram) const
{
    if (block_shapes(histogram) != impl_->shapes) {
        throw bad_input("the histogram has other block shapes than the walks", "confidence",
                        "count strides over the shapes of the calibration");
    }
    return impl_->distance(per_access_features(histogram), 0);
}

const std::vector<double>& CalibratedRegion::walk_distances() const
{
    return impl_->between_walks;
}

double CalibratedRegion::typical_distance() const
{
    return impl_->typical;
}

double CalibratedRegion::confidence(const CrossBlockHistogram& histogram) const
{
    const double apart = distance(histogram);
    if (impl_->typical == 0) {
        return 1 / (1 + apart);
    }
    return apart <= impl_->typical ? 1.0 : impl_->typical / apart;
}

} // namespace texelscope::model
