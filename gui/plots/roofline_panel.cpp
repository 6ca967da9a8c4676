#include "gui/plots/roofline_panel.hpp"

#include <QShowEvent>

namespace texelscope::gui {

RooflinePanel::RooflinePanel(QWidget* parent)
    : PlotView(tr("Roofline of the device with the ranked configurations"), parent),
      selection_(new SelectedConfigurations(this)),
      job_({.progressed = [](const QString&, double) {},
            .finished = [this](const std::shared_ptr<StudyRoofline>& roofline) { show_roofline(*roofline); },
            .failed = [this](const QString& line) { show_failure(line); },
            .cancelled = [] {}})
{
    setObjectName("roofline_panel");
    connect(&canvas(), &PlotCanvas::point_clicked, this, &RooflinePanel::choose);
    connect(selection_, &SelectedConfigurations::changed, this, &RooflinePanel::draw);
}

void RooflinePanel::link(SelectedConfigurations& selection)
{
    disconnect(selection_, nullptr, this, nullptr);
    selection_ = &selection;
    connect(selection_, &SelectedConfigurations::changed, this, &RooflinePanel::draw);
    draw();
}

void RooflinePanel::draw()
{
    shown_.other = other_ ? simulated_point(*other_) : std::nullopt;
    shown_.other_device = other_ ? other_->request.device.name : std::string();
    if (auto plot = roofline_plot(shown_, selection_->schedules())) {
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
        schedule = points_of(shown_, selection_->schedules())[point.number].schedule;
    } else if (point.curve == own_curve) {
        schedule = shown_.own->schedule;
    }
    if (schedule) {
        selection_->set({*schedule});
        emit configuration_chosen(*schedule);
    }
}

} // namespace texelscope::gui
