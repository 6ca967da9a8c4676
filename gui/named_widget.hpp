#pragma once

#include <QString>

namespace texelscope {

/// The widget, with a name for tests and style sheets, and one for those who cannot see it; the latter is its tool tip too
/// where it has no other.
template <class Widget>
Widget* named(Widget* widget, const char* object_name, const QString& about, const QString& tip = {})
{
    widget->setObjectName(object_name);
    widget->setAccessibleName(about);
    widget->setToolTip(tip.isEmpty() ? about : tip);
    return widget;
}

} // namespace texelscope
