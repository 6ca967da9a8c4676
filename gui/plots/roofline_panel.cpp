#include "gui/plots/roofline_panel.hpp"

#include "base/number_text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "gui/study/session.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <QShowEvent>
#include <algorithm>
#include <cmath>
#include <limits>

namespace texelscope::gui {
namespace {

using Point = StudyRoofline::Point;

/// Operations per nanosecond are GFLOPS.
Point point_of(const Operator& op, const Schedule& schedule, Nanoseconds time)
{
    return {schedule, operations_per_number(loop_nest(op, schedule)), op.flops / time.value, time};
}

PanelPlot::Point drawn(const Point& point, double radius)
{
    // A kernel without multiply-adds has no place on a logarithmic axis.
    const bool placed = std::isfinite(point.intensity) && point.intensity > 0;
    return {placed ? point.intensity : 1,
            placed ? point.gflops : std::numeric_limits<double>::quiet_NaN(),
            fmt::format("{}: {} GFLOPS, {}, {:.3g} operations a number", to_string(point.schedule),
                        base::number_text(point.gflops), base::time_text(point.time),
                        point.intensity),
            radius};
}

} // namespace

StudyRoofline study_roofline(const StudyResult& study, const StopToken& stop)
{
    const Operator& op = study.request.op;
    StudyRoofline data;
    data.title = fmt::format("Roofline: {} on {}", to_string(op), study.request.device.name);
    constexpr double numbers = 4; // of a texel
    data.roofs = device_roofline(study.request.device,
                                 bytes_per_texel(study.request.schedule.storage) / numbers);
    data.roofs.roofs.resize(1); // the L1's: what goes beyond it is not what work-items read
    for (const RankedConfiguration& ranked : study.ranking.best) {
        if (stop && stop()) {
            throw Interrupted{};
        }
        data.ranked.push_back(point_of(op, ranked.schedule, ranked.cost));
    }
    data.own = simulated_point(study);
    return data;
}

std::optional<Point> simulated_point(const StudyResult& study)
{
    const auto time = study.timed.time(study.options.machine);
    return time ? std::optional(point_of(study.request.op, study.request.schedule, *time))
                : std::nullopt;
}

std::vector<StudyRoofline::Point> points_of(const StudyRoofline& data,
                                            const std::vector<Schedule>& schedules)
{
    std::vector<Point> points;
    for (const Point& point : data.ranked) {
        if (std::find(schedules.begin(), schedules.end(), point.schedule) != schedules.end()) {
            points.push_back(point);
        }
    }
    return points;
}

std::optional<PanelPlot> roofline_plot(const StudyRoofline& data,
                                       const std::vector<Schedule>& selected)
{
    PanelPlot::Curve ranked{ranked_curve, 6, PanelPlot::Axis::left, {}, true, false};
    PanelPlot::Curve marked{selected_curve, 3, PanelPlot::Axis::left, {}, true, false};
    PanelPlot::Curve own{own_curve, 5, PanelPlot::Axis::left, {}, true, false};
    for (const Point& point : data.ranked) {
        ranked.points.push_back(drawn(point, 2));
    }
    for (const Point& point : points_of(data, selected)) {
        marked.points.push_back(drawn(point, 5));
    }
    if (data.own) {
        own.points.push_back(drawn(*data.own, 5));
    }
    PanelPlot::Curve other{other_curve, 4, PanelPlot::Axis::left, {}, true, false};
    if (data.other) {
        PanelPlot::Point point = drawn(*data.other, 7);
        point.about += fmt::format(", on {}", data.other_device);
        other.points.push_back(std::move(point));
    }
    double least = 1;
    double most = 8;
    bool any = false;
    for (const PanelPlot::Curve* curve : {&ranked, &own, &other}) {
        for (const PanelPlot::Point& point : curve->points) {
            least = std::min(least, point.x);
            most = std::max(most, point.x);
            any = any || (curve != &other && point.y > 0);
        }
    }
    if (!any) {
        return std::nullopt;
    }
    PanelPlot plot;
    plot.title = data.title;
    plot.x_label = fmt::format("operations for each number of {:g} B that a work-item reads",
                               data.roofs.bytes_per_number);
    plot.left_label = "GFLOPS";
    plot.panel_width = 560;
    plot.x_log = plot.left_log = true;
    // From a power of two below the least to one above the largest, with half an octave of room.
    plot.x_low = std::exp2(std::floor(std::log2(least) - 0.5));
    plot.x_high = std::exp2(std::ceil(std::log2(most) + 0.5));
    for (double tick = plot.x_low; tick <= plot.x_high; tick *= 2) {
        plot.x_ticks.push_back(tick);
    }
    PanelPlot::Panel panel;
    panel.curves = roof_curves(data.roofs, plot.x_low, plot.x_high);
    for (PanelPlot::Curve* curve : {&ranked, &marked, &other, &own}) {
        if (!curve->points.empty()) {
            panel.curves.push_back(std::move(*curve));
        }
    }
    plot.panels = {std::move(panel)};
    return plot;
}

RooflinePanel::RooflinePanel(Session& session)
    : PlotView(tr("Roofline of the device with the ranked configurations")), session_(session),
      job_(
          {.progressed = {},
           .finished =
               [this](const std::shared_ptr<StudyRoofline>& roofline) { show_roofline(*roofline); },
           .failed = [this](const QString& line) { show_failure(line); },
           .cancelled = {}})
{
    setObjectName("roofline_panel");
    connect(&canvas(), &PlotCanvas::point_clicked, this, &RooflinePanel::choose);
    connect(&session.selection(), &SelectedConfigurations::changed, this, &RooflinePanel::draw);
    connect(&session, &Session::study_shown, this, [this] { show_study(session_.study()); });
    connect(&session, &Session::compared, this,
            [this] { compare(session_.trace() ? nullptr : session_.kept().study); });
}

void RooflinePanel::draw()
{
    shown_.other = other_ ? simulated_point(*other_) : std::nullopt;
    shown_.other_device = other_ ? other_->request.device.name : std::string();
    if (auto plot = roofline_plot(shown_, session_.selection().schedules())) {
        show_plot(std::move(plot));
    }
}

void RooflinePanel::show_study(std::shared_ptr<const StudyResult> study)
{
    study_ = std::move(study);
    worked_out_ = false;
    if (isVisible()) {
        work_out();
    }
}

void RooflinePanel::compare(std::shared_ptr<const StudyResult> other)
{
    if (other == other_) {
        return;
    }
    other_ = std::move(other);
    draw();
}

void RooflinePanel::showEvent(QShowEvent* event)
{
    PlotView::showEvent(event);
    work_out();
}

void RooflinePanel::work_out()
{
    if (!study_ || worked_out_) {
        return;
    }
    worked_out_ = true;
    if (!canvas().plot()) {
        show_hint(tr("Placing the configurations…"));
    }
    job_.start([study = study_](const Progress&, const StopToken& stop) {
        return study_roofline(*study, stop);
    });
}

void RooflinePanel::show_roofline(const StudyRoofline& roofline)
{
    shown_ = roofline;
    if (roofline_plot(shown_)) {
        draw();
    } else {
        show_hint(tr("The study has no operations to show"));
    }
    emit roofline_shown();
}

void RooflinePanel::show_failure(const QString& line)
{
    shown_ = {};
    show_hint(line);
    emit roofline_shown();
}

void RooflinePanel::choose(const PlacedPoint& point)
{
    std::optional<Schedule> schedule;
    if (point.curve == ranked_curve) {
        schedule = shown_.ranked[point.number].schedule;
    } else if (point.curve == selected_curve) {
        schedule = points_of(shown_, session_.selection().schedules())[point.number].schedule;
    } else if (point.curve == own_curve) {
        schedule = shown_.own->schedule;
    }
    if (schedule) {
        session_.selection().set({*schedule});
        emit session_.configuration_proposed(*schedule);
    }
}

} // namespace texelscope::gui
