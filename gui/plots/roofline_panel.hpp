#pragma once

#include "experiments/romou/romou_roofline.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/widgets/background_job.hpp"
#include "workbench/study/study.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::gui {

/// Configurations of a study under the roofs of its device. The roofline is drawn over operations
/// for each number that a work-item reads, with the roof of L1: work-items read through it.
struct StudyRoofline {
    struct Point {
        Schedule schedule;
        double intensity = 0; ///< operations for each number that a work-item reads
        double gflops = 0;
        Nanoseconds time{0};
    };
    std::string title;
    Roofline roofs;            ///< for numbers of the study's configuration
    std::vector<Point> ranked; ///< predicted, in the order of the ranking
    std::optional<Point> own;  ///< the study's configuration, simulated; nothing without cycles
    /// The configuration of another study that this one is compared with. Its device may differ;
    /// the roofs are those of this study's device.
    std::optional<Point> other;
    std::string other_device;
};

/// The study's configuration as it was simulated; nothing without cycles.
[[nodiscard]] std::optional<StudyRoofline::Point> simulated_point(const StudyResult& study);

/// Throws Interrupted where `stop` says so.
[[nodiscard]] StudyRoofline study_roofline(const StudyResult& study, const StopToken& stop = {});

/// Names of the curves whose points are configurations.
inline constexpr const char* ranked_curve = "ranked, predicted";
inline constexpr const char* own_curve = "this configuration, simulated";
inline constexpr const char* other_curve = "B, simulated";
inline constexpr const char* selected_curve = "selected";

/// The points of those configurations, in the order of the data.
[[nodiscard]] std::vector<StudyRoofline::Point> points_of(const StudyRoofline& data,
                                                          const std::vector<Schedule>& schedules);

/// The selected configurations are drawn once more, larger and above the others. Nothing where
/// there is no configuration with operations to show.
[[nodiscard]] std::optional<PanelPlot> roofline_plot(const StudyRoofline& data,
                                                     const std::vector<Schedule>& selected = {});

class Session;

/// The ranked configurations of a study under the roofs of its device. A click on a point selects
/// and proposes its configuration. Worked out in the background once the panel is seen.
class RooflinePanel : public PlotView {
    Q_OBJECT

public:
    explicit RooflinePanel(Session& session);

    void show_study(std::shared_ptr<const StudyResult> study);
    /// Shows that study's configuration as well; null: none.
    void compare(std::shared_ptr<const StudyResult> other);

signals:
    /// The plot is there, or the line that says why not.
    void roofline_shown();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void work_out();
    void show_roofline(const StudyRoofline& roofline);
    void show_failure(const QString& line);
    void draw();
    void choose(const PlacedPoint& point);

    Session& session_;
    std::shared_ptr<const StudyResult> study_;
    std::shared_ptr<const StudyResult> other_;
    bool worked_out_ = false; ///< the study's roofline is shown or under way
    StudyRoofline shown_;
    BackgroundJob<StudyRoofline> job_;
};

} // namespace texelscope::gui
