#pragma once

#include "base/layers.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace texelscope::model {

/// In which banks of a cache (or channels of memory) the lines lie that work-items side by side
/// touch when each makes the same read of one image.
struct BankSpread {
    /// By axis: the bank of each line that the work-items along it touch, counted from that of the
    /// first work-item. `lines[n - 1]` of them belong to the first n work-items. Empty: the axis
    /// makes no difference.
    struct Axis {
        std::vector<int> banks;
        std::vector<std::int32_t> lines;
    };
    std::array<Axis, 3> along;
    std::vector<int> together; ///< the same of work-items at one place of the grid; may be empty
    int banks = 1;

    /// Lines of the busiest bank for a box of so many work-items, over those of a bank on average:
    /// 1 where they are spread evenly, `banks` where they all lie in one. Lines of a box are taken
    /// to lie at the sums of the distances along its axes.
    [[nodiscard]] double crowding(const std::array<std::int64_t, 3>& items) const;
};

} // namespace texelscope::model
