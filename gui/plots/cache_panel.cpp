#include "gui/plots/cache_panel.hpp"

#include "gui/plots/launch_plots.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/study/session.hpp"

#include <QShowEvent>

namespace texelscope::gui {

CachePanel::CachePanel(Session& session)
    : miss_ratios_(new PlotView(tr("Miss ratio by capacity"))),
      warps_(new PlotView(tr("Resident warps over time"))),
      stalls_(new PlotView(tr("Cycles by what they went to"))),
      job_({.progressed = {},
            .finished =
                [this](const std::shared_ptr<PanelPlot>& plot) {
                    miss_ratios_->show_plot(*plot);
                    emit miss_ratios_shown();
                },
            .failed =
                [this](const QString& line) {
                    miss_ratios_->show_hint(line);
                    emit miss_ratios_shown();
                },
            .cancelled = {}})
{
    setObjectName("cache_panel");
    setAccessibleName(tr("Cache and occupancy"));
    setDocumentMode(true);
    miss_ratios_->setObjectName("miss_ratio_plot");
    warps_->setObjectName("warps_plot");
    stalls_->setObjectName("stalls_plot");
    addTab(miss_ratios_, tr("Miss ratio"));
    addTab(warps_, tr("Resident warps"));
    addTab(stalls_, tr("Stalls"));
    connect(&session, &Session::compared, this,
            [this, &session] { show_study(session.shown().launch, session.kept().launch); });
}

void CachePanel::show_study(std::shared_ptr<const LaunchResult> study,
                            std::shared_ptr<const LaunchResult> other)
{
    study_ = std::move(study);
    other_ = std::move(other);
    counted_ = false;
    const auto show = [this](PlotView* view, const auto& plot_of) {
        const std::optional<PanelPlot> plot = plot_of(*study_);
        const std::optional<PanelPlot> compared = other_ ? plot_of(*other_) : std::nullopt;
        if (plot) {
            view->show_plot(compared ? beside(*plot, *compared) : *plot);
        } else {
            view->show_hint(tr("The launch took no cycles"));
        }
    };
    show(warps_, resident_warps_plot);
    show(stalls_, stalls_plot);
    if (isVisible()) {
        count_misses();
    }
}

void CachePanel::showEvent(QShowEvent* event)
{
    QTabWidget::showEvent(event);
    count_misses();
}

void CachePanel::count_misses()
{
    if (!study_ || counted_) {
        return;
    }
    counted_ = true;
    miss_ratios_->show_hint(tr("Counting reuse distances…"));
    job_.start([study = study_, other = other_](const Progress&, const StopToken& stop) {
        const PanelPlot plot = miss_ratio_plot(launch_miss_ratios(*study, stop));
        return other ? beside(plot, miss_ratio_plot(launch_miss_ratios(*other, stop))) : plot;
    });
}

} // namespace texelscope::gui
