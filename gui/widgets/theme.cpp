#include "gui/widgets/theme.hpp"

#include <QApplication>
#include <QStyle>
#include <QStyleFactory>
#include <array>

namespace texelscope::gui {
namespace {

/// Greys with enough contrast for texts (at least 4.5 to 1), the highlight a blue of the
/// categories.
QPalette palette_of(QRgb window, QRgb base, QRgb text, QRgb button, QRgb dim, QRgb highlight)
{
    QPalette palette{QColor(button), QColor(window)};
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
        palette.setColor(role, QColor(text));
        palette.setColor(QPalette::Disabled, role, QColor(dim));
    }
    palette.setColor(QPalette::Base, QColor(base));
    palette.setColor(QPalette::AlternateBase, QColor(window));
    palette.setColor(QPalette::ToolTipBase, QColor(base));
    palette.setColor(QPalette::PlaceholderText, QColor(dim));
    palette.setColor(QPalette::Highlight, QColor(highlight));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor(highlight).lighter(130));
    return palette;
}

} // namespace

void apply(Theme theme)
{
    static const QString system_style = QApplication::style()->objectName();
    switch (theme) {
    case Theme::system:
        QApplication::setStyle(QStyleFactory::create(system_style));
        QApplication::setPalette(QApplication::style()->standardPalette());
        return;
    case Theme::light:
        QApplication::setStyle(QStyleFactory::create("Fusion"));
        QApplication::setPalette(
            palette_of(0xfff3f3f3, 0xffffffff, 0xff1a1a1a, 0xffe6e6e6, 0xff6e6e6e, 0xff0072b2));
        return;
    case Theme::dark:
        QApplication::setStyle(QStyleFactory::create("Fusion"));
        QApplication::setPalette(
            palette_of(0xff2b2b2b, 0xff1e1e1e, 0xffe8e8e8, 0xff3a3a3a, 0xff9a9a9a, 0xff2a82c8));
        return;
    }
}

Theme saved_theme(bool settings)
{
    const int saved = settings ? window_settings().value(theme_key).toInt() : 0;
    return saved == static_cast<int>(Theme::light) || saved == static_cast<int>(Theme::dark)
               ? static_cast<Theme>(saved)
               : Theme::system;
}

bool is_dark(const QPalette& palette)
{
    return palette.color(QPalette::WindowText).lightness() >
           palette.color(QPalette::Window).lightness();
}

QColor faint(const QPalette& palette)
{
    QColor colour = palette.color(QPalette::WindowText);
    colour.setAlphaF(0.18F);
    return colour;
}

QColor error_colour(const QPalette& palette)
{
    return is_dark(palette) ? QColor(0xff, 0x8a, 0x80) : QColor(0xb0, 0x1c, 0x1c);
}

QColor untouched_grey(const QPalette& palette)
{
    return is_dark(palette) ? QColor(0x60, 0x60, 0x60) : QColor(0xc8, 0xc8, 0xc8);
}

QColor added_ground(const QPalette& palette)
{
    return is_dark(palette) ? QColor(0x12, 0x3c, 0x5a) : QColor(0xd3, 0xe8, 0xfa);
}

QColor removed_ground(const QPalette& palette)
{
    return is_dark(palette) ? QColor(0x55, 0x38, 0x0c) : QColor(0xfd, 0xe6, 0xc0);
}

QColor category_colour(std::size_t number)
{
    static constexpr std::array<QRgb, 7> colours{0xff0072b2, 0xffe69f00, 0xff009e73, 0xffcc79a7,
                                                 0xff56b4e9, 0xffd55e00, 0xfff0e442};
    return QColor(colours[number % colours.size()]);
}

QColor category_colour(std::size_t number, const QPalette& palette)
{
    constexpr int lighter = 145; // percent, as in plots: the blue then has a contrast of 5 to 1
    return is_dark(palette) ? category_colour(number).lighter(lighter) : category_colour(number);
}

} // namespace texelscope::gui
