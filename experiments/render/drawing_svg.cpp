#include "experiments/render/drawing.hpp"
#include "experiments/render/html.hpp"

#include <fmt/format.h>

#include <string_view>

namespace texelscope::experiments {
namespace {

std::string colour_text(Rgb colour)
{
    return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]);
}

std::string end_of(std::string_view element, const std::string& about)
{
    return about.empty() ? "/>" : fmt::format("><title>{}</title></{}>", escape_html(about), element);
}

std::string element(const DrawnLine& line)
{
    return fmt::format(
        R"svg(<line x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}" stroke="{}" stroke-width="{:g}"{}/>)svg",
        line.from.x, line.from.y, line.to.x, line.to.y, colour_text(line.colour), line.width,
        line.dashed ? R"svg( stroke-dasharray="4 3")svg" : R"svg( stroke-linecap="round")svg");
}

std::string element(const DrawnBox& box)
{
    return fmt::format(R"svg(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"{})svg", box.corner.x,
                       box.corner.y, box.width, box.height, colour_text(box.colour), end_of("rect", box.about));
}

std::string element(const DrawnDisc& disc)
{
    return fmt::format(R"svg(<circle cx="{:.2f}" cy="{:.2f}" r="{:g}" fill="{}"{})svg", disc.centre.x, disc.centre.y,
                       disc.radius, colour_text(disc.colour), end_of("circle", disc.about));
}

std::string element(const DrawnText& text)
{
    const std::string_view anchor = text.anchor == DrawnText::Anchor::start    ? "start"
                                    : text.anchor == DrawnText::Anchor::middle ? "middle"
                                                                               : "end";
    return fmt::format(
        R"svg(<text transform="translate({:.2f} {:.2f}){}" text-anchor="{}" font-size="{:g}" fill="{}">{}</text>)svg",
        text.at.x, text.at.y, text.upright ? " rotate(-90)" : "", anchor, text.size, colour_text(text.colour),
        escape_html(text.words));
}

} // namespace

std::string to_svg(const Drawing& drawing, const std::string& title)
{
    std::string out = fmt::format(
        R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" font-family="sans-serif">)svg",
        drawing.width, drawing.height);
    out += fmt::format("\n<title>{}</title>\n", escape_html(title));
    out += R"svg(<rect width="100%" height="100%" fill="#ffffff"/>)svg";
    out += '\n';
    for (const auto& shape : drawing.shapes) {
        out += std::visit([](const auto& one) { return element(one); }, shape);
        out += '\n';
    }
    return out + "</svg>\n";
}

} // namespace texelscope::experiments
