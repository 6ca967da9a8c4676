#include "gui/heat_map/heat_picture.hpp"

#include "gui/study/compare_strip.hpp"
#include "gui/widgets/controls.hpp"

#include <algorithm>

namespace texelscope::gui {

// Everything that the view needs of one choice, made in one go, so that it can be made in the
// background: values as a pyramid, the scale of colours, the storage, and a note where what was
// asked for is not possible.
HeatPicture heat_picture(const HeatSubject& subject)
{
    const LaunchResult& launch = *subject.launch;
    std::vector<Image> images;
    for (const StudyImage& each : launch.images) {
        images.push_back(each.image);
    }
    StoredImage stored = std::move(store_images(images, launch.options)[subject.image]);
    const std::optional<TexelCells> cells =
        heat_cells(subject.resolution, stored, launch.options.machine.l1().geometry.line);
    HeatLayer layer = heat_layer(launch, subject.image, subject.choice, cells, subject.late.get());
    std::optional<TensorStack> tensor;
    if (const std::optional<Operand>& operand = launch.images[subject.image].operand;
        subject.tensor && operand) {
        tensor.emplace(*operand);
        layer.values = tensor->values(layer.values);
    }
    QString note;
    if (subject.resolution != HeatResolution::Kind::texel && !cells) {
        note = tr("The layout has no blocks: each texel is one.");
    }
    if (subject.less && !counted(subject.choice)) {
        note = tr("A − B is of counts: this is A. Choose reads, misses or evictions.");
    } else if (subject.less && !same_images(launch, *subject.less)) {
        note = tr("A and B have images of other sizes: this is A.");
    } else if (subject.less) {
        // The cells are A's: where the layouts differ, B's counts are added up over the same
        // texels.
        HeatLayer other = heat_layer(*subject.less, subject.image, subject.choice, cells, nullptr);
        const std::optional<Operand>& operand = subject.less->images[subject.image].operand;
        if (!tensor) {
            layer = difference_layer(layer, other);
        } else if (operand && operand->tensor.shape == tensor->operand().tensor.shape) {
            // Where B packs the tensor otherwise, elements are compared with elements.
            other.values = TensorStack(*operand).values(other.values);
            layer = difference_layer(layer, other);
        } else {
            note = tr("A and B have other tensors: this is A.");
        }
    }
    ValueScale scale(ValueAxis::linear, layer.values);
    if (layer.kind == HeatLayer::Kind::difference && scale.max() == 0) {
        note = tr("A and B have the same %1 everywhere.").arg(to_text(subject.choice));
    }
    return {subject.launch,
            subject.image,
            layer.kind,
            layer.name,
            cells ? subject.resolution : HeatResolution::Kind::texel,
            MaxPyramid(std::move(layer.values)),
            std::move(scale),
            std::move(stored),
            std::move(tensor),
            note};
}

std::vector<Texel> HeatPicture::cells_of(Texel texel) const
{
    return tensor ? tensor->cells_of(texel) : std::vector{texel};
}

Fold HeatPicture::fold_for(QSizeF view, bool narrow) const
{
    if (tensor && tensor->extent().height > tensor->rows()) {
        return tiled_fold(tensor->extent(), tensor->rows(), view);
    }
    const Extent2D block =
        tensor ? Extent2D{1, 1} : innermost_block(stored.layout).value_or(Extent2D{1, 1});
    return narrow ? best_fold(pyramid.extent(), view, block) : Fold(pyramid.extent());
}

QString HeatPicture::band_text(const Fold& fold, std::int32_t band) const
{
    const TexelRange cells_of_band = fold.texels(band);
    const bool down = fold.axis() == Fold::Axis::y;
    const std::int32_t first = down ? cells_of_band.y0 : cells_of_band.x0;
    if (!tensor) {
        return QStringLiteral("%1 %2").arg(down ? u"y" : u"x", count_text(first));
    }
    return pyramid.extent().height > tensor->rows() ? tensor->tile_text(band)
                                                    : tensor->place_text(down, first);
}

QString HeatPicture::text(std::int64_t value) const
{
    const QString amount = HeatLayer::text(kind, quantity, value);
    switch (cells) {
    case HeatResolution::Kind::texel:
        break;
    case HeatResolution::Kind::block:
        return tr("block: %1").arg(amount);
    case HeatResolution::Kind::line:
        return tr("L1 line: %1").arg(amount);
    }
    return amount;
}

} // namespace texelscope::gui
