#include "gui/study/compared_figures.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::gui {
namespace {

/// The first with that title or name.
template <class Items, class Text>
auto* find_by(const Items& items, const QString& wanted, const Text& text)
{
    const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return text(item) == wanted; });
    return found == items.end() ? nullptr : &*found;
}

const auto title_of = [](const auto& group) { return group.title; };
const auto name_of = [](const auto& figure) { return figure.name; };

} // namespace

QString change_text(double a, double b)
{
    if (a == b) {
        return QStringLiteral("same");
    }
    if (b == 0) {
        return {};
    }
    const double ratio = a / b;
    if (ratio >= 2) {
        return QStringLiteral("× %1").arg(ratio, 0, 'g', 3);
    }
    const double percent = (ratio - 1) * 100;
    const QString size = QString::number(std::abs(percent), 'f', std::abs(percent) < 10 ? 1 : 0);
    return (percent < 0 ? QStringLiteral("−%1 %") : QStringLiteral("+%1 %")).arg(size);
}

std::vector<ComparedFigures> compared_figures(const std::vector<KeyFigures>& a, const std::vector<KeyFigures>& b)
{
    std::vector<ComparedFigures> groups;
    for (const KeyFigures& group : a) {
        ComparedFigures& compared = groups.emplace_back(ComparedFigures{group.title, {}});
        const KeyFigures* const other = find_by(b, group.title, title_of);
        for (const KeyFigure& figure : group.figures) {
            const KeyFigure* const same = other == nullptr ? nullptr : find_by(other->figures, figure.name, name_of);
            compared.figures.push_back({figure.name, figure.value, same == nullptr ? QString() : same->value,
                                        same != nullptr && figure.number && same->number
                                            ? change_text(*figure.number, *same->number)
                                            : QString()});
        }
    }
    for (const KeyFigures& group : b) {
        const KeyFigures* const own = find_by(a, group.title, title_of);
        for (const KeyFigure& figure : group.figures) {
            if (own != nullptr && find_by(own->figures, figure.name, name_of) != nullptr) {
                continue;
            }
            auto into = std::find_if(groups.begin(), groups.end(),
                                     [&](const ComparedFigures& each) { return each.title == group.title; });
            if (into == groups.end()) {
                into = groups.insert(groups.end(), ComparedFigures{group.title, {}});
            }
            into->figures.push_back({figure.name, {}, figure.value, {}});
        }
    }
    return groups;
}

} // namespace texelscope::gui
