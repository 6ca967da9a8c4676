#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::traces {

/// Work-items with numbers from `first` to `last`, both included.
struct ItemRange {
    std::int64_t first = 0;
    std::int64_t last = 0;

    bool operator==(const ItemRange&) const = default;
};

/// Sorts ranges, and joins those that overlap or touch.
void join(std::vector<ItemRange>& ranges);

/// The groups of a launch that did something, ascending, with the items of each that read images.
class GroupTable {
public:
    /// Adds a group, whose number is greater than those before. Its items ascend; there may be
    /// none.
    void add(std::int64_t group, std::span<const std::int32_t> reading_items);
    void add_ranges(std::int64_t group, std::span<const ItemRange> ranges);
    void append(const GroupTable& other);

    [[nodiscard]] std::size_t size() const { return groups_.size(); }
    [[nodiscard]] std::int64_t group(std::size_t i) const { return groups_[i]; }
    [[nodiscard]] std::span<const ItemRange> ranges(std::size_t i) const
    {
        return std::span(ranges_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
    }
    /// Index of the first group that is not below `group`; size() where there is none.
    [[nodiscard]] std::size_t find(std::int64_t group) const;
    /// Whether the group is there, and the item among its items.
    [[nodiscard]] bool has(std::int64_t group, std::int64_t item) const;

    bool operator==(const GroupTable&) const = default;

private:
    std::vector<std::int64_t> groups_;
    std::vector<std::size_t> begin_{0};
    std::vector<ItemRange> ranges_;
};

/// The groups of both, with the items of both.
[[nodiscard]] GroupTable united(const GroupTable& a, const GroupTable& b);

[[nodiscard]] std::string encode(const GroupTable& table);
/// Throws std::out_of_range, with words, for anything that encode() cannot have written.
[[nodiscard]] GroupTable decode_groups(std::string_view bytes);

} // namespace texelscope::traces
