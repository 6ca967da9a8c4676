#include "sim/replacement.hpp"

#include "traces/error.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace texelscope {
namespace {

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

} // namespace texelscope
