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

// A replacement policy chooses which way of a full set is replaced. The cache calls:
//
//   filled(set, way)   after a line was put into a way, which was empty or the victim
//   hit(set, way)      on every hit
//   victim(set)        on a miss in a full set: returns a way in [0, ways); filled() follows
//
// A policy knows nothing of tags. The cache fills empty ways in ascending order. Where a policy
// also has the two functions below, a simulation can jump over repetition (TranslatablePolicy):
//
//   rotate(sets, by)                what the policy knows of set s, it then knows of set
//                                   (s + by) mod sets
//   is_rotated(earlier, sets, by)   whether the policy will decide as `earlier` would after
//                                   rotate(sets, by)
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
    /// Ways are filled in ascending order, so the oldest line of a full set moves on from way to
    /// way, and after the last way comes the first again.
    [[nodiscard]] int victim(std::int64_t set);
    void rotate(std::int64_t sets, std::int64_t by);
    [[nodiscard]] bool is_rotated(const FifoPolicy& earlier, std::int64_t sets,
                                  std::int64_t by) const;

private:
    int ways_;
    std::vector<int> next_;
};

/// Tree pseudo-LRU: a binary tree of bits for each set, each of which points at the half from which
/// the victim is taken. The number of ways must be a power of two.
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
    /// For each set, ways - 1 nodes in heap order; 1 where the victim is in the right half.
    std::vector<std::uint8_t> right_;
};

/// Evicts a uniformly random way. The same seed gives the same victims.
class RandomPolicy {
public:
    RandomPolicy(std::int64_t, int ways, std::uint64_t seed) : ways_(ways), state_(seed) {}
    void filled(std::int64_t, int) {}
    void hit(std::int64_t, int) {}
    [[nodiscard]] int victim(std::int64_t set);
    void rotate(std::int64_t, std::int64_t) {}
    /// The state of the generator alone decides the victims to come, whatever the set.
    [[nodiscard]] bool is_rotated(const RandomPolicy& earlier, std::int64_t, std::int64_t) const
    {
        return state_ == earlier.state_;
    }

private:
    int ways_;
    std::uint64_t state_;
};

using ReplacementPolicy = std::variant<LruPolicy, FifoPolicy, TreePlruPolicy, RandomPolicy>;

/// A row of the table of policies.
struct ReplacementRow {
    ReplacementKind kind;
    std::string_view name;
    ReplacementPolicy (*make)(std::int64_t sets, int ways, std::uint64_t seed);
    bool translatable = false;      ///< it is a TranslatablePolicy
    bool power_of_two_ways = false; ///< the number of ways must be a power of two
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
