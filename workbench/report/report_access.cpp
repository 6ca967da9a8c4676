#include "base/number_text.hpp"
#include "workbench/plots/heat_map_picture.hpp"
#include "workbench/plots/html.hpp"
#include "workbench/plots/panel_plot.hpp"
#include "workbench/report/report_sections.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::workbench::report {
namespace {

constexpr int picture_side = 384; ///< pixels of a heat map's longer side

std::string heat_figure(const StudyImage& image, HeatQuantity quantity)
{
    const std::string words = to_string(quantity);
    if (static_cast<std::size_t>(quantity) >= image.heat.size()) {
        return fmt::format("<figure><figcaption>{} of {}: {}</figcaption></figure>\n",
                           escape_html(words), escape_html(image.image.name), dash);
    }
    const HeatMap& map = image.map(quantity);
    // a picture of one colour says nothing
    if (std::ranges::count(map.counts, map.max()) == std::ssize(map.counts)) {
        return fmt::format("<figure><figcaption>{} {}, {} at every texel</figcaption></figure>\n",
                           count_text(map.total()), escape_html(words), count_text(map.max()));
    }
    const Picture picture = heat_map_picture(map, image.image.name + ": " + words,
                                             ColourScale::logarithmic, picture_side);
    return fmt::format("<figure><img src=\"data:image/png;base64,{}\" width=\"{}\" height=\"{}\" "
                       "alt=\"{} of {}\"/>"
                       "<figcaption>{} {}, at most {} at one texel</figcaption></figure>\n",
                       base64(to_png(picture)), picture.width, picture.height, escape_html(words),
                       escape_html(image.image.name), count_text(map.total()), escape_html(words),
                       count_text(map.max()));
}

std::string shape_text(Extent2D shape)
{
    return fmt::format("{}\u00D7{}", shape.width, shape.height);
}

/// Weight of the x- or y-stride of bin `i`.
double weight(const LinearModel& model, std::size_t i, std::size_t direction)
{
    return model.beta[2 * i + direction];
}

bool fits(const LinearModel& model, const CrossBlockHistogram& histogram)
{
    if (model.beta.size() != 2 * histogram.bins.size() + 1 ||
        model.shapes.size() != histogram.bins.size()) {
        return false;
    }
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
        if (model.shapes[i] != histogram.bins[i].block) {
            return false;
        }
    }
    return true;
}

/// Two series, x and y, over the block shapes of a histogram. `bar` gives the point of a bar from
/// the number of the bin and the direction, 0 or 1.
template <class Bar>
std::string stride_plot(std::string title, std::string unit, const std::vector<Extent2D>& shapes,
                        Bar bar)
{
    std::vector<std::string> names;
    std::vector<PanelPlot::Bars> series(2);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        names.push_back(shape_text(shapes[i]));
        for (std::size_t direction = 0; direction < 2; ++direction) {
            PanelPlot::Point made = bar(i, direction);
            series[direction].name = direction == 0 ? "along x" : "along y";
            made.about =
                fmt::format("block {}, {}: {}", names.back(), series[direction].name, made.about);
            series[direction].points.push_back(std::move(made));
        }
    }
    PanelPlot plot = grouped_bars(names, {std::move(series)});
    plot.title = std::move(title);
    plot.left_label = std::move(unit);
    plot.panel_width = std::max(200.0, 37 * static_cast<double>(names.size()));
    plot.panel_height = 170;
    return svg_element(draw(plot), plot.title);
}

std::vector<Extent2D> shapes_of(const CrossBlockHistogram& histogram)
{
    std::vector<Extent2D> shapes;
    for (const CrossBlockHistogram::Bin& bin : histogram.bins) {
        shapes.push_back(bin.block);
    }
    return shapes;
}

