#include "base/error.hpp"
#include "workbench/plots/drawing.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include FT_OUTLINE_H
#include FT_STROKER_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

// The font is embedded in the program, so that pictures are the same on every machine.
asm(".pushsection .rodata\n"
    ".globl texelscope_font, texelscope_font_end\n"
    "texelscope_font:\n"
    ".incbin \"" TEXELSCOPE_FONT "\"\n"
    "texelscope_font_end:\n"
    ".popsection\n");
extern "C" const unsigned char texelscope_font[], texelscope_font_end[];

namespace texelscope::workbench::plots {
namespace {

template <class Handle, auto done>
using Owned =
    std::unique_ptr<std::remove_pointer_t<Handle>, decltype([](Handle handle) { done(handle); })>;

void check(FT_Error error)
{
    if (error != 0) {
        throw bad_input("FreeType cannot draw this");
    }
}

/// FreeType's state. It must not be shared between threads, so each has its own.
struct FreeType {
    Owned<FT_Library, FT_Done_FreeType> library;
    Owned<FT_Face, FT_Done_Face> face;
    Owned<FT_Stroker, FT_Stroker_Done> stroker;

    FreeType()
    {
        FT_Library new_library = nullptr;
        check(FT_Init_FreeType(&new_library));
        library.reset(new_library);
        FT_Face new_face = nullptr;
        check(FT_New_Memory_Face(new_library, texelscope_font,
                                 texelscope_font_end - texelscope_font, 0, &new_face));
        face.reset(new_face);
        FT_Stroker new_stroker = nullptr;
        check(FT_Stroker_New(new_library, &new_stroker));
        stroker.reset(new_stroker);
    }
};

const FreeType& freetype()
{
    thread_local const FreeType state;
    return state;
}

/// Calls `use` with the glyph of each letter of a text in UTF-8. Continuation bytes that are
/// missing at the end are not waited for.
template <class Use>
void for_each_glyph(std::string_view words, const Use& use)
{
    for (std::size_t i = 0; i < words.size();) {
        const auto first = static_cast<unsigned char>(words[i++]);
        const int following = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
        std::uint32_t letter = following == 0 ? first : first & (0x3fU >> following);
        for (int k = 0; k < following && i < words.size(); ++k) {
            letter = letter << 6U | (static_cast<unsigned char>(words[i++]) & 0x3fU);
        }
        use(FT_Get_Char_Index(freetype().face.get(), letter));
    }
}

/// Width in ems: multiples of the font's size.
double glyph_width(FT_UInt glyph)
{
    FT_Fixed units = 0;
    check(FT_Get_Advance(freetype().face.get(), glyph, FT_LOAD_NO_SCALE, &units));
    return static_cast<double>(units) / freetype().face->units_per_EM;
}

/// Paints shapes on pixels. FreeType's y grows upwards, so row r of the picture is at y = -1 - r.
class Canvas {
public:
    Canvas(int width, int height, double scale)
        : scale_(scale), picture_{width, height,
                                  std::vector<Rgb>(static_cast<std::size_t>(width) *
                                                       static_cast<std::size_t>(height),
                                                   white)}
    {}

    void paint(const DrawnLine& line)
    {
        const DrawnPoint from = line.through.front();
        const DrawnPoint to = line.through.back();
        if (line.dashed) {
            stroke_dashes(line);
        } else if (line.through.size() == 2 && (from.x == to.x || from.y == to.y)) {
            draw_level(from, to, line);
        } else {
            stroke(line.through, line, FT_STROKER_LINECAP_ROUND);
        }
    }

    void paint(const DrawnBox& box)
    {
        fill_box(box.corner.x * scale_, box.corner.y * scale_, (box.corner.x + box.width) * scale_,
                 (box.corner.y + box.height) * scale_, box.colour);
    }

    void paint(const DrawnMark& mark)
    {
        if (mark.look == DrawnMark::Look::cross) {
            const double r = mark.radius;
            const auto [x, y] = mark.centre;
            const DrawnLine style{{}, mark.colour, 2, false};
            stroke(std::array{DrawnPoint{x - r, y - r}, DrawnPoint{x + r, y + r}}, style,
                   FT_STROKER_LINECAP_BUTT);
            stroke(std::array{DrawnPoint{x - r, y + r}, DrawnPoint{x + r, y - r}}, style,
                   FT_STROKER_LINECAP_BUTT);
            return;
        }
        if (mark.look == DrawnMark::Look::ringed) {
            fill_disc(mark.centre, mark.radius + ring_width, white);
        }
        fill_disc(mark.centre, mark.radius, mark.colour);
    }

