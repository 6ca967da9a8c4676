#include "workbench/plots/drawing.hpp"
#include "workbench/plots/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace texelscope::workbench::plots {
namespace {

/// Writes shapes as SVG elements; in_page: for a page with a light and a dark style.
class Writer {
public:
    explicit Writer(bool in_page) : in_page_(in_page) {}

    void add(const DrawnLine& line)
    {
        std::string points;
        for (const DrawnPoint& point : line.through) {
            fmt::format_to(std::back_inserter(points), "{}{:.2f},{:.2f}", points.empty() ? "" : " ",
                           point.x, point.y);
        }
        write(R"svg(<polyline points="{}" fill="none" {} stroke-width="{:g}" {}/>)svg", points,
              paint("stroke", line.colour), line.width,
              line.dashed ? R"svg(stroke-dasharray="4 3")svg"
                          : R"svg(stroke-linecap="round" stroke-linejoin="round")svg");
    }
    void add(const DrawnBox& box)
    {
        write(R"svg(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" {}{})svg",
              box.corner.x, box.corner.y, box.width, box.height, paint("fill", box.colour),
              end_of("rect", box.about));
    }
    void add(const DrawnMark& mark)
    {
        if (mark.look == DrawnMark::Look::cross) {
            write(
                R"svg(<path d="M{0:.2f} {1:.2f}l{2:g} {2:g}m0 -{2:g}l-{2:g} {2:g}" {3} stroke-width="2"{4})svg",
                mark.centre.x - mark.radius, mark.centre.y - mark.radius, 2 * mark.radius,
                paint("stroke", mark.colour), end_of("path", mark.about));
            return;
        }
        const bool ringed = mark.look == DrawnMark::Look::ringed;
        // A stroke covers both sides of an edge, so the radius grows by half of the ring.
        write(R"svg(<circle cx="{:.2f}" cy="{:.2f}" r="{:g}" {}{}{})svg", mark.centre.x,
              mark.centre.y, mark.radius + (ringed ? ring_width / 2 : 0),
              paint("fill", mark.colour),
              ringed ? fmt::format(R"svg( {} stroke-width="{:g}")svg",
                                   paint("stroke", {255, 255, 255}), ring_width)
                     : "",
              end_of("circle", mark.about));
    }
    void add(const DrawnText& text)
    {
        const std::string_view anchor = text.anchor == DrawnText::Anchor::start    ? "start"
                                        : text.anchor == DrawnText::Anchor::middle ? "middle"
                                                                                   : "end";
        write(
            R"svg(<text transform="translate({:.2f} {:.2f}){}" text-anchor="{}" font-size="{:g}" {}>{}</text>)svg",
            text.at.x, text.at.y, text.upright ? " rotate(-90)" : "", anchor, text.size,
            paint("fill", text.colour), escape_html(text.words));
    }
    void add(const DrawnPixels& pixels)
    {
        write(
            R"svg(<image x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" preserveAspectRatio="none" style="image-rendering:pixelated" href="data:image/png;base64,{}"/>)svg",
            pixels.corner.x, pixels.corner.y, pixels.width * pixels.picture.width,
            pixels.height * pixels.picture.height, base64(to_png(pixels.picture)));
    }

    [[nodiscard]] std::string shapes_of(const Drawing& drawing) &&
    {
        for (const auto& shape : drawing.shapes) {
            std::visit([this](const auto& one) { add(one); }, shape);
        }
        return std::move(out_);
    }

private:
    template <class... Arguments>
    void write(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
        out_ += '\n';
    }

    /// In a page, greys become the page's text colour, more opaque the darker they are, and white
    /// becomes the page's ground.
    [[nodiscard]] std::string paint(std::string_view attribute, Rgb colour) const
    {
        if (in_page_ && colour[0] == 255 && is_grey(colour)) {
            return fmt::format(R"svg({}="var(--paper, #ffffff)")svg", attribute);
        }
        if (in_page_ && is_grey(colour)) {
            const double strongest = 255 - DrawnText{}.colour[0];
            return fmt::format(R"svg({0}="currentColor" {0}-opacity="{1:.2f}")svg", attribute,
                               std::min(1.0, (255 - colour[0]) / strongest));
        }
        return fmt::format(R"svg({}="#{:02x}{:02x}{:02x}")svg", attribute, colour[0], colour[1],
                           colour[2]);
    }
    [[nodiscard]] static std::string end_of(std::string_view element, const std::string& about)
    {
        return about.empty() ? "/>"
                             : fmt::format("><title>{}</title></{}>", escape_html(about), element);
    }

    bool in_page_;
    std::string out_;
};

// The font of pictures, and one with the same widths, so that texts fit where they were placed.
constexpr std::string_view fonts = "DejaVu Sans, Verdana, sans-serif";

} // namespace

std::string to_svg(const Drawing& drawing, const std::string& title)
{
    return fmt::format(
        R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" font-family="{2}">
<title>{3}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
{4}</svg>
)svg",
        drawing.width, drawing.height, fonts, escape_html(title), Writer(false).shapes_of(drawing));
}

std::string svg_element(const Drawing& drawing, const std::string& title)
{
    return fmt::format(
        R"svg(<svg viewBox="0 0 {0:g} {1:g}" width="{0:g}" role="img" aria-label="{3}" font-family="{2}">
{4}</svg>
)svg",
        drawing.width, drawing.height, fonts, escape_html(title), Writer(true).shapes_of(drawing));
}

} // namespace texelscope::workbench::plots
