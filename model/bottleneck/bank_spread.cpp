#include "model/bottleneck/bank_spread.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace texelscope::model {
namespace {

/// How many lines lie in each bank, if `counts` tells it of where they begin, and each beginning
/// has a line at each of these distances.
std::vector<double> spread_by(const std::vector<double>& counts, std::span<const int> distances)
{
    std::vector<double> spread(counts.size(), 0);
    for (const int distance : distances) {
        for (std::size_t bank = 0; bank < counts.size(); ++bank) {
            spread[(bank + static_cast<std::size_t>(distance)) % counts.size()] += counts[bank];
        }
    }
    return spread;
}

} // namespace

double BankSpread::crowding(const std::array<std::int64_t, 3>& items) const
{
    if (banks < 2) {
        return 1;
    }
    std::vector<double> counts(static_cast<std::size_t>(banks), 0);
    counts.front() = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Axis& of = along[axis];
        const std::int64_t known = std::min(items[axis], std::ssize(of.lines));
        if (known > 1) {
            const auto lines =
                static_cast<std::size_t>(of.lines[static_cast<std::size_t>(known - 1)]);
            counts = spread_by(counts, std::span(of.banks).first(lines));
        }
    }
    if (!together.empty()) {
        counts = spread_by(counts, together);
    }
    double all = 0;
    for (const double count : counts) {
        all += count;
    }
    return std::ranges::max(counts) * banks / all;
}

} // namespace texelscope::model
