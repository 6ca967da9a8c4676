#pragma once

#include "gui/widgets/background_job.hpp"
#include "workbench/plots/miss_ratio_plot.hpp"
#include "workbench/study/launch_result.hpp"

#include <QTabWidget>
#include <memory>

namespace texelscope::gui {

class PlotView;
class Session;

/// How a study's launch used the caches and filled the cores: miss ratio by capacity, resident
/// warps over time, cycles by what they went to. Miss ratios need every reuse distance and are
/// slow, so they are counted in the background once the panel is seen.
class CachePanel : public QTabWidget {
    Q_OBJECT

public:
    explicit CachePanel(Session& session);

    /// `other`: a launch to compare with, whose plots come beside; null: none.
    void show_study(std::shared_ptr<const LaunchResult> study,
                    std::shared_ptr<const LaunchResult> other = nullptr);

signals:
    /// The miss ratios are there, or the line that says why not.
    void miss_ratios_shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void count_misses();

    std::shared_ptr<const LaunchResult> study_;
    std::shared_ptr<const LaunchResult> other_;
    bool counted_ = false; ///< the study's miss ratios are shown or under way
    PlotView* miss_ratios_;
    PlotView* warps_;
    PlotView* stalls_;
    BackgroundJob<PanelPlot> job_;
};

} // namespace texelscope::gui
