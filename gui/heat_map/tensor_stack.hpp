#pragma once

#include "codegen/nest/texel_elements.hpp"
#include "sim/result/heat_map.hpp"

#include <QString>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// A tensor as a plane of its elements: one dimension goes down, one across, and the others,
/// outermost first, number tiles that lie below each other. Down and across are y and x where the
/// tensor has them, else its two largest dimensions; a vector goes across.
class TensorStack {
public:
    explicit TensorStack(Operand operand);

    [[nodiscard]] const Operand& operand() const { return operand_; }
    /// Elements of a row; rows of all tiles.
    [[nodiscard]] Extent2D extent() const;
    /// Rows of a tile.
    [[nodiscard]] std::int32_t rows() const;
    [[nodiscard]] ElementIndex element(Texel cell) const;
    [[nodiscard]] Texel cell(const ElementIndex& element) const;
    /// The cells of a texel of the operand's image.
    [[nodiscard]] std::vector<Texel> cells_of(Texel texel) const;
    /// The texel that holds the element of a cell.
    [[nodiscard]] Texel texel_of(Texel cell) const
    {
        return codegen::texel_of(operand_, element(cell));
    }

    /// Each element with the value of its texel. `texels`: of the operand's image.
    [[nodiscard]] HeatMap values(const HeatMap& texels) const;

    /// "row 5, column 9".
    [[nodiscard]] QString element_text(Texel cell) const;
    /// Which tile it is: "batch 0, channel 3"; empty where there is one.
    [[nodiscard]] QString tile_text(std::int32_t tile) const;
    /// "row 112": a place along the dimension that goes down, or across.
    [[nodiscard]] QString place_text(bool down, std::int32_t at) const;
    /// What goes down and across: "down: y, across: x; a tile for each channel".
    [[nodiscard]] QString axes_text() const;

private:
    Operand operand_;
    std::optional<std::size_t> down_;
    std::size_t across_ = 0;
    std::vector<std::size_t> tiled_; ///< outermost first
};

} // namespace texelscope::gui
