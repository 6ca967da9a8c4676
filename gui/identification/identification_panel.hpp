#pragma once

#include "gui/identification/identification_view.hpp"
#include "gui/widgets/background_job.hpp"

#include <QString>
#include <QWidget>
#include <memory>
#include <string>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace texelscope::gui {

class OpenClDeviceBox;
class Session;

/// Recovers texture layout and cache from pointer chases: those of files, or of a device that is
/// measured here. It is the window's side of the command `identify`.
class IdentificationPanel : public QWidget {
    Q_OBJECT

public:
    explicit IdentificationPanel(Session& session);

    /// Identifies measured walks in the background; `latencies` empty: the file beside them
    /// (latencies_beside()). The image is that of the field, or where it is empty the least that
    /// holds the walks.
    void open(const std::string& walks, const std::string& latencies);
    /// Measures the study's device, simulated, or the OpenCL device that is chosen.
    void measure();
    void cancel() { job_.cancel(); }
    [[nodiscard]] bool running() const { return job_.running(); }

signals:
    void ended();

private:
    QWidget* build_row();
    void ask_and_open();
    /// Throws bad_input where the field is none.
    [[nodiscard]] std::optional<Image> image() const;
    void start(BackgroundJob<IdentifiedCache>::Work work);
    void show_state();
    void end_with(const QString& line, bool error);

    Session& session_;
    QPushButton* open_;
    QLineEdit* image_;
    OpenClDeviceBox* device_;
    QSpinBox* walks_;
    QPushButton* measure_;
    QPushButton* cancel_;
    QProgressBar* progress_;
    QLabel* note_;
    IdentificationView* view_;
    BackgroundJob<IdentifiedCache> job_;
};

} // namespace texelscope::gui
