#include "gui/roofline_panel.hpp"

#include <QShowEvent>

namespace texelscope {

RooflinePanel::RooflinePanel(QWidget* parent)
    : PlotView(tr("Roofline of the device with the ranked configurations"), parent),
      job_([this](std::optional<StudyRoofline> roofline, const std::string& error) {
          show_roofline(std::move(roofline), error);
      })
{
    setObjectName("roofline_panel");
    connect(&canvas(), &PlotCanvas::point_clicked, this, &RooflinePanel::choose);
}

void RooflinePanel::show_study(std::shared_ptr<const StudyResult> study)
{
    study_ = std::move(study);
    worked_out_ = false;
    if (isVisible()) {
        work_out();
    }
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
    job_.start([study = study_](const StopToken& stop) { return study_roofline(*study, stop); });
}

void RooflinePanel::show_roofline(std::optional<StudyRoofline> roofline, const std::string& error)
{
    shown_ = roofline ? std::move(*roofline) : StudyRoofline{};
    std::optional<PanelPlot> plot = roofline ? roofline_plot(shown_) : std::nullopt;
    if (plot) {
        show_plot(std::move(plot));
    } else {
        show_hint(error.empty() ? tr("The study has no operations to show") : QString::fromStdString(error));
    }
    emit roofline_shown();
}

void RooflinePanel::choose(const PlacedPoint& point)
{
    if (point.curve == ranked_curve) {
        emit configuration_chosen(shown_.ranked[point.number].schedule);
    } else if (point.curve == own_curve) {
        emit configuration_chosen(shown_.own->schedule);
    }
}

} // namespace texelscope
