#pragma once

#include "gui/network/network_request.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <memory>
#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTableView;
class QTabWidget;

namespace texelscope::gui {

class LayersModel;
class NetworkModel;
class OpenClDeviceBox;
class PlotView;
class Session;

/// A whole network, kernel by kernel: how each is computed, where its tensors lie, its times by
/// each judge, and the memory over all of them; of a network that is trained its layers, too, with
/// their times in each pass.
///
/// Controls make a NetworkRequest, judge_network() answers it in the background, and the
/// NetworkResult is shown by two tables and two plots. A kernel that is selected in the table is
/// marked in the plots, and the other way round; a double click or Enter opens it as a study.
class NetworkPanel : public QWidget {
    Q_OBJECT

public:
    explicit NetworkPanel(Session& session);

    /// Adds an ONNX file to the choice, and judges it.
    void open(const QString& path);
    /// What is chosen, in the background.
    void run();
    void cancel() { job_.cancel(); }
    [[nodiscard]] bool running() const { return job_.running(); }
    /// Null before the first.
    [[nodiscard]] const std::shared_ptr<const NetworkResult>& result() const;

    /// Writes the table to a file; an error is shown above it.
    void export_table(const std::string& path);

signals:
    /// A run is over: done, failed or cancelled.
    void ended();

private:
    QWidget* build_controls();
    QTableView* build_table();
    QTableView* build_layers();
    QWidget* build_plots();
    void connect_parts();
    [[nodiscard]] NetworkRequest request() const;
    void show_device();
    void show_result(std::shared_ptr<const NetworkResult> result);
    void show_times();
    void fit_columns();
    void show_state();
    void mark_selected();
    void select(std::size_t kernel);
    /// The kernel that Enter opens.
    [[nodiscard]] std::optional<std::size_t> current() const;
    void study(std::size_t kernel);
    void study_current();
    void copy_table();
    void ask_and_open();
    void ask_and_export();
    void end_with(const QString& line, bool error);

    Session& session_;
    NetworkModel* model_;
    QSortFilterProxyModel* sorted_;
    LayersModel* layers_model_;
    QSortFilterProxyModel* sorted_layers_;
    QComboBox* network_;
    QSpinBox* batch_;
    QCheckBox* simulate_;
    QSpinBox* accesses_;
    OpenClDeviceBox* opencl_;
    QCheckBox* check_;
    QCheckBox* train_;
    QComboBox* loss_;
    QComboBox* bars_;
    QPushButton* run_;
    QPushButton* cancel_;
    QPushButton* study_;
    QPushButton* copy_;
    QPushButton* export_;
    QProgressBar* progress_;
    QLabel* note_;
    QLabel* summary_;
    QTabWidget* tables_;
    QTableView* table_;
    QTableView* layers_;
    PlotView* times_;
    PlotView* memory_;
    BackgroundJob<NetworkResult> job_;
};

} // namespace texelscope::gui
