#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace texelscope {

/// Finds out which granules of a warp access were met before in the same access. An open-addressing table that is
/// emptied by raising a stamp.
class DistinctGranules {
public:
    /// `most`: no access has more of them.
    explicit DistinctGranules(std::size_t most) : seen_(std::bit_ceil(2 * most + 2)) {}

    /// Starts an access.
    void clear() { ++stamp_; }

    /// True the first time that it is asked for a granule since clear().
    bool insert(std::int64_t granule)
    {
        const std::size_t mask = seen_.size() - 1;
        std::size_t place = (static_cast<std::uint64_t>(granule) * 0x9e3779b97f4a7c15ULL >> 20) & mask;
        while (seen_[place].stamp == stamp_) {
            if (seen_[place].granule == granule) {
                return false;
            }
            place = (place + 1) & mask;
        }
        seen_[place] = {granule, stamp_};
        return true;
    }

private:
    struct Seen {
        std::int64_t granule = -1;
        std::uint64_t stamp = 0;
    };
    std::vector<Seen> seen_;
    std::uint64_t stamp_ = 0;
};

} // namespace texelscope
