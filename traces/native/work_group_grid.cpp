#include "traces/native/work_group_grid.hpp"

#include <algorithm>

namespace texelscope::traces {

WorkGroupGrid::WorkGroupGrid(const Sizes& global, const Sizes& local) : global_(global)
{
    for (std::size_t d = 0; d < 3; ++d) {
        local_[d] = std::min(local[d], global[d]);
        groups_[d] = global[d] / local_[d] + (global[d] % local_[d] > 0 ? 1 : 0);
    }
}

WorkGroupGrid::Sizes WorkGroupGrid::coordinates(std::int64_t group) const
{
    return place(group, groups_);
}

std::int64_t WorkGroupGrid::number(const Sizes& coordinates) const
{
    return number(coordinates, groups_);
}

WorkGroupGrid::Sizes WorkGroupGrid::first(const Sizes& coordinates) const
{
    return {coordinates[0] * local_[0], coordinates[1] * local_[1], coordinates[2] * local_[2]};
}

WorkGroupGrid::Sizes WorkGroupGrid::size(const Sizes& coordinates) const
{
    const Sizes begin = first(coordinates);
    Sizes size;
    for (std::size_t d = 0; d < 3; ++d) {
        size[d] = std::min(local_[d], global_[d] - begin[d]);
    }
    return size;
}

WorkGroupGrid::Sizes WorkGroupGrid::group_of(const Sizes& item) const
{
    return {item[0] / local_[0], item[1] / local_[1], item[2] / local_[2]};
}

WorkGroupGrid::Sizes WorkGroupGrid::place(std::int64_t number, const Sizes& size)
{
    return {number % size[0], number / size[0] % size[1], number / size[0] / size[1]};
}

std::int64_t WorkGroupGrid::number(const Sizes& place, const Sizes& size)
{
    return (place[2] * size[1] + place[1]) * size[0] + place[0];
}

} // namespace texelscope::traces
