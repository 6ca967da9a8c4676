// Replacement policies of SetAssociative and the table of them. LRU here serves sets that are too
// wide for LruSets.

#include "sim/cache/replacement.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace texelscope::sim {
namespace {

/// Moves the group of `width` values that belongs to set s to set (s + by) mod sets.
template <class T>
void rotate_groups(std::vector<T>& values, std::int64_t sets, std::int64_t by)
{
    const auto width = static_cast<std::int64_t>(values.size()) / sets;
    std::rotate(values.begin(), values.end() - (by % sets) * width, values.end());
}

// Whether the present values are the earlier ones, rotated by `by` sets.
template <class T>
bool groups_are_rotated(const std::vector<T>& now, std::vector<T> earlier, std::int64_t sets,
                        std::int64_t by)
{
    rotate_groups(earlier, sets, by);
    return now == earlier;
}

// A row of the table; only policies that draw at random take a seed.
template <class Policy>
constexpr ReplacementRow row(ReplacementKind kind, std::string_view name,
                             bool power_of_two_ways = false)
{
    const auto make = [](std::int64_t sets, int ways,
                         [[maybe_unused]] std::uint64_t seed) -> ReplacementPolicy {
        if constexpr (std::is_constructible_v<Policy, std::int64_t, int, std::uint64_t>) {
            return Policy(sets, ways, seed);
        } else {
            return Policy(sets, ways);
        }
    };
    return {kind, name, make, TranslatablePolicy<Policy>, power_of_two_ways};
}

} // namespace

LruPolicy::LruPolicy(std::int64_t sets, int ways)
    : ways_(ways), last_use_(static_cast<std::size_t>(sets * ways), 0)
{}

int LruPolicy::victim(std::int64_t set)
{
    const auto first = last_use_.begin() + set * ways_;
    return static_cast<int>(std::min_element(first, first + ways_) - first);
}

int FifoPolicy::victim(std::int64_t set)
{
    int& next = next_[static_cast<std::size_t>(set)];
    return std::exchange(next, next + 1 == ways_ ? 0 : next + 1);
}

void FifoPolicy::rotate(std::int64_t sets, std::int64_t by)
{
    rotate_groups(next_, sets, by);
}

bool FifoPolicy::is_rotated(const FifoPolicy& earlier, std::int64_t sets, std::int64_t by) const
{
    return groups_are_rotated(next_, earlier.next_, sets, by);
}

void LruPolicy::rotate(std::int64_t sets, std::int64_t by)
{
    rotate_groups(last_use_, sets, by);
}

bool LruPolicy::is_rotated(const LruPolicy& earlier, std::int64_t sets, std::int64_t by) const
{
    // Times differ, but only their order within a set decides the victim.
    const auto order = [this](const LruPolicy& policy, std::int64_t set) {
        std::vector<int> ways(static_cast<std::size_t>(ways_));
        std::iota(ways.begin(), ways.end(), 0);
        const auto times = policy.last_use_.begin() + set * ways_;
        std::stable_sort(ways.begin(), ways.end(),
                         [&](int a, int b) { return times[a] < times[b]; });
        return ways;
    };
    for (std::int64_t set = 0; set < sets; ++set) {
        if (order(earlier, set) != order(*this, (set + by) % sets)) {
            return false;
        }
    }
    return true;
}

TreePlruPolicy::TreePlruPolicy(std::int64_t sets, int ways)
    : ways_(ways), right_(static_cast<std::size_t>(sets * (ways - 1)), 0)
{}

// Nodes of a complete binary tree, children of node n at 2n + 1 and 2n + 2, the ways as its leaves.
// A node is 1 where the victim is in its right half.
int TreePlruPolicy::victim(std::int64_t set)
{
    const auto nodes = right_.begin() + set * (ways_ - 1);
    int node = 0;
    while (node < ways_ - 1) {
        node = 2 * node + 1 + nodes[node];
    }
    return node - (ways_ - 1);
}

void TreePlruPolicy::touch(std::int64_t set, int way)
{
    const auto nodes = right_.begin() + set * (ways_ - 1);
    int node = way + ways_ - 1;
    while (node > 0) {
        const int parent = (node - 1) / 2;
        nodes[parent] = node == 2 * parent + 1 ? 1 : 0; // point away from the half that was touched
        node = parent;
    }
}

void TreePlruPolicy::rotate(std::int64_t sets, std::int64_t by)
{
    rotate_groups(right_, sets, by);
}

bool TreePlruPolicy::is_rotated(const TreePlruPolicy& earlier, std::int64_t sets,
                                std::int64_t by) const
{
    return groups_are_rotated(right_, earlier.right_, sets, by);
}

int RandomPolicy::victim(std::int64_t)
{
    // splitmix64 (Steele, Lea, Flood 2014), then the high bits scaled to the ways.
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<int>(((z >> 32) * static_cast<std::uint64_t>(ways_)) >> 32);
}

std::span<const ReplacementRow> replacement_policies()
{
    static constexpr std::array rows{
        row<LruPolicy>(ReplacementKind::lru, "lru"),
        row<FifoPolicy>(ReplacementKind::fifo, "fifo"),
        row<TreePlruPolicy>(ReplacementKind::plru, "plru", true),
        row<RandomPolicy>(ReplacementKind::random, "random"),
    };
    return rows;
}

const ReplacementRow& replacement_row(ReplacementKind kind)
{
    return replacement_policies()[static_cast<std::size_t>(kind)];
}

std::string replacement_names()
{
    std::string names;
    for (const ReplacementRow& policy : replacement_policies()) {
        names += (names.empty() ? "" : ", ") + std::string(policy.name);
    }
    return names;
}

std::string to_string(ReplacementKind kind)
{
    return std::string(replacement_row(kind).name);
}

ReplacementKind parse_replacement(const std::string& text)
{
    for (const ReplacementRow& policy : replacement_policies()) {
        if (text == policy.name) {
            return policy.kind;
        }
    }
    throw bad_input("'" + text + "' is not a replacement policy", {},
                    "policies are " + replacement_names());
}

} // namespace texelscope::sim
