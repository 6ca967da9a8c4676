#pragma once

#include "sim/observers/texel_cells.hpp"
#include "workbench/plots/heat_map_picture.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// What a heat map shows: a count (`count` is empty), or a mean, which is `sum` over `count`.
struct HeatValue {
    HeatQuantity sum = HeatQuantity::misses;
    std::optional<HeatQuantity> count;
};

/// A heat map of one image at some resolution, ready to be written. Sums and counts are added up
/// over a cell before the mean is taken, so every event has the same weight in a mean.
class HeatTable {
public:
    HeatTable(const HeatMaps& maps, int image, const HeatValue& value, TexelCells cells,
              HeatResolution::Kind kind);

    [[nodiscard]] const TexelCells& cells() const { return cells_; }
    /// A picture in which each texel has the colour of its cell.
    [[nodiscard]] Picture picture(const std::string& title, ColourScale scale,
                                  int largest = 1024) const;
    /// CSV with a header, then a row for each cell whose count is not 0. Its place is "x,y" for
    /// texels, "x,y,width,height" for blocks, and "line,x,y,texels" for cache lines (x and y of the
    /// texel that comes first in memory); then follows "count", or "mean,count".
    [[nodiscard]] std::string csv() const;
    /// A NumPy file of TexelCells::as_array(): int64, or float64 for means.
    [[nodiscard]] std::string npy() const;

private:
    TexelCells cells_;
    HeatResolution::Kind kind_;
    HeatValue value_;
    std::vector<std::int64_t> sums_;   ///< by cell
    std::vector<std::int64_t> counts_; ///< of means
};

/// CSV with the header "x,y,count", then a row for each texel whose count is not 0, in the order of
/// rows.
[[nodiscard]] std::string to_csv(const HeatMap& map);
/// NumPy array format 1.0, int64, shape (height, width), C order.
[[nodiscard]] std::string to_npy(const HeatMap& map);
/// The same of means, as float64.
[[nodiscard]] std::string to_npy(const HeatMeans& map);

} // namespace texelscope::workbench::plots
