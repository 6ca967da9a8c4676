#pragma once

#include <QString>

namespace texelscope::gui {

/// The widget, with a name for tests and style sheets, and one for those who cannot see it.
template <class Widget>
Widget* named(Widget* widget, const char* object_name, const QString& accessible_name)
{
    widget->setObjectName(object_name);
    widget->setAccessibleName(accessible_name);
    return widget;
}

/// The same, and the accessible name is its tool tip too where it has no other.
template <class Widget>
Widget* named_with_tip(Widget* widget, const char* object_name, const QString& about, const QString& tip = {})
{
    named(widget, object_name, about)->setToolTip(tip.isEmpty() ? about : tip);
    return widget;
}

} // namespace texelscope::gui
