#pragma once

#include <QCoreApplication>
#include <QString>

namespace texelscope::gui {

/// What QObject::tr() is to its classes, for text outside of them.
[[nodiscard]] inline QString tr(const char* text)
{
    return QCoreApplication::translate("texelscope", text);
}

} // namespace texelscope::gui
