#pragma once

#include <array>
#include <cstdint>

namespace texelscope::traces {

/// How the work-items of a launch lie in its work-groups. Groups are numbered x fastest, then y,
/// then z, and so are the work-items of a group. Groups at the edge of a global size that the local
/// size does not divide are smaller, and their work-items are numbered by their own size.
class WorkGroupGrid {
public:
    using Sizes = std::array<std::int64_t, 3>;

    /// Sizes are positive, and the product of the global ones fits into 64 bits.
    WorkGroupGrid(const Sizes& global, const Sizes& local);

    [[nodiscard]] std::int64_t group_count() const { return volume(groups_); }
    /// Work-items of the largest group.
    [[nodiscard]] std::int64_t most_items() const { return volume(local_); }

    /// Where a group is among the groups; 0 <= group < group_count().
    [[nodiscard]] Sizes coordinates(std::int64_t group) const;
    [[nodiscard]] std::int64_t number(const Sizes& coordinates) const;
    /// The first work-item of a group, and how many it has.
    [[nodiscard]] Sizes first(const Sizes& coordinates) const;
    [[nodiscard]] Sizes size(const Sizes& coordinates) const;
    /// The group that a work-item is in.
    [[nodiscard]] Sizes group_of(const Sizes& item) const;

    /// The place at a number, x fastest, in a box of that size; and back.
    [[nodiscard]] static Sizes place(std::int64_t number, const Sizes& size);
    [[nodiscard]] static std::int64_t number(const Sizes& place, const Sizes& size);
    [[nodiscard]] static std::int64_t volume(const Sizes& size)
    {
        return size[0] * size[1] * size[2];
    }

private:
    Sizes global_;
    Sizes local_; ///< not more than the global size
    Sizes groups_;
};

} // namespace texelscope::traces
