#include "model/tmmodel/lru_misses.hpp"

#include "sim/cache/set_associative.hpp"
#include "sim/reuse/stack_distance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <variant>

namespace texelscope::model {
namespace {

/// The accesses, those of each set together (in their order).
std::vector<WalkLines::Access> by_set(const WalkLines& walk, const SetOfLine& set_of)
{
    std::vector<std::uint32_t> set_of_index;
    set_of_index.reserve(walk.lines.size());
    for (const std::int64_t line : walk.lines) {
        set_of_index.push_back(static_cast<std::uint32_t>(set_of(line)));
    }
    std::vector<std::uint32_t> next(static_cast<std::size_t>(set_of.sets()) + 1, 0);
    for (const WalkLines::Access access : walk.accesses) {
        ++next[set_of_index[access.line] + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<WalkLines::Access> sorted(walk.accesses.size());
    for (const WalkLines::Access access : walk.accesses) {
        sorted[next[set_of_index[access.line]]++] = access;
    }
    return sorted;
}

/// Counts lookups by how many of the ways they miss with.
class MissCounter {
public:
    /// `most_lines`: every distance that is no first use is below it.
    MissCounter(std::span<const std::int64_t> ways, std::int64_t most_lines)
        : too_few_(static_cast<std::size_t>(std::min(most_lines, ways.back())) + 1),
          counts_(ways.size() + 1)
    {
        std::uint32_t few = 0;
        for (std::size_t distance = 0; distance < too_few_.size(); ++distance) {
            while (few < ways.size() && ways[few] <= static_cast<std::int64_t>(distance)) {
                ++few;
            }
            too_few_[distance] = few;
        }
    }

    void add(std::int64_t distance)
    {
        ++counts_[distance == never ? counts_.size() - 1
                                    : too_few_[std::min(static_cast<std::size_t>(distance),
                                                        too_few_.size() - 1)]];
    }

    /// By number of ways; the next lookups are counted from 0 on.
    std::vector<std::int64_t> take()
    {
        std::vector<std::int64_t> misses(counts_.size() - 1);
        std::int64_t sum = 0;
        for (std::size_t i = misses.size(); i-- > 0;) {
            sum += counts_[i + 1];
            misses[i] = sum;
        }
        std::fill(counts_.begin(), counts_.end(), 0);
        return misses;
    }

    /// Distance of a first use.
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

private:
    std::vector<std::uint32_t> too_few_; ///< by distance: how many of the ways are not more than it
    std::vector<std::int64_t> counts_;
};

/// Distances by moving each line to the front of a list of its set; for sets that hold few lines of
/// the walk.
class ShortLists {
public:
    ShortLists(const WalkLines& walk, const SetOfLine& set_of) : list_of_line_(walk.lines.size())
    {
        std::vector<std::uint32_t> lines_in_set(static_cast<std::size_t>(set_of.sets()) + 1, 0);
        for (const std::int64_t line : walk.lines) {
            ++lines_in_set[static_cast<std::size_t>(set_of(line)) + 1];
        }
        std::partial_sum(lines_in_set.begin(), lines_in_set.end(), lines_in_set.begin());
        for (std::size_t i = 0; i < walk.lines.size(); ++i) {
            list_of_line_[i] = lines_in_set[static_cast<std::size_t>(set_of(walk.lines[i]))];
        }
        order_.assign(walk.lines.size() + 1, none);
    }

    std::int64_t access(std::uint32_t line)
    {
        std::uint32_t* const list = order_.data() + list_of_line_[line];
        std::uint32_t moved = line;
        for (std::uint32_t distance = 0;; ++distance) {
            std::swap(moved, list[distance]);
            if (moved == line) {
                return distance;
            }
            if (moved == none) { // the end: every line has room in its list
                return MissCounter::never;
            }
        }
    }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<std::uint32_t> list_of_line_; ///< where the list of a line's set begins
    std::vector<std::uint32_t> order_;        ///< lines by set, the last used first
};

/// Counts the accesses, given something that knows the distance of each.
template <class Distance>
void count_accesses(MissCounter& counter, const std::vector<WalkLines::Access>& accesses,
                    std::size_t lines, std::size_t sectors, const Distance& distance_of)
{
    if (sectors == 1) {
        for (const WalkLines::Access access : accesses) {
            counter.add(distance_of(access.line));
        }
        return;
    }
    // By sector: the farthest that its line has been since its last use.
    std::vector<std::int64_t> farthest(lines * sectors, MissCounter::never);
    for (const WalkLines::Access access : accesses) {
        const std::int64_t distance = distance_of(access.line);
        std::int64_t* const of_line = farthest.data() + access.line * sectors;
        for (std::size_t sector = 0; sector < sectors; ++sector) {
            of_line[sector] = std::max(of_line[sector], distance);
        }
        counter.add(of_line[access.sector]);
        of_line[access.sector] = 0;
    }
}

/// Whether lists are faster: where a line shares its set with few others of the walk. Strides can
/// put all of them into one.
bool lists_are_short(const WalkLines& walk, const SetOfLine& set_of)
{
    constexpr std::int64_t few = 16;
    std::vector<std::int32_t> of_set(static_cast<std::size_t>(set_of.sets()), 0);
    std::int64_t together = 0; // sum of the squares of the lines by set
    for (const std::int64_t line : walk.lines) {
        together += 2 * of_set[static_cast<std::size_t>(set_of(line))]++ + 1;
    }
    return together <= few * static_cast<std::int64_t>(walk.lines.size());
}

void count_walk(MissCounter& counter, const WalkLines& walk, std::size_t sectors,
                const SetOfLine& set_of)
{
    const std::size_t lines = walk.lines.size();
    if (lists_are_short(walk, set_of)) {
        ShortLists lists(walk, set_of);
        count_accesses(counter, walk.accesses, lines, sectors,
                       [&](std::uint32_t line) { return lists.access(line); });
        return;
    }
    StackDistanceCounter distances(static_cast<std::int64_t>(lines));
    const auto distance_of = [&](std::uint32_t line) {
        return distances.access(line).value_or(MissCounter::never);
    };
    if (set_of.sets() == 1) {
        count_accesses(counter, walk.accesses, lines, sectors, distance_of);
    } else {
        count_accesses(counter, by_set(walk, set_of), lines, sectors, distance_of);
    }
}

} // namespace

std::vector<std::vector<std::int64_t>> lru_misses(std::span<const WalkLines> walks, int sectors,
                                                  std::int64_t sets, SetIndex index,
                                                  std::span<const std::int64_t> ways)
{
    std::size_t most_lines = 0;
    for (const WalkLines& walk : walks) {
        most_lines = std::max(most_lines, walk.lines.size());
    }
    MissCounter counter(ways, static_cast<std::int64_t>(most_lines));
    const SetOfLine set_of(sets, index == SetIndex::xor_folded);
    std::vector<std::vector<std::int64_t>> misses;
    for (const WalkLines& walk : walks) {
        count_walk(counter, walk, static_cast<std::size_t>(sectors), set_of);
        misses.push_back(counter.take());
    }
    return misses;
}

std::int64_t cache_misses(const WalkLines& walk, const CacheGeometry& geometry)
{
    const std::int64_t line_count =
        walk.lines.empty() ? 1 : *std::max_element(walk.lines.begin(), walk.lines.end()) + 1;
    TagStore tags = make_tag_store(geometry, line_count);
    return std::visit(
        [&](auto& store) {
            std::int64_t misses = 0;
            for (const WalkLines::Access access : walk.accesses) {
                const auto outcome =
                    store.access(walk.lines[access.line], std::uint64_t{1} << access.sector);
                misses += outcome.sector_present ? 0 : 1;
            }
            return misses;
        },
        tags);
}

} // namespace texelscope::model
