#include "traces/formats/trace_rows.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace texelscope::traces {
namespace {

/// Rows of one warp, sorted by step and item, as accesses of the warp: one for each step.
class RowStream final : public WarpStream {
public:
    RowStream(std::vector<TraceRow> rows, std::int64_t first_item)
        : rows_(std::move(rows)), first_item_(first_item)
    {}

    bool next(WarpAccess& access) override
    {
        if (position_ == rows_.size()) {
            return false;
        }
        access.step = rows_[position_].step;
        access.lanes.clear();
        for (; position_ < rows_.size() && rows_[position_].step == access.step; ++position_) {
            const TraceRow& row = rows_[position_];
            access.lanes.push_back(
                {row.texel, row.image, static_cast<std::uint16_t>(row.item - first_item_)});
        }
        return true;
    }

private:
    std::vector<TraceRow> rows_;
    std::int64_t first_item_;
    std::size_t position_ = 0;
};

// A source that keeps all its rows in memory, for small traces and for tests.
class RowSource final : public TraceSource {
public:
    RowSource(std::string name, std::vector<Image> images, std::vector<TraceRow> rows)
        : name_(std::move(name)), images_(std::move(images)), rows_(std::move(rows))
    {
        const auto key = [](const TraceRow& row) {
            return std::tuple(row.group, row.item, row.step);
        };
        std::sort(rows_.begin(), rows_.end(),
                  [&](const TraceRow& a, const TraceRow& b) { return key(a) < key(b); });
        const auto twin = std::adjacent_find(
            rows_.begin(), rows_.end(),
            [&](const TraceRow& a, const TraceRow& b) { return key(a) == key(b); });
        if (twin != rows_.end()) {
            throw bad_input(fmt::format("two reads for group {}, item {}, step {}", twin->group,
                                        twin->item, twin->step),
                            name_, "a work-item has one image read at each step: number the steps");
        }
    }

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] std::span<const Image> images() const override { return images_; }
    [[nodiscard]] std::int64_t group_count() const override
    {
        return rows_.empty() ? 0 : rows_.back().group + 1;
    }

    [[nodiscard]] std::int64_t next_group(std::int64_t from) const override
    {
        const auto row = lower_bound(from, 0);
        return row == rows_.end() ? group_count() : row->group;
    }

    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const override
    // From the first item of a group, jumps to the first item behind its warp, and so on.
    {
        std::vector<std::int32_t> present;
        auto row = lower_bound(group, 0);
        while (row != rows_.end() && row->group == group) {
            present.push_back(row->item / warp_size);
            row = lower_bound(group, (std::int64_t{present.back()} + 1) * warp_size);
        }
        return present;
    }

    [[nodiscard]] std::unique_ptr<WarpStream> open(std::int64_t group, std::int32_t warp,
                                                   int warp_size) const override
    {
        const std::int64_t first_item = std::int64_t{warp} * warp_size;
        std::vector<TraceRow> rows(lower_bound(group, first_item),
                                   lower_bound(group, first_item + warp_size));
        // The rows are sorted by item already: a stable sort by step leaves the lanes ascending.
        std::stable_sort(rows.begin(), rows.end(),
                         [](const TraceRow& a, const TraceRow& b) { return a.step < b.step; });
        return std::make_unique<RowStream>(std::move(rows), first_item);
    }

private:
    [[nodiscard]] std::vector<TraceRow>::const_iterator lower_bound(std::int64_t group,
                                                                    std::int64_t item) const
    {
        return std::lower_bound(
            rows_.begin(), rows_.end(), std::pair(group, item),
            [](const TraceRow& row, const std::pair<std::int64_t, std::int64_t>& key) {
                return std::pair(row.group, std::int64_t{row.item}) < key;
            });
    }

    std::string name_;
    std::vector<Image> images_;
    std::vector<TraceRow> rows_; ///< by group, item, step
};

} // namespace

std::unique_ptr<TraceSource> make_trace_source(std::string name, std::vector<Image> images,
                                               std::vector<TraceRow> rows)
{
    return std::make_unique<RowSource>(std::move(name), std::move(images), std::move(rows));
}

} // namespace texelscope::traces
