#include "traces/native/group_table.hpp"

#include "traces/native/byte_columns.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace texelscope::traces {
namespace {

constexpr std::size_t most_groups = std::size_t{1} << 20; // in one chunk

} // namespace

void GroupTable::add(std::int64_t group, std::span<const std::int32_t> reading_items)
{
    groups_.push_back(group);
    // Items with successive numbers are one range. In regular kernels all items of a group read, so
    // a group mostly takes a single range.
    for (const std::int64_t item : reading_items) {
        if (ranges_.size() > begin_.back() && ranges_.back().last + 1 == item) {
            ranges_.back().last = item;
        } else {
            ranges_.push_back({item, item});
        }
    }
    begin_.push_back(ranges_.size());
}

void GroupTable::add_ranges(std::int64_t group, std::span<const ItemRange> ranges)
{
    groups_.push_back(group);
    ranges_.insert(ranges_.end(), ranges.begin(), ranges.end());
    begin_.push_back(ranges_.size());
}

void GroupTable::append(const GroupTable& other)
{
    // Of two chunks of the table, the second has to continue the first.
    require(groups_.empty() || other.groups_.empty() || other.groups_.front() > groups_.back(),
            "the groups do not ascend");
    groups_.insert(groups_.end(), other.groups_.begin(), other.groups_.end());
    for (std::size_t i = 0; i < other.size(); ++i) {
        begin_.push_back(ranges_.size() + other.begin_[i + 1]);
    }
    ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
}

std::size_t GroupTable::find(std::int64_t group) const
{
    return static_cast<std::size_t>(std::lower_bound(groups_.begin(), groups_.end(), group) -
                                    groups_.begin());
}

bool GroupTable::has(std::int64_t group, std::int64_t item) const
{
    const std::size_t i = find(group);
    if (i == size() || groups_[i] != group) {
        return false;
    }
    const std::span<const ItemRange> items = ranges(i);
    const auto range = std::ranges::lower_bound(items, item, {}, &ItemRange::last);
    return range != items.end() && range->first <= item;
}

GroupTable united(const GroupTable& a, const GroupTable& b)
{
    GroupTable both;
    std::vector<ItemRange> items;
    std::size_t in_a = 0;
    std::size_t in_b = 0;
    while (in_a < a.size() || in_b < b.size()) {
        const bool only_a = in_b == b.size() || (in_a < a.size() && a.group(in_a) < b.group(in_b));
        const bool only_b = in_a == a.size() || (in_b < b.size() && b.group(in_b) < a.group(in_a));
        const std::int64_t group = only_b ? b.group(in_b) : a.group(in_a);
        items.clear();
        if (!only_b) {
            const auto ranges = a.ranges(in_a++);
            items.insert(items.end(), ranges.begin(), ranges.end());
        }
        if (!only_a) {
            const auto ranges = b.ranges(in_b++);
            items.insert(items.end(), ranges.begin(), ranges.end());
        }
        join(items);
        both.add_ranges(group, items);
    }
    return both;
}

void join(std::vector<ItemRange>& ranges)
{
    std::ranges::sort(ranges, {}, &ItemRange::first);
    std::size_t count = 0;
    for (const ItemRange& range : ranges) {
        if (count > 0 && range.first <= ranges[count - 1].last + 1) {
            ranges[count - 1].last = std::max(ranges[count - 1].last, range.last);
        } else {
            ranges[count++] = range;
        }
    }
    ranges.resize(count);
}

std::string encode(const GroupTable& table)
{
    std::vector<std::int64_t> groups;
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < table.size(); ++i) {
        groups.push_back(table.group(i));
        counts.push_back(static_cast<std::int64_t>(table.ranges(i).size()));
        for (const ItemRange& range : table.ranges(i)) {
            first.push_back(range.first);
            last.push_back(range.last);
        }
    }
    // Groups mostly have as many ranges as the first one: then the number of ranges is the distance
    // at which a group's ranges resemble those of the group before.
    const std::array<std::size_t, 2> distances{
        1, counts.empty() ? 1 : static_cast<std::size_t>(counts.front())};
    ByteWriter out;
    out.u32(static_cast<std::uint32_t>(groups.size()));
    out.u32(static_cast<std::uint32_t>(first.size()));
    out.column(groups, distances);
    out.column(counts, distances);
    out.column(first, distances);
    out.column(last, distances);
    return out.take();
}

GroupTable decode_groups(std::string_view bytes)
{
    ByteReader in(bytes);
    const std::size_t count = in.u32();
    const std::size_t range_count = in.u32();
    // Counts are believed only up to these bounds, so that a damaged file cannot take all memory.
    require(count <= most_groups && range_count <= bytes.size() + most_groups,
            "its counts are too large");
    const auto groups = in.column(count);
    const auto counts = in.column(count);
    const auto first = in.column(range_count);
    const auto last = in.column(range_count);
    require(in.left() == 0, "it goes on behind its end");
    GroupTable table;
    std::size_t next = 0;
    for (std::size_t i = 0; i < count; ++i) {
        require(groups[i] >= 0 && groups[i] < std::numeric_limits<std::int64_t>::max() &&
                    (i == 0 || groups[i] > groups[i - 1]),
                "the groups do not ascend");
        require(counts[i] >= 0 && counts[i] <= static_cast<std::int64_t>(range_count - next),
                "it has too few items");
        next += static_cast<std::size_t>(counts[i]);
    }
    require(next == range_count, "it has too many items");
    next = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<ItemRange> ranges;
        for (std::int64_t r = 0; r < counts[i]; ++r, ++next) {
            require(first[next] >= 0 && last[next] >= first[next] &&
                        last[next] <= std::numeric_limits<std::int32_t>::max() &&
                        (ranges.empty() || first[next] > ranges.back().last),
                    "the items of a group do not ascend");
            ranges.push_back({first[next], last[next]});
        }
        table.add_ranges(groups[i], ranges);
    }
    return table;
}

} // namespace texelscope::traces
