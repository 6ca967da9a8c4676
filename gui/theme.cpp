#include "gui/theme.hpp"

#include <array>

namespace texelscope {

bool is_dark(const QPalette& palette)
{
    return palette.color(QPalette::WindowText).lightness() > palette.color(QPalette::Window).lightness();
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

} // namespace texelscope
