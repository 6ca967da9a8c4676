#pragma once

#include "sim/cache/fill_outcome.hpp"
#include "sim/cache/line_table.hpp"
#include "sim/reuse/reuse_distance.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::sim {

/// Exact LRU stack distances of a sequence of lines, to any depth.
///
/// Every line has one mark on a time axis, at its last use; a distance is the number of
/// marks behind it (Bennett and Kruskal 1975; Olken 1981). Here the axis is a string of bits,
/// which is counted a word at a time:
///
/// - from the mark to the present, where that is a few words away;
/// - from the last far mark that was looked for, where that is a few words away: loops come
///   back to lines in the order in which they used them;
/// - else from the sums over blocks, kept in a Fenwick tree. It holds the blocks that are complete;
///   a mark that comes and goes within the last blocks never gets there.
///
/// When the axis is full the marks move together. For line numbers below n the state takes 4
/// n bytes (last uses), n bytes (the axis: 8 n times) and n / 16 (the tree), whatever the length of
/// the sequence; pages that no lookup touches are never handed out. A histogram comes on top, 8
/// bytes a distance.
class StackDistanceCounter {
public:
    explicit StackDistanceCounter(std::int64_t line_count);

    /// The next lookups; lines.first + delta lies in [0, line_count).
    void access_all(const LineList& lines);
    /// The next lookup. Returns its distance, or nullopt where it is the first of its line.
    std::optional<std::int64_t> access(std::int64_t line);
    [[nodiscard]] ReuseDistanceHistogram histogram() const;

private:
    /// The distance of a lookup of the line; `never` where it is the first.
    std::uint32_t look_up(std::int64_t line);
    static constexpr std::uint32_t never = ~std::uint32_t{0};
    /// As look_up(), for a line that is not the previous one.
    std::uint32_t look_up_other(std::uint32_t line);
    /// Moves a line's mark from `time` to the present. Returns how many lines were used
    /// since.
    std::uint32_t distance_from(std::uint32_t time);
    /// Number of marks in words [begin, end) of the axis.
    [[nodiscard]] std::uint32_t marks_in(std::size_t begin, std::size_t end) const;
    /// Number of marks in the complete blocks below `block`.
    [[nodiscard]] std::uint32_t marks_below_block(std::size_t block) const;
    void add_to_block(std::size_t block, std::uint32_t amount);
    /// Takes blocks into the tree that the present has left behind.
    void complete_blocks();
    /// Moves all marks together at the start of the axis.
    void compact();

    LineTable<std::uint32_t> last_use_; ///< by line: time of its mark + 1; 0: never used
    std::int64_t line_count_;
    std::uint32_t times_;
    ZeroedArray<std::uint64_t> marks_;
    ZeroedArray<std::uint32_t> tree_; ///< Fenwick tree over complete blocks, from 1 on
    std::uint32_t now_ = 0;
    std::uint32_t used_ = 0;          ///< lines that have a mark
    std::uint32_t complete_ = 0;      ///< blocks in the tree
    std::uint32_t thinned_block_ = 0; ///< of the last mark that left a complete block
    /// Minus the marks that have left that block and are still in the tree.
    std::uint32_t gone_ = 0;
    std::uint32_t far_word_ = 0;       ///< of the last far mark
    std::uint32_t behind_far_ = 0;     ///< marks from that word on
    std::int64_t previous_ = -1;       ///< line
    std::int64_t repeats_ = 0;         ///< lookups of the line looked up just before
    std::vector<std::int64_t> counts_; ///< as long as there are lines with a mark, or longer
};

} // namespace texelscope::sim
