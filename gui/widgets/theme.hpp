#pragma once

#include <QColor>
#include <QPalette>
#include <cstddef>

namespace texelscope::gui {

enum class Theme { system, light, dark };
/// Gives the application's windows the theme's palette; `system` is what the desktop had at the program's start.
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
/// Grounds of lines that a difference adds and removes: blue and orange, which most colour-blind people can tell apart;
/// the palette's text is readable on both.
[[nodiscard]] QColor added_ground(const QPalette& palette);
[[nodiscard]] QColor removed_ground(const QPalette& palette);
/// Colours for categories that most colour-blind people can tell apart (Okabe and Ito, 2008), repeating after seven.
[[nodiscard]] QColor category_colour(std::size_t number);
/// The same, lighter on a dark ground.
[[nodiscard]] QColor category_colour(std::size_t number, const QPalette& palette);

} // namespace texelscope::gui
