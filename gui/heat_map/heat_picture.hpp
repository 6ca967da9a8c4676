#pragma once

#include "gui/heat_map/colour_table.hpp"
#include "gui/heat_map/fold.hpp"
#include "gui/heat_map/heat_layer.hpp"
#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/heat_map/tensor_stack.hpp"
#include "sim/memory/image_storage.hpp"

#include <QString>
#include <memory>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// What is to be drawn: an image of a launch, or the difference of two launches.
struct HeatSubject {
    std::shared_ptr<const LaunchResult> launch;
    /// Launch whose counts are subtracted; null: none.
    std::shared_ptr<const LaunchResult> less;
    std::size_t image = 0;
    HeatChoice choice = HeatChoice::reads;
    HeatResolution::Kind resolution = HeatResolution::Kind::texel;
    std::shared_ptr<const LateMaps> late; ///< where the choice needs them
    /// Whether to draw in the coordinates of the tensor, where the image holds one.
    bool tensor = false;
};

/// Values of one image, or of the tensor that it holds, prepared for drawing: a value for each
/// cell, which is a texel or an element. For 16 million texels that takes some tenths of a second.
struct HeatPicture {
    std::shared_ptr<const LaunchResult> launch;
    std::size_t image = 0;
    HeatLayer::Kind kind = HeatLayer::Kind::counts;
    QString quantity;
    HeatResolution::Kind cells = HeatResolution::Kind::texel; ///< what a value is of
    MaxPyramid pyramid;                                       ///< its level 0 has the values
    ValueScale scale;                                         ///< linear
    StoredImage stored;
    /// Whose elements the cells are; nothing where they are texels.
    std::optional<TensorStack> tensor;
    QString note; ///< a remark for the user; may be empty

    [[nodiscard]] const StudyImage& study_image() const { return launch->images[image]; }
    [[nodiscard]] const HeatMap& values() const { return pyramid.level(0); }
    /// The texel that a cell is, or that holds its element; and the cells of a texel, none where it
    /// is padding.
    [[nodiscard]] Texel texel_of(Texel cell) const
    {
        return tensor ? tensor->texel_of(cell) : cell;
    }
    [[nodiscard]] std::vector<Texel> cells_of(Texel texel) const;
    /// The fold that shows the cells best in a view of that size. A tensor's tiles lie side by
    /// side, `narrow` pictures are folded.
    [[nodiscard]] Fold fold_for(QSizeF view, bool narrow) const;
    /// Where a band of a fold begins.
    [[nodiscard]] QString band_text(const Fold& fold, std::int32_t band) const;
    /// A value in words: of what, and how much.
    [[nodiscard]] QString text(std::int64_t value) const;
    /// Whether it shows counts of single texels, which the read-out tells anyway.
    [[nodiscard]] bool plain() const
    {
        return kind == HeatLayer::Kind::counts && cells == HeatResolution::Kind::texel;
    }
};
/// Throws as heat_layer() does.
[[nodiscard]] HeatPicture heat_picture(const HeatSubject& subject);

} // namespace texelscope::gui
