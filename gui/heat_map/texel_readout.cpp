// What the view tells of the texel under the mouse: a line for the status bar, and a box beside the
// mouse.

#include "gui/heat_map/texel_readout.hpp"

#include "gui/heat_map/heat_layer.hpp"
#include "gui/heat_map/tensor_text.hpp"
#include "gui/widgets/controls.hpp"
#include "sim/cache/lru_sets.hpp"

#include <QStringList>

namespace texelscope::gui {
namespace {

QString place_text(const TexelReadout& readout)
{
    return QStringLiteral("%1 (%2, %3)")
        .arg(QString::fromStdString(readout.image))
        .arg(readout.texel.x)
        .arg(readout.texel.y);
}

QString storage_text(const TexelReadout& readout)
{
    QString text = QStringLiteral("byte %1, line %2")
                       .arg(count_text(readout.offset), count_text(readout.line));
    if (readout.set) {
        text += QStringLiteral(", set %1").arg(count_text(*readout.set));
    }
    return text;
}

QString block_text(const TexelReadout& readout)
{
    return readout.block ? QStringLiteral("%1 block (%2, %3)")
                               .arg(size_text(readout.block->extent))
                               .arg(readout.block->at.x)
                               .arg(readout.block->at.y)
                         : QString();
}

QString counts_text(const TexelReadout& readout, const QString& kinds_of_misses,
                    const QString& between)
{
    return QStringLiteral("reads %1%4misses %2%5%4evictions %3")
        .arg(count_text(readout.reads), count_text(readout.misses), count_text(readout.evictions),
             between, kinds_of_misses);
}

QString last_text(const TexelReadout& readout)
{
    return readout.last
               ? QStringLiteral("last read by warp %1 of group %2, access %3")
                     .arg(count_text(readout.last->warp.warp), count_text(readout.last->warp.group),
                          count_text(readout.last->access_index))
               : QString();
}

QString joined(QStringList parts, const QString& between)
{
    parts.removeAll(QString());
    return parts.join(between);
}

} // namespace

TexelReadout read_out(const LaunchResult& launch, std::size_t image, const StoredImage& stored,
                      const LastTouches* last, Texel texel)
{
    const StudyImage& shown = launch.images[image];
    const CacheGeometry& l1 = launch.options.machine.l1().geometry;
    const auto count = [&](HeatQuantity quantity) { return shown.map(quantity).at(texel); };
    TexelReadout readout;
    readout.image = shown.image.name;
    readout.texel = texel;
    if (shown.operand) {
        readout.elements = elements_text(*shown.operand, texel);
    }
    readout.offset = stored.layout.offset(texel);
    readout.line = readout.offset / l1.line.value;
    if (l1.sets() > 1) {
        const SetOfLine set_of(l1.sets(), l1.index == SetIndex::xor_folded);
        readout.set = set_of(stored.address(texel) / l1.line.value);
    }
    if (const std::optional<Extent2D> block = innermost_block(stored.layout)) {
        readout.block = {{texel.x / block->width, texel.y / block->height}, *block};
    }
    readout.reads = count(HeatQuantity::reads);
    readout.misses = count(HeatQuantity::misses);
    readout.compulsory = count(HeatQuantity::compulsory);
    readout.capacity = count(HeatQuantity::capacity);
    readout.conflict = count(HeatQuantity::conflict);
    readout.evictions = count(HeatQuantity::evictions);
    if (last != nullptr && last->warps[image].at(texel) > 0) {
        readout.last = {WarpNumber::of(last->warps[image].at(texel)),
                        // Access numbers are counted from 1 where people read them.
                        last->accesses[image].at(texel) + 1};
    }
    return readout;
}

QString one_line(const TexelReadout& readout)
{
    const QString kinds = QStringLiteral(" (compulsory %1, capacity %2, conflict %3)")
                              .arg(count_text(readout.compulsory), count_text(readout.capacity),
                                   count_text(readout.conflict));
    const QString gap = QStringLiteral("   ");
    return joined({place_text(readout), readout.elements, storage_text(readout),
                   counts_text(readout, kinds, gap)},
                  gap);
}

QString several_lines(const TexelReadout& readout)
{
    const QString gap = QStringLiteral("\n");
    return joined({place_text(readout), readout.elements, storage_text(readout),
                   block_text(readout), counts_text(readout, {}, gap), last_text(readout)},
                  gap);
}

} // namespace texelscope::gui
