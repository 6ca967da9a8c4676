#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace texelscope::sim {

enum class ReplacementKind { lru, fifo, plru, random };

// A replacement policy tells which way of a full set gives way. The cache calls, for a set of
// `ways` slots:
//   filled(set, way)               after a line was put into a way (empty before, or the victim),
//   hit(set, way)                  on every hit,
//   victim(set)                    only on a full set; must name a way in [0, ways); filled(set,
//   that way) follows.
// A policy knows nothing of tags; empty ways are filled in ascending order by the cache. Where it
// has these two as well, a simulation jumps over repetition behind it:
//   rotate(sets, by)               what it knows of set s becomes what it knows of set (s + by) mod
//   sets, is_rotated(earlier, sets, by)  whether it will decide as `earlier`, rotated by `by`,
//   would.
template <class Policy>
concept TranslatablePolicy = requires(Policy policy, const Policy& earlier, std::int64_t n)
{
    policy.rotate(n, n);
    policy.is_rotated(earlier, n, n);
};

/// Least recently used.
class LruPolicy {
public:
    LruPolicy(std::int64_t sets, int ways);
    void filled(std::int64_t set, int way) { touch(set, way); }
    void hit(std::int64_t set, int way) { touch(set, way); }
    [[nodiscard]] int victim(std::int64_t set);
    void rotate(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_rotated(const LruPolicy& earlier, std::int64_t sets,
                                  std::int64_t by) const;

private:
    void touch(std::int64_t set, int way)
    {
        last_use_[static_cast<std::size_t>(set * ways_ + way)] = ++now_;
    }

    int ways_;
    std::uint64_t now_ = 0;
    std::vector<std::uint64_t> last_use_;
};

/// First in, first out.
class FifoPolicy {
public:
    FifoPolicy(std::int64_t sets, int ways) : ways_(ways), next_(static_cast<std::size_t>(sets), 0)
    {}
    void filled(std::int64_t, int) {}
    void hit(std::int64_t, int) {}
    /// Ways are filled in ascending order, so the oldest line of a full set goes round them.
    [[nodiscard]] int victim(std::int64_t set);
    void rotate(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_rotated(const FifoPolicy& earlier, std::int64_t sets,
                                  std::int64_t by) const;

private:
    int ways_;
    std::vector<int> next_;
};

/// Tree pseudo-LRU: a binary tree of bits, each pointing at the half to evict from. Ways must be a
/// power of two.
class TreePlruPolicy {
public:
    TreePlruPolicy(std::int64_t sets, int ways);
    void filled(std::int64_t set, int way) { touch(set, way); }
    void hit(std::int64_t set, int way) { touch(set, way); }
    [[nodiscard]] int victim(std::int64_t set);
    void rotate(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_rotated(const TreePlruPolicy& earlier, std::int64_t sets,
                                  std::int64_t by) const;

private:
    void touch(std::int64_t set, int way);

    int ways_;
    /// Ways - 1 nodes a set in heap order; 1: the victim is on the right.
    std::vector<std::uint8_t> right_;
};

/// Uniformly random way; the same seed gives the same victims.
class RandomPolicy {
public:
    RandomPolicy(std::int64_t, int ways, std::uint64_t seed) : ways_(ways), state_(seed) {}
    void filled(std::int64_t, int) {}
    void hit(std::int64_t, int) {}
    [[nodiscard]] int victim(std::int64_t set);
    void rotate(std::int64_t, std::int64_t) {}
    /// The victims to come are those of the generator's state, whatever the set.
    [[nodiscard]] bool is_rotated(const RandomPolicy& earlier, std::int64_t, std::int64_t) const
    {
        return state_ == earlier.state_;
    }

private:
    int ways_;
    std::uint64_t state_;
};

using ReplacementPolicy = std::variant<LruPolicy, FifoPolicy, TreePlruPolicy, RandomPolicy>;

/// What there is to know of a policy before a cache is made.
struct ReplacementRow {
    ReplacementKind kind;
    std::string_view name;
    ReplacementPolicy (*make)(std::int64_t sets, int ways, std::uint64_t seed);
    bool translatable = false;      ///< TranslatablePolicy
    bool power_of_two_ways = false; ///< takes no others
};

/// All policies, in the order of their kinds: a new one is a class above, its place in the variant,
/// and a row here.
[[nodiscard]] std::span<const ReplacementRow> replacement_policies();
[[nodiscard]] const ReplacementRow& replacement_row(ReplacementKind kind);
/// Their names, as in "lru, fifo".
[[nodiscard]] std::string replacement_names();

[[nodiscard]] std::string to_string(ReplacementKind kind);
/// Throws bad_input for an unknown name.
[[nodiscard]] ReplacementKind parse_replacement(const std::string& text);

} // namespace texelscope::sim
