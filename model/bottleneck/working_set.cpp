#include "model/bottleneck/working_set.hpp"

#include "traces/index/index_expr.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <limits>

namespace texelscope::model {
namespace {

/// Share of lines that are still in a cache when the lines in use need `needed` times the room of
/// the cache. Under strict LRU in lockstep the share would drop from 1 to 0 at needed = 1; as warps
/// keep in step only roughly, it falls linearly around 1 instead. The bounds were found by
/// comparison with the timed simulator.
double kept_of(double needed)
{
    constexpr double all = 0.9;
    constexpr double none = 1.1;
    return std::clamp((none - needed) / (none - all), 0.0, 1.0);
}

/// The same share for a line that one warp after the other reads in the same round. Reads of other
/// warps come in between, so that it falls earlier.
double shared_of(double needed)
{
    constexpr double all = 0.25;
    constexpr double none = 0.75;
    return std::clamp((none - needed) / (none - all), 0.0, 1.0);
}

/// The value of a table at n work-items or texels, which need not be a whole number (it is rounded
/// up). Beyond the end of the table the value grows in proportion to n.
double at(const std::vector<double>& table, double n)
{
    const auto known = static_cast<double>(table.size());
    if (n > known) {
        return table.back() * n / known;
    }
    const auto whole = static_cast<std::int64_t>(n);
    const bool is_whole = static_cast<double>(whole) == n;
    return table[static_cast<std::size_t>(std::max<std::int64_t>(0, is_whole ? whole - 1 : whole))];
}

} // namespace

CacheSets::CacheSets(const std::optional<CacheGeometry>& geometry)
{
    if (!geometry || geometry->capacity.value == 0) {
        return;
    }
    const CacheGeometry& cache = *geometry;
    const auto most = static_cast<std::int64_t>(SetCover::most);
    const std::int64_t sets = cache.sets();
    fold = ceil_div(sets, most);
    lines = static_cast<double>(cache.lines());
    ways = static_cast<double>(cache.ways_per_set() * fold);
    even = sets == 1 || cache.index == SetIndex::xor_folded || sets % fold != 0;
    bits = even ? 1 : static_cast<int>(sets / fold);
}

double CacheSets::holds(const WorkingSet& set) const
{
    // The fullest set decides: lines for each set that is touched, over its ways.
    const double load =
        even ? 0 : set.lines / std::min(set.lines, static_cast<double>(set.sets.count())) / ways;
    return shared_of(std::max(set.lines / lines, load));
}

SetCover CacheSets::sums(const SetCover& a, const SetCover& b) const
{
    const auto all = static_cast<std::size_t>(bits);
    if (a.count() == all || b.count() == all) {
        return a.count() == all ? a : b;
    }
    return model::sums(a, b, all);
}

double LineSpread::of_box(double across, double down) const
{
    return of_run[0].empty() ? std::numeric_limits<double>::infinity()
                             : at(of_run[0], across + 1) * at(of_run[1], down + 1);
}

WorkingSet working_set(const LineSpread& spread, const std::array<std::int64_t, 3>& items,
                       const CacheSets& cache)
{
    WorkingSet all;
    for (std::size_t a = 0; a < 3; ++a) {
        const LineSpread::Axis& axis = spread.along[a];
        if (axis.lines.empty() || items[a] < 2) {
            continue;
        }
        const auto n = static_cast<double>(items[a]);
        all.lines *= at(axis.lines, n);
        all.across += at(axis.across, n);
        all.down += at(axis.down, n);
        if (!cache.even) {
            SetCover along;
            for (std::size_t i = 0;
                 i < std::min(axis.bits.size(), static_cast<std::size_t>(items[a])); ++i) {
                along.set(static_cast<std::size_t>(axis.bits[i]));
            }
            all.sets = cache.sums(all.sets, along);
        }
    }
    all.lines = std::min(all.lines, spread.of_box(all.across, all.down));
    return all;
}

WorkingSet CacheSets::sums(const WorkingSet& a, const WorkingSet& b) const
{
    return {a.lines * b.lines, a.across + b.across, a.down + b.down, sums(a.sets, b.sets)};
}

double share_kept(std::size_t image, std::span<const LineWindow> windows,
                  std::span<const WorkingSet> sets, std::span<const LineSpread* const> spreads,
                  const CacheSets& cache)
{
    using OfImages = boost::container::small_vector<double, 4>;
    OfImages lines(windows.size());
    double all = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const LineWindow& window = windows[i];
        if (window.lines != 0) {
            // Reads of different work-items may overlap, so that the box of texels around all of
            // them is a second upper bound.
            const double product = window.lines * sets[i].lines;
            const double box =
                spreads[i]->of_box(sets[i].across + window.across, sets[i].down + window.down);
            lines[i] = std::min(product, box);
            all += lines[i];
        }
    }
    const double full = kept_of(all / cache.lines);
    // The last: all lines would fit even if they fell into one set.
    if (cache.even || full == 0 || kept_of(all / cache.ways) == 1) {
        return full;
    }
    // load: lines of each image in one of the sets that it touches; share: how many of all sets
    // these are. Both are needed because lines that crowd into few sets evict each other although
    // the cache as a whole has room.
    OfImages load(windows.size());
    OfImages share(windows.size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const double touched =
            lines[i] == 0
                ? 0
                : std::min(lines[i],
                           static_cast<double>(cache.sums(sets[i].sets, windows[i].sets).count()));
        load[i] = touched == 0 ? 0 : lines[i] / touched;
        share[i] = touched / cache.bits;
    }
    double kept = 0;
    // Each subset of the images may meet in the set at hand. Where images lie is not known, so that
    // each other image touches this set with a probability equal to its share of sets.
    for (unsigned together = 0; together < 1U << windows.size(); ++together) {
        if ((together >> image & 1U) == 0) {
            continue;
        }
        double chance = 1;
        double there = 0;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const bool meets = (together >> i & 1U) != 0;
            chance *= i == image ? 1 : meets ? share[i] : 1 - share[i];
            there += meets ? load[i] : 0;
        }
        kept += chance * kept_of(there / cache.ways);
    }
    return std::min(full, kept);
}

} // namespace texelscope::model
