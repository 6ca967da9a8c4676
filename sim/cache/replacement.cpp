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
void turn_groups(std::vector<T>& values, std::int64_t sets, std::int64_t by)
{
    const auto width = static_cast<std::int64_t>(values.size()) / sets;
    std::rotate(values.begin(), values.end() - (by % sets) * width, values.end());
}

template <class T>
bool groups_are_turned(const std::vector<T>& now, std::vector<T> earlier, std::int64_t sets, std::int64_t by)
{
    turn_groups(earlier, sets, by);
    return now == earlier;
}

constexpr std::array names{std::pair{ReplacementKind::lru, "lru"}, std::pair{ReplacementKind::fifo, "fifo"},
                           std::pair{ReplacementKind::plru, "plru"}, std::pair{ReplacementKind::random, "random"}};

} // namespace

std::string to_string(ReplacementKind kind)
{
    return std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == kind; })->second;
}

ReplacementKind parse_replacement(const std::string& text)
{
    for (const auto& [kind, name] : names) {
        if (text == name) {
            return kind;
        }
    }
    throw bad_input("'" + text + "' is not a replacement policy", {}, "policies are lru, fifo, plru, random");
}

LruPolicy::LruPolicy(std::int64_t sets, int ways) : ways_(ways), last_use_(static_cast<std::size_t>(sets * ways), 0) {}

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

void FifoPolicy::turn(std::int64_t sets, std::int64_t by)
{
    turn_groups(next_, sets, by);
}

bool FifoPolicy::is_turned(const FifoPolicy& earlier, std::int64_t sets, std::int64_t by) const
{
    return groups_are_turned(next_, earlier.next_, sets, by);
}

void LruPolicy::turn(std::int64_t sets, std::int64_t by)
{
    turn_groups(last_use_, sets, by);
}

bool LruPolicy::is_turned(const LruPolicy& earlier, std::int64_t sets, std::int64_t by) const
{
    // Only the order of the times within a set decides.
    const auto order = [this](const LruPolicy& policy, std::int64_t set) {
        std::vector<int> ways(static_cast<std::size_t>(ways_));
        std::iota(ways.begin(), ways.end(), 0);
        const auto times = policy.last_use_.begin() + set * ways_;
        std::stable_sort(ways.begin(), ways.end(), [&](int a, int b) { return times[a] < times[b]; });
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

void TreePlruPolicy::turn(std::int64_t sets, std::int64_t by)
{
    turn_groups(right_, sets, by);
}

bool TreePlruPolicy::is_turned(const TreePlruPolicy& earlier, std::int64_t sets, std::int64_t by) const
{
    return groups_are_turned(right_, earlier.right_, sets, by);
}

RandomPolicy::RandomPolicy(std::int64_t, int ways, std::uint64_t seed) : ways_(ways), state_(seed) {}

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

ReplacementPolicy make_replacement(ReplacementKind kind, std::int64_t sets, int ways, std::uint64_t seed)
{
    switch (kind) {
    case ReplacementKind::lru:
        return LruPolicy(sets, ways);
    case ReplacementKind::fifo:
        return FifoPolicy(sets, ways);
    case ReplacementKind::plru:
        return TreePlruPolicy(sets, ways);
    case ReplacementKind::random:
        return RandomPolicy(sets, ways, seed);
    }
    throw bad_input("unknown replacement policy");
}

} // namespace texelscope::sim
