#include "gui/texel_readout.hpp"

#include "gui/number_text.hpp"

namespace texelscope {
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
    return QStringLiteral("byte %1, line %2").arg(count_text(readout.offset), count_text(readout.line));
}

} // namespace

TexelReadout read_out(const StudyImage& image, const TexelLayout& layout, Bytes line, Texel texel)
{
    const auto count = [&](HeatQuantity quantity) { return image.map(quantity).at(texel); };
    const std::int64_t offset = layout.offset(texel);
    return {image.image.name,
            texel,
            offset,
            offset / line.value,
            count(HeatQuantity::reads),
            count(HeatQuantity::misses),
            count(HeatQuantity::compulsory),
            count(HeatQuantity::capacity),
            count(HeatQuantity::conflict),
            count(HeatQuantity::evictions)};
}

QString one_line(const TexelReadout& readout)
{
    return QStringLiteral("%1   %2   reads %3   misses %4 (compulsory %5, capacity %6, conflict %7)   evictions %8")
        .arg(place_text(readout), storage_text(readout), count_text(readout.reads), count_text(readout.misses),
             count_text(readout.compulsory), count_text(readout.capacity), count_text(readout.conflict),
             count_text(readout.evictions));
}

QString several_lines(const TexelReadout& readout)
{
    return QStringLiteral("%1\n%2\nreads %3\nmisses %4\nevictions %5")
        .arg(place_text(readout), storage_text(readout), count_text(readout.reads), count_text(readout.misses),
             count_text(readout.evictions));
}

} // namespace texelscope
