#pragma once

#include "sim/line_table.hpp"

#include <cstdint>

namespace texelscope {

/// Finds out which granules of a warp access were met before in the same access: a table over all granules of the
/// number of the access that met each last. 4 bytes a granule.
class DistinctGranules {
public:
    /// For granule numbers below `granule_count`.
    explicit DistinctGranules(std::int64_t granule_count) : met_(granule_count) {}

    /// Starts an access.
    void clear()
    {
        if (++access_ == 0) { // the numbers start again
            met_.clear();
            access_ = 1;
        }
    }

    /// True the first time that it is asked for a granule since clear().
    bool insert(std::int64_t granule)
    {
        std::uint32_t& met = met_[granule];
        const bool is_new = met != access_;
        met = access_;
        return is_new;
    }

private:
    LineTable<std::uint32_t> met_;
    std::uint32_t access_ = 0; ///< number of the one under way
};

} // namespace texelscope
