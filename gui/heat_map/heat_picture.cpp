#include "gui/heat_map/heat_picture.hpp"

#include "gui/study/compare_strip.hpp"
#include "gui/widgets/controls.hpp"

#include <algorithm>

namespace texelscope::gui {

HeatPicture heat_picture(const HeatSubject& subject)
{
    const LaunchResult& launch = *subject.launch;
    std::vector<Image> images;
    for (const StudyImage& each : launch.images) {
        images.push_back(each.image);
    }
    StoredImage stored = std::move(store_images(images, launch.options)[subject.image]);
    const std::optional<TexelCells> cells = heat_cells(subject.resolution, stored, launch.options.l1.line);
    HeatLayer layer = heat_layer(launch, subject.image, subject.choice, cells, subject.late.get());
    QString note;
    if (subject.resolution != HeatResolution::Kind::texel && !cells) {
        note = tr("The layout has no blocks: each texel is one.");
    }
    if (subject.less && !counted(subject.choice)) {
        note = tr("A − B is of counts: this is A. Choose reads, misses or evictions.");
    } else if (subject.less && !same_images(launch, *subject.less)) {
        note = tr("A and B have images of other sizes: this is A.");
    } else if (subject.less) {
        // The cells are A's: where the layouts differ, B's counts are added up over the same texels.
        layer = difference_layer(layer, heat_layer(*subject.less, subject.image, subject.choice, cells, nullptr));
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
            note};
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
