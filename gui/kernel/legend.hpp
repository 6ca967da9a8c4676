#pragma once

#include <QColor>
#include <QString>

namespace texelscope::gui {

/// A part of a legend, as rich text: a sign on its ground, and what it means.
[[nodiscard]] inline QString legend_entry(const QString& sign, const QColor& ground,
                                          const QString& title)
{
    return QStringLiteral("<span style=\"background-color:%1\">&nbsp;%2&nbsp;</span>&nbsp;%3")
        .arg(ground.name(), sign, title.toHtmlEscaped());
}

} // namespace texelscope::gui
