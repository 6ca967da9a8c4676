#include "base/error.hpp"
#include "experiments/render/bitmap_font.hpp"
#include "experiments/render/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace texelscope::experiments {
namespace {

constexpr Rgb white{255, 255, 255};

/// Paints shapes on pixels.
class Canvas {
public:
    Canvas(int width, int height, double scale)
        : scale_(scale), picture_{width, height,
                                  std::vector<Rgb>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                                                   white)}
    {}

    void paint(const DrawnLine& line)
    {
        if (!line.dashed) {
            paint_segment(line.from, line.to, line);
            return;
        }
        constexpr double drawn = 4;
        constexpr double period = 7;
        const double length = std::hypot(line.to.x - line.from.x, line.to.y - line.from.y);
        const auto at = [&](double distance) {
            const double share = std::min(1.0, distance / length);
            return DrawnPoint{line.from.x + share * (line.to.x - line.from.x),
                              line.from.y + share * (line.to.y - line.from.y)};
        };
        for (double start = 0; start < length; start += period) {
            paint_segment(at(start), at(start + drawn), line);
        }
    }

    void paint(const DrawnBox& box)
    {
        const double left = box.corner.x * scale_;
        const double top = box.corner.y * scale_;
        const double right = left + box.width * scale_;
        const double bottom = top + box.height * scale_;
        const auto overlap = [](double low, double high, int pixel) {
            return std::max(0.0, std::min(high, pixel + 1.0) - std::max(low, static_cast<double>(pixel)));
        };
        cover(left, top, right, bottom, box.colour,
              [&](int x, int y) { return overlap(left, right, x) * overlap(top, bottom, y); });
    }

    void paint(const DrawnDisc& disc)
    {
        const double x0 = disc.centre.x * scale_;
        const double y0 = disc.centre.y * scale_;
        const double radius = disc.radius * scale_;
        cover(x0 - radius - 1, y0 - radius - 1, x0 + radius + 1, y0 + radius + 1, disc.colour,
              [&](int x, int y) { return radius + 0.5 - std::hypot(x + 0.5 - x0, y + 0.5 - y0); });
    }

    void paint(const DrawnText& text)
    {
        // The letters of the font are 7 dots high, capitals of a usual font 0.7 of its size.
        const int dot = std::max(1, static_cast<int>(std::lround(text.size * scale_ * 0.7 / 7)));
        const int width = text_width(text.words, dot);
        const int before = text.anchor == DrawnText::Anchor::start    ? 0
                           : text.anchor == DrawnText::Anchor::middle ? width / 2
                                                                      : width;
        const int x = static_cast<int>(std::lround(text.at.x * scale_));
        const int y = static_cast<int>(std::lround(text.at.y * scale_));
        if (!text.upright) {
            draw_text(picture_, x - before, y - 7 * dot, text.words, text.colour, dot);
            return;
        }
        Picture flat{std::max(1, width), font_height * dot, {}};
        flat.pixels.assign(static_cast<std::size_t>(flat.width) * static_cast<std::size_t>(flat.height), white);
        draw_text(flat, 0, 0, text.words, text.colour, dot);
        for (int row = 0; row < flat.height; ++row) {
            for (int column = 0; column < flat.width; ++column) {
                const Rgb pixel = flat.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(flat.width) +
                                              static_cast<std::size_t>(column)];
                if (pixel != white) {
                    blend(x - 7 * dot + row, y + before - column, pixel, 1);
                }
            }
        }
    }

    [[nodiscard]] Picture take() { return std::move(picture_); }

private:
    void blend(int x, int y, Rgb colour, double share)
    {
        if (x < 0 || y < 0 || x >= picture_.width || y >= picture_.height || share <= 0) {
            return;
        }
        Rgb& pixel = picture_.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width) +
                                     static_cast<std::size_t>(x)];
        for (std::size_t i = 0; i < pixel.size(); ++i) {
            pixel[i] = static_cast<std::uint8_t>(
                std::lround(pixel[i] + std::min(share, 1.0) * (static_cast<double>(colour[i]) - pixel[i])));
        }
    }

    /// Paints the pixels of a rectangle by how much of each is covered.
    template <class Coverage>
    void cover(double left, double top, double right, double bottom, Rgb colour, const Coverage& coverage)
    {
        const int last_x = std::min(picture_.width - 1, static_cast<int>(std::ceil(right)));
        const int last_y = std::min(picture_.height - 1, static_cast<int>(std::ceil(bottom)));
        for (int y = std::max(0, static_cast<int>(std::floor(top))); y <= last_y; ++y) {
            for (int x = std::max(0, static_cast<int>(std::floor(left))); x <= last_x; ++x) {
                blend(x, y, colour, coverage(x, y));
            }
        }
    }

    void paint_segment(DrawnPoint from, DrawnPoint to, const DrawnLine& line)
    {
        const double x0 = from.x * scale_;
        const double y0 = from.y * scale_;
        const double dx = to.x * scale_ - x0;
        const double dy = to.y * scale_ - y0;
        const double square = dx * dx + dy * dy;
        const double half = line.width * scale_ / 2;
        cover(std::min(x0, x0 + dx) - half - 1, std::min(y0, y0 + dy) - half - 1, std::max(x0, x0 + dx) + half + 1,
              std::max(y0, y0 + dy) + half + 1, line.colour, [&](int x, int y) {
                  const double px = x + 0.5 - x0;
                  const double py = y + 0.5 - y0;
                  const double along = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0.0;
                  return half + 0.5 - std::hypot(px - along * dx, py - along * dy);
              });
    }

    double scale_;
    Picture picture_;
};

} // namespace

Picture to_picture(const Drawing& drawing, double scale)
{
    constexpr double most = 16384;
    const double width = std::ceil(drawing.width * scale);
    const double height = std::ceil(drawing.height * scale);
    if (!(width >= 1 && height >= 1 && width <= most && height <= most)) {
        throw bad_input("a drawing has less than 1 or more than 16384 pixels along a side");
    }
    Canvas canvas(static_cast<int>(width), static_cast<int>(height), scale);
    for (const auto& shape : drawing.shapes) {
        std::visit([&](const auto& one) { canvas.paint(one); }, shape);
    }
    return canvas.take();
}

} // namespace texelscope::experiments
