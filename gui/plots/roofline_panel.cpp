#include "gui/plots/roofline_panel.hpp"

#include "gui/study/session.hpp"

#include <QShowEvent>

namespace texelscope::gui {

RooflinePanel::RooflinePanel(Session& session)
    : PlotView(tr("Roofline of the device with the ranked configurations")), session_(session),
      job_({.progressed = {},
            .finished = [this](const std::shared_ptr<StudyRoofline>& roofline) { show_roofline(*roofline); },
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
    job_.start([study = study_](const Progress&, const StopToken& stop) { return study_roofline(*study, stop); });
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
