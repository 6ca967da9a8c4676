#pragma once

#include "gui/heat_map/colour_table.hpp"
#include "gui/heat_map/fold.hpp"
#include "gui/heat_map/viewport.hpp"
#include "sim/result/heat_map.hpp"

#include <QImage>
#include <cstdint>
#include <vector>

namespace texelscope::gui {

/// Level 0 is the map; a cell of level l + 1 is the maximum of the up to four cells of level l
/// below it, until one cell is left. So a picture of any size can show the maximum under each of
/// its pixels without looking at every texel, and an isolated hot texel is never averaged away.
/// Where values may be negative, the one of the largest magnitude, of equal ones the positive,
/// takes the maximum's place.
class MaxPyramid {
public:
    explicit MaxPyramid(HeatMap map);

    [[nodiscard]] int levels() const { return static_cast<int>(levels_.size()); }
    [[nodiscard]] const HeatMap& level(int number) const
    {
        return levels_[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] Extent2D extent() const { return levels_.front().extent; }
    [[nodiscard]] std::int64_t max() const
    {
        return levels_.back().counts.empty() ? 0 : levels_.back().counts.front();
    }

    /// Whether a value is negative.
    [[nodiscard]] bool has_negative() const { return has_negative_; }

    /// The one of two values that stands for both.
    [[nodiscard]] static std::int64_t larger(std::int64_t a, std::int64_t b)
    {
        const std::int64_t of_a = a < 0 ? -a : a;
        const std::int64_t of_b = b < 0 ? -b : b;
        return of_a > of_b || (of_a == of_b && a > b) ? a : b;
    }

    /// The next level of a map.
    [[nodiscard]] static HeatMap halved(const HeatMap& map);
    /// The coarsest level whose cells are at most `texels` wide.
    [[nodiscard]] int level_for(double texels) const;

private:
    std::vector<HeatMap> levels_;
    bool has_negative_ = false;
};

/// The part of a heat map that a viewport shows, one colour a pixel, `outside` around the map and
/// between its bands. `fold`: of an image of the map's size. Magnified, a pixel has the count of
/// the texel at its middle; reduced, at least the maximum over every texel of one band that it
/// touches, and at most over those of that band within one pixel of it, so that each texel's count
/// is shown at every zoom.
[[nodiscard]] QImage heat_map_raster(const MaxPyramid& pyramid, const Fold& fold,
                                     const Viewport& view, QSize size, const ColourTable& colours,
                                     QRgb outside);

/// Lays a translucent colour over a part of a picture in Format_RGB32; many times as fast as a
/// painter where the parts are many and thin.
void blend(QImage& image, const QRect& part, const QColor& colour);

} // namespace texelscope::gui