    void paint(const DrawnText& text)
    {
        FT_Face face = freetype().face.get();
        const double size = text.size * scale_;
        check(FT_Set_Char_Size(face, 0, std::lround(size * 64), 72, 72));
        // A text is placed by its width in DejaVu Sans.
        const double before = before_anchor(text, text_width(text.words, text.size)) * scale_;
        // The base line is put between two pixels, so that level strokes of letters stay sharp.
        double x = text.at.x * scale_ - (text.upright ? 0 : before);
        double y = text.at.y * scale_ + (text.upright ? before : 0);
        (text.upright ? x : y) = std::round(text.upright ? x : y);
        constexpr FT_Fixed one = 0x10000;
        // Turned left by 90 degrees.
        const FT_Matrix turned{0, -one, one, 0};
        for_each_glyph(text.words, [&](FT_UInt glyph) {
            check(FT_Load_Glyph(face, glyph, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP));
            FT_Outline& outline = face->glyph->outline;
            if (text.upright) {
                FT_Outline_Transform(&outline, &turned);
            }
            const FT_Vector at = place(x, y);
            FT_Outline_Translate(&outline, at.x, at.y);
            fill(outline, text.colour);
            (text.upright ? y : x) += (text.upright ? -size : size) * glyph_width(glyph);
        });
    }

    void paint(const DrawnPixels& pixels)
    {
        auto colour = pixels.picture.pixels.begin();
        const auto edge = [&](double corner, double size, int pixel) {
            return static_cast<int>(std::lround((corner + size * pixel) * scale_));
        };
        for (int row = 0; row < pixels.picture.height; ++row) {
            const int top = edge(pixels.corner.y, pixels.height, row);
            const int bottom = edge(pixels.corner.y, pixels.height, row + 1);
            for (int column = 0; column < pixels.picture.width; ++column, ++colour) {
                const int right = edge(pixels.corner.x, pixels.width, column + 1);
                for (int y = top; y < bottom; ++y) {
                    for (int x = edge(pixels.corner.x, pixels.width, column); x < right; ++x) {
                        blend(x, y, *colour, 255);
                    }
                }
            }
        }
    }

    [[nodiscard]] Picture take() { return std::move(picture_); }

private:
    static constexpr Rgb white{255, 255, 255};

    /// Mixes a colour into a pixel; coverage 255 replaces it. Outside of the picture nothing
    /// happens.
    void blend(int x, int y, Rgb colour, int coverage)
    {
        if (x < 0 || y < 0 || x >= picture_.width || y >= picture_.height) {
            return;
        }
        Rgb& pixel =
            picture_.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width) +
                            static_cast<std::size_t>(x)];
        for (std::size_t i = 0; i < pixel.size(); ++i) {
            const int mixed = pixel[i] * (255 - coverage) + colour[i] * coverage;
            pixel[i] = static_cast<std::uint8_t>((mixed + 127) / 255);
        }
    }

    /// Pixels in FreeType's units, 64ths of a pixel.
    static FT_Vector place(double x, double y)
    {
        return {std::lround(x * 64), std::lround(-y * 64)};
    }

    /// Colours each pixel by how much of it the outline covers.
    void fill(FT_Outline& outline, Rgb colour)
    {
        struct Paint {
            Canvas& canvas;
            Rgb colour;
        } paint{*this, colour};
        FT_Raster_Params params{};
        params.source = &outline;
        params.flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP;
        params.user = &paint;
        params.gray_spans = [](int y, int count, const FT_Span* spans, void* user) {
            const Paint& to = *static_cast<Paint*>(user);
            for (const FT_Span& span : std::span(spans, static_cast<std::size_t>(count))) {
                for (int x = span.x; x < span.x + span.len; ++x) {
                    to.canvas.blend(x, -1 - y, to.colour, span.coverage);
                }
            }
        };
        // FreeType gives up (Raster_Overflow) on some lines that are nearly level and longer than
        // its pool of 680 cells; so it gets a part of the width at a time.
        constexpr int part = 256;
        FT_BBox box{};
        FT_Outline_Get_CBox(&outline, &box);
        const int right = std::min<int>(picture_.width, static_cast<int>(box.xMax >> 6) + 1);
        for (int left = std::max(0, static_cast<int>(box.xMin >> 6)); left < right; left += part) {
            params.clip_box = {left, -picture_.height, std::min(left + part, right), 0};
            check(FT_Outline_Render(freetype().library.get(), &outline, &params));
        }
    }

