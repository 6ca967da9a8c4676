#pragma once

#include "gui/plots/plot_view.hpp"
#include "gui/plots/study_roofline.hpp"
#include "gui/widgets/background_job.hpp"

#include <memory>

namespace texelscope::gui {

class Session;

/// The ranked configurations of a study under the roofs of its device. A click on a point selects and proposes its configuration.
/// Worked out in the background once the panel is seen.
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
