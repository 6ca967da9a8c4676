#pragma once

#include "traces/native/group_reads.hpp"
#include "traces/native/group_table.hpp"
#include "traces/native/trace_record.hpp"
#include "traces/native/work_group_grid.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::traces {

/// The work-items of a recorded launch in work-groups of another size: each keeps its global id,
/// and so its reads.
class Regrouping {
public:
    /// `readers` has the work-items that read something, `image_readers` those that read an image;
    /// both must outlive this. Throws bad_input, about the trace `name`, where the size is none for
    /// a group, and where a recorded group or work-item lies beyond the launch's sizes.
    Regrouping(const TracedLaunch& launch, const std::array<std::int64_t, 3>& local,
               const GroupTable& readers, const GroupTable& image_readers, const std::string& name);

    /// As those of a TraceSource.
    [[nodiscard]] std::int64_t group_count() const;
    [[nodiscard]] std::int64_t next_group(std::int64_t from) const;
    [[nodiscard]] std::vector<std::int32_t> warps(std::int64_t group, int warp_size) const;
    /// The readers among the work-items of a warp, by the group that they were recorded in.
    [[nodiscard]] std::vector<GroupPart> parts(std::int64_t group, std::int32_t warp,
                                               int warp_size) const;

private:
    /// A work-item as it was recorded.
    struct Recorded {
        std::int64_t group = 0;
        std::int64_t item = 0;
    };
    [[nodiscard]] std::int64_t items_of(std::int64_t group) const;
    /// Of the work-item with that number in a new group.
    [[nodiscard]] Recorded recorded(std::int64_t group, std::int64_t item) const;
    void check(const TracedLaunch& launch, const std::string& name) const;
    void find_groups(const std::string& name);

    WorkGroupGrid before_;
    WorkGroupGrid after_;
    const GroupTable* readers_;
    const GroupTable* image_readers_;
    /// The new groups that a recorded group has work-items in: ascending, apart.
    std::vector<ItemRange> groups_;
};

} // namespace texelscope::traces
