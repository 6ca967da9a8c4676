#include "gui/widgets/number_text.hpp"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

namespace texelscope::gui {
namespace {

/// At most two decimals, none of them a trailing zero.
QString short_number(double value)
{
    QString text = QString::number(value, 'f', value >= 100 ? 1 : 2);
    while (text.endsWith(u'0')) {
        text.chop(1);
    }
    if (text.endsWith(u'.')) {
        text.chop(1);
    }
    return text;
}

} // namespace

QString count_text(std::int64_t count)
{
    return QLocale(QLocale::English, QLocale::UnitedStates).toString(static_cast<qlonglong>(count));
}

QString share_text(std::int64_t part, std::int64_t whole)
{
    const double share = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    return QString::number(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString time_text(Nanoseconds time)
{
    struct Unit {
        double ns;
        const char16_t* name;
    };
    constexpr std::array units{Unit{1e9, u" s"}, Unit{1e6, u" ms"}, Unit{1e3, u" µs"}};
    for (const Unit& unit : units) {
        if (std::abs(time.value) >= unit.ns) {
            return short_number(time.value / unit.ns) + QString::fromUtf16(unit.name);
        }
    }
    return short_number(time.value) + QStringLiteral(" ns");
}

QString bytes_text(Bytes bytes)
{
    constexpr double kib = 1024;
    const auto value = static_cast<double>(bytes.value);
    if (value >= kib * kib) {
        return short_number(value / (kib * kib)) + QStringLiteral(" MiB");
    }
    return value >= kib ? short_number(value / kib) + QStringLiteral(" KiB")
                        : count_text(bytes.value) + QStringLiteral(" B");
}

QString size_text(Extent2D extent)
{
    return QStringLiteral("%1×%2").arg(extent.width).arg(extent.height);
}

std::vector<std::int64_t> linear_ticks(std::int64_t max, int wanted)
{
    std::vector<std::int64_t> ticks{0};
    if (max <= 0) {
        return ticks;
    }
    std::int64_t power = 1;
    while (max / power / 10 >= wanted) {
        power *= 10;
    }
    std::int64_t step = power;
    for (const std::int64_t factor : {2, 5, 10}) {
        if (max / step > wanted && factor * power <= max) {
            step = factor * power;
        }
    }
    for (std::int64_t tick = step; tick <= max; tick += step) {
        ticks.push_back(tick);
    }
    return ticks;
}

std::vector<std::int64_t> logarithmic_ticks(std::int64_t max)
{
    std::vector<std::int64_t> ticks{0};
    std::int64_t last = 0;
    for (std::int64_t tick = 1; tick <= max; tick *= 10) {
        ticks.push_back(tick);
        last = tick;
        if (tick > max / 10) {
            break;
        }
    }
    if (max >= 2 * std::max<std::int64_t>(last, 1)) {
        ticks.push_back(max);
    }
    return ticks;
}

} // namespace texelscope::gui
