#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace texelscope {

/// Exact LRU stack distances one by one, for lines of any numbers: a Fenwick tree over the times of last use (Bennett and
/// Kruskal 1975, Olken 1981), O(log n) for each access, n the number of distinct lines; the tree is renumbered when full.
/// Where line numbers are dense and only their histogram is asked for, StackDistanceCounter is many times faster.
class ReuseDistanceCounter {
public:
    /// The distance of this access; nothing where it is the first of its line.
    std::optional<std::int64_t> access(std::int64_t line);

private:
    void add(std::size_t time, std::int32_t amount);
    [[nodiscard]] std::int64_t sum_up_to(std::size_t time) const;
    void renumber();

    std::unordered_map<std::int64_t, std::size_t> last_use_; ///< of each line, from 1 on
    std::vector<std::int32_t> tree_ = std::vector<std::int32_t>(1025, 0);
    std::size_t now_ = 0;
};

} // namespace texelscope
