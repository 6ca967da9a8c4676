#pragma once

#include "sim/options/machine.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>

namespace texelscope::model {

/// The levels of cache that a read can meet on its way to memory: L1, whatever its capacity, then
/// those behind it that are there. Valid as long as the machine is.
using CachePath = boost::container::small_vector<const CacheLevel*, 4>;

[[nodiscard]] inline CachePath cache_path(const Machine& machine)
{
    CachePath path{&machine.l1()};
    for (const CacheLevel& level : machine.caches) {
        if (&level != path.front() && level.is_there()) {
            path.push_back(&level);
        }
    }
    return path;
}

} // namespace texelscope::model
