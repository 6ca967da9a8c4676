#pragma once

#include "sim/memory/image_storage.hpp"
#include "sim/result/heat_map.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::sim {

/// How fine a heat map is.
struct HeatResolution {
    enum class Kind { texel, block, line };
    Kind kind = Kind::texel;
    Extent2D block{1, 1}; ///< texels; of blocks

    bool operator==(const HeatResolution&) const = default;
};
/// "texel", "line" or "block:WIDTHxHEIGHT". Throws bad_input for anything else.
[[nodiscard]] HeatResolution parse_heat_resolution(const std::string& text);
[[nodiscard]] std::string to_string(const HeatResolution& resolution);

/// The texels of an image, each in one cell: texels, blocks, or the cache lines that hold (the
/// first byte of) them.
class TexelCells {
public:
    static TexelCells single(Extent2D image) { return blocks(image, {1, 1}); }
    /// Blocks are cut off at the right and bottom edge.
    static TexelCells blocks(Extent2D image, Extent2D block);
    static TexelCells lines(const StoredImage& image, Bytes line);

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(cells_.size()); }
    [[nodiscard]] std::int32_t cell_of(Texel t) const
    {
        return cell_of_[static_cast<std::size_t>(index(t))];
    }
    /// Size in texels where all cells are rectangles of one size, cut off at the right and bottom
    /// edge: then they are numbered row by row. Nothing where their shapes are others: then they
    /// are numbered as they lie in memory.
    [[nodiscard]] const std::optional<Extent2D>& rectangle() const { return rectangle_; }

    struct Cell {
        /// Of lines: number of the line, counted from the one in which the image starts.
        std::int64_t line = 0;
        Texel first; ///< that one which comes first in memory; of blocks the top left one
        std::int64_t texels = 0;
    };
    [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

    /// The sum over the texels of each cell.
    [[nodiscard]] std::vector<std::int64_t> sums(const HeatMap& map) const;
    /// Values of the cells as an array of that extent: of rectangles, one element a cell; of other
    /// shapes, one a texel, which carries the value of its cell.
    [[nodiscard]] Extent2D array_extent() const;
    template <class T>
    [[nodiscard]] std::vector<T> as_array(const std::vector<T>& by_cell) const
    {
        return rectangle_ ? by_cell : on_texels(by_cell);
    }
    /// One element a texel, which carries the value of its cell.
    template <class T>
    [[nodiscard]] std::vector<T> on_texels(const std::vector<T>& by_cell) const
    {
        std::vector<T> values;
        values.reserve(cell_of_.size());
        for (const std::int32_t cell : cell_of_) {
            values.push_back(by_cell[static_cast<std::size_t>(cell)]);
        }
        return values;
    }
    [[nodiscard]] Extent2D image() const { return image_; }

private:
    [[nodiscard]] std::int64_t index(Texel t) const
    {
        return std::int64_t{t.y} * image_.width + t.x;
    }
    void find_rectangle();
    void number_row_by_row(Extent2D rectangle);

    Extent2D image_;
    std::vector<std::int32_t> cell_of_; ///< row-major
    std::vector<Cell> cells_;
    std::optional<Extent2D> rectangle_;
};

} // namespace texelscope::sim
