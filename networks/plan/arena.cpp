#include "networks/plan/arena.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace texelscope::networks {
namespace {

using Order = std::vector<std::size_t>;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/// Places the blocks in that order, each into the smallest gap that it fits between blocks that are
/// needed at the same time, or else behind all of them.
ArenaPlacement placed_in(const Order& order, const std::vector<ArenaBlock>& blocks,
                         std::int64_t alignment)
{
    ArenaPlacement placement{std::vector<std::int64_t>(blocks.size(), 0), 0};
    Order by_offset; // blocks that are placed already, by offset
    for (const std::size_t block : order) {
        const std::int64_t bytes = blocks[block].bytes;
        std::int64_t free_from = 0;
        std::int64_t best = -1;
        std::int64_t least_gap = std::numeric_limits<std::int64_t>::max();
        for (const std::size_t other : by_offset) {
            if (!blocks[other].is_beside(blocks[block])) {
                continue;
            }
            const std::int64_t gap = placement.offsets[other] - free_from;
            if (gap >= bytes && gap < least_gap) {
                best = free_from;
                least_gap = gap;
            }
            free_from = std::max(
                free_from, rounded_up(placement.offsets[other] + blocks[other].bytes, alignment));
        }
        placement.offsets[block] = best < 0 ? free_from : best;
        placement.bytes = std::max(placement.bytes, placement.offsets[block] + bytes);
        const auto behind =
            std::ranges::upper_bound(by_offset, placement.offsets[block], {},
                                     [&](std::size_t b) { return placement.offsets[b]; });
        by_offset.insert(behind, block);
    }
    return placement;
}

/// For some rounds, moves the block that ends highest to the front of the order, so that it is
/// placed first; returns the best placement seen.
ArenaPlacement improved(Order order, const std::vector<ArenaBlock>& blocks, std::int64_t alignment)
{
    constexpr int rounds = 40;
    ArenaPlacement best = placed_in(order, blocks, alignment);
    ArenaPlacement last = best;
    for (int round = 0; round < rounds; ++round) {
        const auto sticks_out = std::ranges::find_if(order, [&](std::size_t block) {
            return last.offsets[block] + blocks[block].bytes == last.bytes;
        });
        if (sticks_out == order.begin() || sticks_out == order.end()) {
            break;
        }
        std::rotate(order.begin(), sticks_out, sticks_out + 1);
        last = placed_in(order, blocks, alignment);
        if (last.bytes < best.bytes) {
            best = last;
        }
    }
    return best;
}

} // namespace

ArenaPlacement place_in_arena(const std::vector<ArenaBlock>& blocks, std::int64_t alignment)
{
    const auto steps = [&](std::size_t b) {
        return static_cast<std::int64_t>(blocks[b].last - blocks[b].first) + 1;
    };
    // The orders to try: by size, by size times steps, by first step.
    const std::function<std::int64_t(std::size_t)> keys[]{
        [&](std::size_t b) { return -blocks[b].bytes; },
        [&](std::size_t b) { return -blocks[b].bytes * steps(b); },
        [&](std::size_t b) { return static_cast<std::int64_t>(blocks[b].first); }};
    ArenaPlacement best{{}, std::numeric_limits<std::int64_t>::max()};
    for (const auto& key : keys) {
        Order order(blocks.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, key);
        ArenaPlacement found = improved(std::move(order), blocks, alignment);
        if (found.bytes < best.bytes) {
            best = std::move(found);
        }
    }
    return best;
}

} // namespace texelscope::networks
