#pragma once

#include <QColor>
#include <QPalette>
#include <QSettings>
#include <QString>
#include <cstddef>

namespace texelscope::gui {

enum class Theme { system, light, dark };
/// Gives the application's windows the theme's palette; `system` is what the desktop had at the
/// program's start.
void apply(Theme theme);
/// What the settings have, under that key; `system` where they are not read.
[[nodiscard]] Theme saved_theme(bool settings);
inline constexpr const char* theme_key = "window/theme";

/// Whether a palette is light text on a dark ground.
[[nodiscard]] bool is_dark(const QPalette& palette);
/// Lines that should not compete with the data.
[[nodiscard]] QColor faint(const QPalette& palette);
/// Texts that say that something is wrong; readable on the palette's window colour.
[[nodiscard]] QColor error_colour(const QPalette& palette);
/// Texels without a count: a grey outside of the colour map.
[[nodiscard]] QColor untouched_grey(const QPalette& palette);
/// Grounds of lines that a difference adds and removes: blue and orange, which most colour-blind
/// people can tell apart; the palette's text is readable on both.
[[nodiscard]] QColor added_ground(const QPalette& palette);
[[nodiscard]] QColor removed_ground(const QPalette& palette);
/// Colours for categories that most colour-blind people can tell apart (Okabe and Ito, 2008),
/// repeating after seven.
[[nodiscard]] QColor category_colour(std::size_t number);
/// The same, lighter on a dark ground.
[[nodiscard]] QColor category_colour(std::size_t number, const QPalette& palette);

/// What the program keeps between two runs: the window's layout, the theme, recent files, the last
/// study.
[[nodiscard]] inline QSettings window_settings()
{
    return QSettings(QSettings::IniFormat, QSettings::UserScope, "texelscope", "texelscope-gui");
}

/// One line where the settings cannot be read, and are the defaults for now; empty where all is
/// well. To be asked before anything else reads them: Qt tells of damage only once.
[[nodiscard]] inline QString settings_problem()
{
    const QSettings settings = window_settings();
    (void)settings.allKeys(); // sections are read when they are asked for
    if (settings.status() == QSettings::NoError) {
        return {};
    }
    return settings.fileName() +
           (settings.status() == QSettings::FormatError
                ? QStringLiteral(": the settings are damaged; the defaults hold, remove the file "
                                 "to keep new ones")
                : QStringLiteral(
                      ": the settings cannot be read; the defaults hold, check its permissions"));
}

} // namespace texelscope::gui
