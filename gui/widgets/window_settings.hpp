#pragma once

#include <QSettings>
#include <QString>

namespace texelscope::gui {

/// What the program keeps between two runs: the window's layout, the theme, recent files, the last study.
[[nodiscard]] inline QSettings window_settings()
{
    return QSettings(QSettings::IniFormat, QSettings::UserScope, "texelscope", "texelscope-gui");
}

/// One line where the settings cannot be read, and are the defaults for now; empty where all is well. To be asked
/// before anything else reads them: Qt tells of damage only once.
[[nodiscard]] inline QString settings_problem()
{
    const QSettings settings = window_settings();
    (void)settings.allKeys(); // sections are read when they are asked for
    if (settings.status() == QSettings::NoError) {
        return {};
    }
    return settings.fileName() +
           (settings.status() == QSettings::FormatError
                ? QStringLiteral(": the settings are damaged; the defaults hold, remove the file to keep new ones")
                : QStringLiteral(": the settings cannot be read; the defaults hold, check its permissions"));
}

} // namespace texelscope::gui
