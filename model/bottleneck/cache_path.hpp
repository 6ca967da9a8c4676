#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/options/machine.hpp"

#include <array>
#include <cstddef>

namespace texelscope::model {

/// A value for each level of a cache path, in the path's order; the first path.size() are used.
using ByLevel = std::array<double, most_levels>;

/// The levels of cache that a read can meet on its way to memory: L1, whatever its capacity, then
/// those behind it that are there. Valid as long as the machine is.
class CachePath {
public:
    explicit CachePath(const Machine& machine) : levels_{&machine.l1()}
    {
        for (const CacheLevel& level : machine.caches) {
            if (&level != levels_.front() && level.is_there()) {
                levels_[count_++] = &level;
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] const CacheLevel* operator[](std::size_t level) const { return levels_[level]; }
    [[nodiscard]] const CacheLevel* front() const { return levels_.front(); }
    [[nodiscard]] auto begin() const { return levels_.begin(); }
    [[nodiscard]] auto end() const { return levels_.begin() + static_cast<std::ptrdiff_t>(count_); }

private:
    std::array<const CacheLevel*, most_levels> levels_;
    std::size_t count_ = 1;
};

} // namespace texelscope::model
