#pragma once

#include "sim/cache/line_table.hpp"

#include <cstddef>
#include <cstdint>

namespace texelscope::sim {

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

    /// Leaves those that insert() would be true for, in order: how many.
    std::size_t keep_new(std::int32_t* granules, std::size_t count)
    {
        std::uint32_t* const met = met_.data(); // copies, which no write to the table can change
        const std::uint32_t access = access_;
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int32_t granule = granules[i];
            std::uint32_t& last = met[LineTable<std::uint32_t>::place(granule)];
            granules[kept] = granule; // overwritten by the next one where it is not new
            kept += last != access ? std::size_t{1} : std::size_t{0};
            last = access;
        }
        return kept;
    }

private:
    LineTable<std::uint32_t> met_;
    std::uint32_t access_ = 0; ///< number of the one under way
};

} // namespace texelscope::sim
