#include "gui/widgets/number_text.hpp"

#include <algorithm>

namespace texelscope::gui {
QString share_text(std::int64_t part, std::int64_t whole)
{
    const double share = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    return QString::number(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString size_text(Extent2D extent)
{
    return QStringLiteral("%1×%2").arg(extent.width).arg(extent.height);
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