std::string strides_figure(const StudyImage& image)
{
    const CrossBlockHistogram& histogram = image.histogram;
    return fmt::format(
        "<figure>{}<figcaption>{} reads of {} by one work-item</figcaption></figure>\n",
        stride_plot(image.image.name + ": strides out of a block", "strides", shapes_of(histogram),
                    [&](std::size_t i, std::size_t direction) {
                        const std::int64_t count =
                            direction == 0 ? histogram.bins[i].x : histogram.bins[i].y;
                        return PanelPlot::Point{0, static_cast<double>(count),
                                                count_text(count) + " strides"};
                    }),
        count_text(histogram.accesses), escape_html(image.image.name));
}

std::string weights_figure(const LinearModel& model)
{
    return fmt::format(
        "<figure>{}<figcaption>and {} ns for each access that stays inside "
        "({})</figcaption></figure>\n",
        stride_plot("fitted weights \u03B2", "ns / stride", model.shapes,
                    [&](std::size_t i, std::size_t direction) {
                        const double value = weight(model, i, direction);
                        return PanelPlot::Point{0, value, number_text(value) + " ns / stride"};
                    }),
        number_text(model.beta.back()), escape_html(to_string(model.regression)));
}

std::string times_figure(const StudyImage& image, const LinearModel& model)
{
    const CrossBlockHistogram& histogram = image.histogram;
    const double accesses = static_cast<double>(histogram.accesses) * model.beta.back();
    return fmt::format(
        "<figure>{}<figcaption>and {} for the {} accesses themselves</figcaption></figure>\n",
        stride_plot(image.image.name + ": time by block shape", "ns", model.shapes,
                    [&](std::size_t i, std::size_t direction) {
                        const std::int64_t count =
                            direction == 0 ? histogram.bins[i].x : histogram.bins[i].y;
                        const double ns = static_cast<double>(count) * weight(model, i, direction);
                        return PanelPlot::Point{
                            0, ns,
                            fmt::format("{} strides at {} ns = {} ns", count_text(count),
                                        number_text(weight(model, i, direction)), number_text(ns))};
                    }),
        time_text(Nanoseconds{accesses}), count_text(histogram.accesses));
}

} // namespace

std::string heat_map_section(const StudyResult& study)
{
    std::string out = "<section id=\"heat-maps\"><h2>Where the images are read and missed</h2>\n"
                      "<p>Counts at each texel, from the untimed simulation, on a logarithmic "
                      "scale. A miss is counted at the "
                      "texel whose lane asked for the line; grey: none.</p>\n";
    for (const StudyImage& image : study.images) {
        out += fmt::format(
            "<h3>{} <small>{}\u00D7{} texels of {} B, pattern {}</small></h3>\n<div "
            "class=\"row\">\n{}{}</div>\n",
            escape_html(image.image.name), image.image.extent.width, image.image.extent.height,
            image.image.bytes_per_texel.value, to_string(image.pattern.value()),
            heat_figure(image, HeatQuantity::reads), heat_figure(image, HeatQuantity::misses));
    }
    return out + "</section>\n";
}

std::string histogram_section(const StudyResult& study)
{
    std::string out =
        "<section id=\"strides\"><h2>Strides of one work-item</h2>\n"
        "<p>For each assumed block shape: how many consecutive reads of an image leave the block "
        "along x "
        "and along y. The "
        "model's time of the reads is these counts times the weights that were fitted on this "
        "device. A weight below 0 corrects those of other shapes: a stride that leaves a large "
        "block "
        "leaves the small ones in it, too.</p>\n<div class=\"row\">\n";
    for (const StudyImage& image : study.images) {
        out += strides_figure(image);
    }
    const LinearModel& model = study.calibration.thread;
    for (const StudyImage& image : study.images) {
        if (fits(model, image.histogram)) {
            out += times_figure(image, model);
        }
    }
    if (!model.beta.empty() && model.beta.size() == 2 * model.shapes.size() + 1) {
        out += weights_figure(model);
    }
    return out + "</div></section>\n";
}

} // namespace texelscope::workbench::report
