#include "traces/native/regrouping.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace texelscope::traces {
namespace {

using Sizes = WorkGroupGrid::Sizes;

/// No device has groups of more than a few thousand work-items.
constexpr std::int64_t most_items = std::int64_t{1} << 20;
/// Rows of new groups that recorded ones have work-items in: what a trace may ask for.
constexpr std::int64_t most_rows_of_groups = std::int64_t{1} << 26;

/// Whether a group of that size, cut where the launch ends, has few enough work-items.
bool is_size_of_group(const Sizes& local, const Sizes& global)
{
    std::int64_t items = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        if (local[d] < 1 || std::min(local[d], global[d]) > most_items / items) {
            return false;
        }
        items *= std::min(local[d], global[d]);
    }
    return true;
}

WorkGroupGrid checked_grid(const Sizes& global, const Sizes& local, const std::string& where,
                           const std::string& remedy)
{
    if (!is_size_of_group(local, global)) {
        throw bad_input(fmt::format("a work-group cannot have {} work-items", size_text(local)),
                        where, remedy);
    }
    return {global, local};
}

} // namespace

Regrouping::Regrouping(const TracedLaunch& launch, const std::array<std::int64_t, 3>& local,
                       const GroupTable& readers, const GroupTable& image_readers,
                       const std::string& name)
    : before_(checked_grid(launch.global, launch.local, name,
                           "replay the trace in the groups that were recorded")),
      after_(
          checked_grid(launch.global, local, name,
                       fmt::format("give a local size of 1 to {} work-items in all", most_items))),
      readers_(&readers), image_readers_(&image_readers)
{
    check(launch, name);
    find_groups(name);
}

void Regrouping::check(const TracedLaunch& launch, const std::string& name) const
{
    const std::string remedy = "replay the trace in the groups that were recorded";
    for (std::size_t i = 0; i < readers_->size(); ++i) {
        const std::int64_t group = readers_->group(i);
        if (group >= before_.group_count()) {
            throw bad_input(fmt::format("work-group {} is beyond the {} groups of {} work-items "
                                        "that a global size of {} has",
                                        group, before_.group_count(), size_text(launch.local),
                                        size_text(launch.global)),
                            name, remedy);
        }
        const std::int64_t items = WorkGroupGrid::volume(before_.size(before_.coordinates(group)));
        if (!readers_->ranges(i).empty() && readers_->ranges(i).back().last >= items) {
            throw bad_input(fmt::format("work-item {} of work-group {} is beyond the group's {} "
                                        "work-items",
                                        readers_->ranges(i).back().last, group, items),
                            name, remedy);
        }
    }
}

void Regrouping::find_groups(const std::string& name)
{
    std::size_t joined = std::size_t{1} << 16;
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < readers_->size(); ++i) {
        if (readers_->ranges(i).empty()) {
            continue;
        }
        const Sizes at = before_.coordinates(readers_->group(i));
        const Sizes begin = before_.first(at);
        const Sizes size = before_.size(at);
        const Sizes first = after_.group_of(begin);
        const Sizes last = after_.group_of(
            {begin[0] + size[0] - 1, begin[1] + size[1] - 1, begin[2] + size[2] - 1});
        for (std::int64_t z = first[2]; z <= last[2]; ++z) {
            for (std::int64_t y = first[1]; y <= last[1]; ++y) {
                const ItemRange row{after_.number({first[0], y, z}),
                                    after_.number({last[0], y, z})};
                if (++rows > most_rows_of_groups) {
                    throw bad_input("the trace has too many work-groups to be put into others",
                                    name, "record fewer of them with trace capture --groups");
                }
                // Neighbours mostly lie in the same new groups, or in those that follow.
                if (!groups_.empty() && row.first >= groups_.back().first &&
                    row.first <= groups_.back().last + 1) {
                    groups_.back().last = std::max(groups_.back().last, row.last);
                } else {
                    groups_.push_back(row);
                }
            }
        }
        if (groups_.size() > 2 * joined) {
            join(groups_);
            joined = std::max(joined, groups_.size());
        }
    }
    join(groups_);
}

std::int64_t Regrouping::group_count() const
{
    return groups_.empty() ? 0 : groups_.back().last + 1;
}

std::int64_t Regrouping::next_group(std::int64_t from) const
{
    const auto range = std::ranges::lower_bound(groups_, from, {}, &ItemRange::last);
    return range == groups_.end() ? group_count() : std::max(from, range->first);
}

std::int64_t Regrouping::items_of(std::int64_t group) const
{
    return WorkGroupGrid::volume(after_.size(after_.coordinates(group)));
}

Regrouping::Recorded Regrouping::recorded(std::int64_t group, std::int64_t item) const
{
    const Sizes at = after_.coordinates(group);
    Sizes id = WorkGroupGrid::place(item, after_.size(at));
    const Sizes begin = after_.first(at);
    for (std::size_t d = 0; d < 3; ++d) {
        id[d] += begin[d];
    }
    const Sizes before = before_.group_of(id);
    const Sizes first = before_.first(before);
    return {before_.number(before),
            WorkGroupGrid::number({id[0] - first[0], id[1] - first[1], id[2] - first[2]},
                                  before_.size(before))};
}

std::vector<std::int32_t> Regrouping::warps(std::int64_t group, int warp_size) const
{
    std::vector<std::int32_t> present;
    const std::int64_t items = group < group_count() ? items_of(group) : 0;
    for (std::int64_t first = 0; first < items; first += warp_size) {
        for (std::int64_t item = first; item < std::min(items, first + warp_size); ++item) {
            const Recorded as = recorded(group, item);
            if (readers_->has(as.group, as.item)) {
                present.push_back(static_cast<std::int32_t>(first / warp_size));
                break;
            }
        }
    }
    return present;
}

std::vector<GroupPart> Regrouping::parts(std::int64_t group, std::int32_t warp, int warp_size) const
{
    std::map<std::int64_t, std::vector<ItemLane>> by_group;
    const std::int64_t first = std::int64_t{warp} * warp_size;
    const std::int64_t items = group < group_count() ? items_of(group) : 0;
    for (std::int64_t item = first; item < std::min(items, first + warp_size); ++item) {
        const Recorded as = recorded(group, item);
        if (readers_->has(as.group, as.item)) {
            by_group[as.group].push_back({static_cast<std::int32_t>(as.item),
                                          static_cast<std::uint16_t>(item - first),
                                          image_readers_->has(as.group, as.item)});
        }
    }
    std::vector<GroupPart> parts;
    for (auto& [of, lanes] : by_group) {
        std::ranges::sort(lanes, {}, &ItemLane::item);
        parts.push_back({of, std::move(lanes)});
    }
    return parts;
}

} // namespace texelscope::traces
