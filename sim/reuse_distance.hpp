#pragma once

#include "sim/simulate.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace texelscope {

/// How often a line was looked up again after that many distinct other lines: counts[d] for distance d.
struct ReuseDistanceHistogram {
    std::vector<std::int64_t> counts;
    std::int64_t first_touches = 0;

    bool operator==(const ReuseDistanceHistogram&) const = default;

    /// Misses of a fully associative LRU cache of that many lines: first touches and distances >= lines (Mattson 1970).
    [[nodiscard]] std::int64_t misses(std::int64_t lines) const;
};

/// Exact LRU stack distances of a sequence of lines, by a Fenwick tree over the times of last use (Bennett and Kruskal
/// 1975, Olken 1981): O(log n) for each access, n the number of distinct lines; the tree is renumbered when full.
class ReuseDistanceCounter {
public:
    /// The distance of this access; nothing where it is the first of its line.
    std::optional<std::int64_t> access(std::int64_t line);
    [[nodiscard]] const ReuseDistanceHistogram& histogram() const { return histogram_; }

private:
    void add(std::size_t time, std::int32_t amount);
    [[nodiscard]] std::int64_t sum_up_to(std::size_t time) const;
    void renumber();

    std::unordered_map<std::int64_t, std::size_t> last_use_; ///< of each line, from 1 on
    std::vector<std::int32_t> tree_ = std::vector<std::int32_t>(1025, 0);
    std::size_t now_ = 0;
    ReuseDistanceHistogram histogram_;
};

/// Distances of the L1 lookups, each core on its own.
class ReuseDistanceObserver : public SimulationObserver {
public:
    explicit ReuseDistanceObserver(int cores) : counters_(static_cast<std::size_t>(cores)) {}
    void on_lookup(const LookupEvent& event) override
    {
        counters_[static_cast<std::size_t>(event.core)].access(event.line);
    }
    /// Sum over the cores.
    [[nodiscard]] ReuseDistanceHistogram histogram() const;

private:
    std::vector<ReuseDistanceCounter> counters_;
};

} // namespace texelscope
