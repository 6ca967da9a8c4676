#include "gui/colour_table.hpp"

namespace texelscope {

ColourTable::ColourTable(std::int64_t max, ColourScale scale, QRgb untouched)
    : max_(max), scale_(scale), untouched_(untouched)
{
    constexpr std::int64_t few = 1 << 12;
    if (max < few) {
        for (std::int64_t count = 0; count <= max; ++count) {
            by_count_.push_back(computed(count));
        }
    }
}

QRgb ColourTable::colour(std::int64_t count) const
{
    const auto index = static_cast<std::size_t>(count);
    return index < by_count_.size() ? by_count_[index] : computed(count);
}

QRgb ColourTable::computed(std::int64_t count) const
{
    if (count == 0) {
        return untouched_;
    }
    const Rgb rgb = viridis(scale_position(count, max_, scale_));
    return qRgb(rgb[0], rgb[1], rgb[2]);
}

} // namespace texelscope
