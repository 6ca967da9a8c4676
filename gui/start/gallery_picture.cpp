#include "gui/start/gallery_picture.hpp"

#include "codegen/nest/loop_nest.hpp"
#include "devices/launch/launch_options.hpp"
#include "gui/heat_map/colour_table.hpp"
#include "gui/heat_map/fold.hpp"
#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/start/shipped_file.hpp"
#include "gui/widgets/theme.hpp"
#include "model/walks/walk_file.hpp"
#include "traces/launch_source.hpp"
#include "traces/native/trace_file.hpp"
#include "workbench/study/study.hpp"

#include <QPainter>
#include <algorithm>
#include <vector>

namespace texelscope::gui {
namespace {

HeatMap heat_of(const TraceSource& source, const SimulationOptions& options, HeatChoice quantity,
                const StopToken& stop)
{
    return heat_maps(source, options, {}, stop).maps.map(0, counted(quantity).value());
}

HeatMap heat_of(const StudyForm& form, HeatChoice quantity, const StopToken& stop)
{
    const StudyRequest request = to_request(form);
    const LoopNest nest = loop_nest(request.op, request.schedule);
    return heat_of(*make_trace_source(launch_of(nest)), options_for(nest, request.device), quantity,
                   stop);
}

HeatMap heat_of(const GalleryTrace& trace, HeatChoice quantity, const StopToken& stop)
{
    const TraceFile file(shipped_file(trace.file));
    return heat_of(*file.source(trace.launch), find_profile(trace.device).simulation, quantity,
                   stop);
}

/// Fills the picture from the map's top left corner; a map that is longer than the picture is cut.
QImage drawn(HeatMap map, QSize size, QRgb untouched)
{
    const double scale = std::max(static_cast<double>(size.width()) / map.extent.width,
                                  static_cast<double>(size.height()) / map.extent.height);
    const ValueScale values(ValueAxis::linear, map);
    const ColourTable colours(HeatLayer::Kind::counts, values, {}, untouched);
    const Fold whole(map.extent);
    return heat_map_raster(MaxPyramid(std::move(map)), whole, {scale, {}}, size, colours,
                           untouched);
}

/// Latencies of walks, in ascending order: steps are levels of the memory.
QImage drawn(const GalleryWalks& walks, QSize size, QRgb untouched)
{
    std::vector<double> latencies;
    for (const auto& [walk, ns] : read_walk_latencies(shipped_file(walks.latencies))) {
        latencies.push_back(ns);
    }
    std::sort(latencies.begin(), latencies.end());
    QImage image(size, QImage::Format_RGB32);
    image.fill(untouched);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(category_colour(0));
    const double radius = std::max(1.0, size.height() / 48.0);
    for (std::size_t i = 0; i < latencies.size(); ++i) {
        const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(latencies.size());
        // A tenth more than the longest, so that its mark is not cut.
        const double y = latencies[i] / (1.1 * latencies.back());
        painter.drawEllipse(QPointF(x * size.width(), (1 - y) * size.height()), radius, radius);
    }
    return image;
}

} // namespace

QImage gallery_picture(const GalleryEntry& entry, QSize size, QRgb untouched, const StopToken& stop)
{
    if (const auto* walks = std::get_if<GalleryWalks>(&entry.opens)) {
        return drawn(*walks, size, untouched);
    }
    const auto* form = std::get_if<StudyForm>(&entry.opens);
    return drawn(form != nullptr
                     ? heat_of(*form, entry.quantity, stop)
                     : heat_of(std::get<GalleryTrace>(entry.opens), entry.quantity, stop),
                 size, untouched);
}

} // namespace texelscope::gui
