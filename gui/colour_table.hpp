#pragma once

#include "experiments/heat_map_picture.hpp"

#include <QColor>
#include <cstdint>
#include <vector>

namespace texelscope {

/// Counts as colours: viridis from 0 to `max`, and a colour outside of the map for the count 0.
class ColourTable {
public:
    ColourTable(std::int64_t max, ColourScale scale, QRgb untouched);

    [[nodiscard]] QRgb colour(std::int64_t count) const;
    [[nodiscard]] std::int64_t max() const { return max_; }
    [[nodiscard]] ColourScale scale() const { return scale_; }

private:
    [[nodiscard]] QRgb computed(std::int64_t count) const;

    std::int64_t max_;
    ColourScale scale_;
    QRgb untouched_;
    std::vector<QRgb> by_count_; ///< of the counts from 0 on, where there are few
};

} // namespace texelscope
