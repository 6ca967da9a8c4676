#pragma once

#include <QSettings>

namespace texelscope {

/// What the program keeps between two runs: the window's layout, the theme, recent files, the last study.
[[nodiscard]] inline QSettings window_settings()
{
    return QSettings(QSettings::IniFormat, QSettings::UserScope, "texelscope", "texelscope-gui");
}

} // namespace texelscope