    template <std::size_t corners>
    void fill_polygon(std::array<FT_Vector, corners>& points, Rgb colour)
    {
        std::array<char, corners> tags{};
        tags.fill(FT_CURVE_TAG_ON);
        short last = corners - 1;
        FT_Outline outline{1, corners, points.data(), tags.data(), &last, 0};
        fill(outline, colour);
    }
    void fill_box(double left, double top, double right, double bottom, Rgb colour)
    {
        std::array points{place(left, top), place(right, top), place(right, bottom),
                          place(left, bottom)};
        fill_polygon(points, colour);
    }
    void fill_disc(DrawnPoint centre, double radius, Rgb colour)
    {
        // A polygon of 64 corners cannot be told from a circle at these sizes.
        std::array<FT_Vector, 64> points{};
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double angle =
                2 * M_PI * static_cast<double>(i) / static_cast<double>(points.size());
            points[i] = place((centre.x + radius * std::cos(angle)) * scale_,
                              (centre.y + radius * std::sin(angle)) * scale_);
        }
        fill_polygon(points, colour);
    }

    /// A level or upright line fills whole pixels, which keeps it sharp. Its ends are square, so
    /// that the corners of frames are filled.
    void draw_level(DrawnPoint from, DrawnPoint to, const DrawnLine& line)
    {
        const double width = std::max(1.0, std::round(line.width * scale_));
        const auto edge = [&](double place) { return std::round(place * scale_ - width / 2); };
        fill_box(edge(std::min(from.x, to.x)), edge(std::min(from.y, to.y)),
                 edge(std::max(from.x, to.x)) + width, edge(std::max(from.y, to.y)) + width,
                 line.colour);
    }

    void stroke(std::span<const DrawnPoint> points, const DrawnLine& style, FT_Stroker_LineCap cap)
    {
        constexpr std::size_t most = 1000; // an outline has room for 32767 points
        while (points.size() > most) {
            stroke(points.first(most), style, cap);
            points = points.subspan(most - 1);
        }
        FT_Stroker stroker = freetype().stroker.get();
        FT_Stroker_Set(stroker, std::lround(style.width * scale_ * 32), cap,
                       FT_STROKER_LINEJOIN_ROUND, 0);
        for (const DrawnPoint& point : points) {
            FT_Vector at = place(point.x * scale_, point.y * scale_);
            check(&point == points.data() ? FT_Stroker_BeginSubPath(stroker, &at, 1)
                                          : FT_Stroker_LineTo(stroker, &at));
        }
        check(FT_Stroker_EndSubPath(stroker));
        FT_UInt count = 0;
        FT_UInt contours = 0;
        check(FT_Stroker_GetCounts(stroker, &count, &contours));
        FT_Outline outline{};
        check(FT_Outline_New(freetype().library.get(), count, static_cast<FT_Int>(contours),
                             &outline));
        const auto release = [](FT_Outline* used) {
            FT_Outline_Done(freetype().library.get(), used);
        };
        const std::unique_ptr<FT_Outline, decltype(release)> owned(&outline, release);
        outline.n_points = 0;
        outline.n_contours = 0;
        FT_Stroker_Export(stroker, &outline);
        fill(outline, style.colour);
    }

    /// Dashes are counted along the whole line, so they go on around its corners.
    void stroke_dashes(const DrawnLine& line)
    {
        constexpr double drawn = 4;
        // 4 units drawn, 3 left out, as DrawnLine::dashed says.
        constexpr double period = 7;
        double start = 0; // of the segment, along the line
        for (std::size_t i = 1; i < line.through.size(); ++i) {
            const DrawnPoint from = line.through[i - 1];
            const DrawnPoint to = line.through[i];
            const double length = std::hypot(to.x - from.x, to.y - from.y);
            const auto at = [&](double along) {
                const double share = std::clamp((along - start) / length, 0.0, 1.0);
                return DrawnPoint{from.x + share * (to.x - from.x),
                                  from.y + share * (to.y - from.y)};
            };
            for (double first = std::floor(start / period) * period;
                 length > 0 && first < start + length; first += period) {
                if (first + drawn > start) {
                    stroke(std::array{at(first), at(first + drawn)}, line, FT_STROKER_LINECAP_BUTT);
                }
            }
            start += length;
        }
    }

    double scale_;
    Picture picture_;
};

} // namespace

double text_width(std::string_view words, double size)
{
    double ems = 0;
    for_each_glyph(words, [&](FT_UInt glyph) { ems += glyph_width(glyph); });
    return ems * size;
}

double before_anchor(const DrawnText& text, double width)
{
    return text.anchor == DrawnText::Anchor::start    ? 0
           : text.anchor == DrawnText::Anchor::middle ? width / 2
                                                      : width;
}

bool is_grey(Rgb colour)
{
    const auto [least, most] = std::minmax_element(colour.begin(), colour.end());
    return *most - *least < 16;
}

Picture to_picture(const Drawing& drawing, double scale)
{
    constexpr double most = 16384;
    const double width = std::ceil(drawing.width * scale);
    const double height = std::ceil(drawing.height * scale);
    // Written so that NaN is refused as well.
    if (!(width >= 1 && height >= 1 && width <= most && height <= most)) {
        throw bad_input("a drawing has less than 1 or more than 16384 pixels along a side");
    }
    Canvas canvas(static_cast<int>(width), static_cast<int>(height), scale);
    for (const auto& shape : drawing.shapes) {
        std::visit([&](const auto& one) { canvas.paint(one); }, shape);
    }
    return canvas.take();
}

} // namespace texelscope::workbench::plots
