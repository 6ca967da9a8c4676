#include "model/curves/chase_fit.hpp"

#include "base/error.hpp"

namespace texelscope::model {

void check_chases(std::span<const ChasePoint> points)
{
    constexpr std::size_t fewest = 4;
    if (points.size() < fewest) {
        throw bad_input("too few chases to fit a cache to", "cache fit", "measure at least 4 numbers of lines");
    }
    for (const ChasePoint& point : points) {
        if (!(point.ns > 0) || point.lines < 1 || point.warm_passes < 1 || point.passes < 1) {
            throw bad_input("a chase has no positive latency, no line or no pass", "cache fit");
        }
    }
}

Eigen::VectorXd hit_column(std::span<const ChasePoint> points)
{
    Eigen::VectorXd column(std::ssize(points));
    for (Eigen::Index i = 0; i < column.size(); ++i) {
        column[i] = 1 / points[static_cast<std::size_t>(i)].ns;
    }
    return column;
}

Eigen::VectorXd ShareColumns::of(const RandomSetCache& cache)
{
    const auto key = std::pair(cache.ways, cache.replacement);
    const SetMisses& set = sets_.try_emplace(key, cache.ways, cache.replacement).first->second;
    Eigen::VectorXd column(std::ssize(points_));
    for (Eigen::Index i = 0; i < column.size(); ++i) {
        const ChasePoint& point = points_[static_cast<std::size_t>(i)];
        column[i] = miss_share(cache.sets, set, point) / point.ns;
    }
    return column;
}

} // namespace texelscope::model
