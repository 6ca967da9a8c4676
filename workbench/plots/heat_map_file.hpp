#pragma once

#include "sim/observers/texel_cells.hpp"
#include "workbench/plots/heat_map_picture.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::plots {

/// What a heat map shows: a count, or a mean: one count over another.
struct HeatValue {
    HeatQuantity sum = HeatQuantity::misses;
    std::optional<HeatQuantity> count;
};

/// A heat map of one image at some resolution, ready to be written. Sums are added up over a cell
/// before the mean is taken, so that a mean weighs every event alike.
class HeatTable {
public:
    HeatTable(const HeatMaps& maps, int image, const HeatValue& value, TexelCells cells,
              HeatResolution::Kind kind);

    [[nodiscard]] const TexelCells& cells() const { return cells_; }
    /// Each texel has the colour of its cell.
    [[nodiscard]] Picture picture(const std::string& title, ColourScale scale,
                                  int largest = 1024) const;
    /// A header, then a row for each cell with a count: "x,y" of texels, "x,y,width,height" of
    /// blocks, "line,x,y,texels" of lines (x and y of the texel that comes first in memory); then
    /// "count", or "mean,count".
    [[nodiscard]] std::string csv() const;
    /// TexelCells::as_array(): int64, or float64 of means.
    [[nodiscard]] std::string npy() const;

private:
    TexelCells cells_;
    HeatResolution::Kind kind_;
    HeatValue value_;
    std::vector<std::int64_t> sums_;   ///< by cell
    std::vector<std::int64_t> counts_; ///< of means
};

/// "x,y,count" header, then a row for each texel with a count, row by row.
[[nodiscard]] std::string to_csv(const HeatMap& map);
/// NumPy array format 1.0, int64, shape (height, width), C order.
[[nodiscard]] std::string to_npy(const HeatMap& map);
/// Likewise, float64.
[[nodiscard]] std::string to_npy(const HeatMeans& map);

} // namespace texelscope::workbench::plots
