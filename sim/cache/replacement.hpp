#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace texelscope::sim {

enum class ReplacementKind { lru, fifo, plru, random };

[[nodiscard]] std::string to_string(ReplacementKind kind);
/// Throws bad_input for an unknown name.
[[nodiscard]] ReplacementKind parse_replacement(const std::string& text);

// A replacement policy tells which way of a full set gives way. The cache calls, for a set of `ways` slots:
//   filled(set, way)  after a line was put into a way (empty before, or the victim),
//   hit(set, way)     on every hit,
//   victim(set)       only on a full set; must name a way in [0, ways); filled(set, that way) follows.
//   turn(sets, by)                    what it knows of set s becomes what it knows of set (s + by) mod sets,
//   is_turned(earlier, sets, by)      whether it will decide as `earlier`, turned by `by`, would.
// A policy knows nothing of tags; empty ways are filled in ascending order by the cache.

/// Least recently used.
class LruPolicy {
public:
    LruPolicy(std::int64_t sets, int ways);
    void filled(std::int64_t set, int way) { touch(set, way); }
    void hit(std::int64_t set, int way) { touch(set, way); }
    [[nodiscard]] int victim(std::int64_t set);
    void turn(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_turned(const LruPolicy& earlier, std::int64_t sets, std::int64_t by) const;

private:
    void touch(std::int64_t set, int way) { last_use_[static_cast<std::size_t>(set * ways_ + way)] = ++now_; }

    int ways_;
    std::uint64_t now_ = 0;
    std::vector<std::uint64_t> last_use_;
};

/// First in, first out.
class FifoPolicy {
public:
    FifoPolicy(std::int64_t sets, int ways) : ways_(ways), next_(static_cast<std::size_t>(sets), 0) {}
    void filled(std::int64_t, int) {}
    void hit(std::int64_t, int) {}
    /// Ways are filled in ascending order, so the oldest line of a full set goes round them.
    [[nodiscard]] int victim(std::int64_t set);
    void turn(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_turned(const FifoPolicy& earlier, std::int64_t sets, std::int64_t by) const;

private:
    int ways_;
    std::vector<int> next_;
};

/// Tree pseudo-LRU: a binary tree of bits, each pointing at the half to evict from. Ways must be a power of two.
class TreePlruPolicy {
public:
    TreePlruPolicy(std::int64_t sets, int ways);
    void filled(std::int64_t set, int way) { touch(set, way); }
    void hit(std::int64_t set, int way) { touch(set, way); }
    [[nodiscard]] int victim(std::int64_t set);
    void turn(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_turned(const TreePlruPolicy& earlier, std::int64_t sets, std::int64_t by) const;

private:
    void touch(std::int64_t set, int way);

    int ways_;
    std::vector<std::uint8_t> right_; ///< ways - 1 nodes a set in heap order; 1: the victim is on the right
};

/// Uniformly random way; the same seed gives the same victims.
class RandomPolicy {
public:
    RandomPolicy(std::int64_t sets, int ways, std::uint64_t seed);
    void filled(std::int64_t, int) {}
    void hit(std::int64_t, int) {}
    [[nodiscard]] int victim(std::int64_t set);
    void turn(std::int64_t, std::int64_t) {}
    /// The victims to come are those of the generator's state, whatever the set.
    [[nodiscard]] bool is_turned(const RandomPolicy& earlier, std::int64_t, std::int64_t) const
    {
        return state_ == earlier.state_;
    }

private:
    int ways_;
    std::uint64_t state_;
};

using ReplacementPolicy = std::variant<LruPolicy, FifoPolicy, TreePlruPolicy, RandomPolicy>;

[[nodiscard]] ReplacementPolicy make_replacement(ReplacementKind kind, std::int64_t sets, int ways, std::uint64_t seed);

} // namespace texelscope::sim
