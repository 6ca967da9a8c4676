#include "sim/layout/line_shift.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace texelscope::sim {
namespace {

/// Every p from 1 to `length` such that element i + p is element i wherever both exist, ascending:
/// the length less each part that the sequence both starts and ends with (Knuth, Morris and Pratt's
/// failure function).
template <class Element>
std::vector<std::size_t> periods(std::size_t length, const Element& element)
{
    std::vector<std::size_t> overlap(length, 0);
    for (std::size_t i = 1; i < length; ++i) {
        std::size_t k = overlap[i - 1];
        while (k > 0 && element(i) != element(k)) {
            k = overlap[k - 1];
        }
        overlap[i] = element(i) == element(k) ? k + 1 : 0;
    }
    std::vector<std::size_t> found;
    for (std::size_t k = length; k > 0;) {
        k = overlap[k - 1];
        found.push_back(length - k);
    }
    return found;
}

} // namespace

std::int32_t smallest_shift(std::span<const std::int64_t> values,
                            std::span<const std::int64_t> repeated)
{
    if (values.size() < 2) {
        return 1;
    }
    // The differences of neighbours repeat with the same period.
    const auto steps =
        periods(values.size() - 1, [&](std::size_t i) { return values[i + 1] - values[i]; });
    if (repeated.empty()) {
        return static_cast<std::int32_t>(steps.front());
    }
    const auto same = periods(repeated.size(), [&](std::size_t i) { return repeated[i]; });
    const auto both = std::find_if(steps.begin(), steps.end(), [&](std::size_t p) {
        return std::binary_search(same.begin(), same.end(), p);
    });
    return static_cast<std::int32_t>(both == steps.end() ? values.size() : *both);
}

} // namespace texelscope::sim
