#pragma once

#include "experiments/experiment.hpp"
#include "gui/figures/figure_view.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

class QComboBox;
class QLabel;
class QModelIndex;
class QProgressBar;
class QPushButton;
class QTreeView;

namespace texelscope::gui {

class ExperimentModel;
class OpenClDeviceBox;
class Session;

/// The papers' figures and tables, done again: a list of them, what each needs to run, and the
/// result of its last run. It is the window's side of the command `experiment`.
class FiguresPanel : public QWidget {
    Q_OBJECT

public:
    explicit FiguresPanel(Session& session);

    /// Shows that experiment. Throws bad_input where there is none of that name.
    void choose(const std::string& name);
    /// Shows a result that was written before (read_experiment_file()), in place of the last one of
    /// its experiment.
    void open(const std::string& path);
    /// The chosen one, in the background.
    void run();
    void cancel() { job_.cancel(); }
    [[nodiscard]] bool running() const { return job_.running(); }
    [[nodiscard]] const Experiment& chosen() const { return *chosen_; }

signals:
    void ended();

private:
    /// Which devices an experiment runs on: the study's, its own (that of the paper, or the only
    /// one it can be done for), or all built-in ones.
    enum class On { study, own, all };

    QWidget* build_side();
    void show_chosen();
    void show_devices_of(const Experiment& experiment);
    [[nodiscard]] std::vector<DeviceProfile> devices() const;
    void ask_and_open();
    void show_figure(const std::shared_ptr<Figure>& figure, const QString& note);
    void show_state();
    void end_with(const QString& line, bool error);

    Session& session_;
    ExperimentModel* model_;
    QTreeView* list_;
    QLabel* about_;
    QComboBox* device_;
    OpenClDeviceBox* opencl_;
    QWidget* opencl_row_;
    QPushButton* run_;
    QPushButton* cancel_;
    QProgressBar* progress_;
    QLabel* note_;
    FigureView* view_;
    const Experiment* chosen_;
    /// The last result of each experiment, by its name.
    std::map<std::string_view, std::shared_ptr<const Figure>> figures_;
    BackgroundJob<Figure> job_;
};

} // namespace texelscope::gui
