#pragma once

#include "codegen/nest/loop_nest.hpp"
#include "gui/kernel/kernel_run_view.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QSpinBox;

namespace texelscope::gui {

class EmptyHint;
class KernelRunView;
class KernelText;
class ListingView;
class OpenClDeviceBox;
class Session;

/// The kernel of a configuration: its text, how it differs from another one's, what a real compiler
/// makes of it, and its run on an OpenCL device.
class KernelPanel : public QWidget {
    Q_OBJECT

public:
    explicit KernelPanel(Session& session);

    /// Another kernel, of a study on a profile; a run of the one before is cancelled.
    void show_kernel(const Operator& op, const LoopNest& nest, const std::string& text,
                     std::uint64_t seed, const std::string& profile);
    void show_devices(const std::vector<OpenClDeviceInfo>& devices);

    /// Times and checks the kernel on the chosen device, in the background; without a kernel or a
    /// device, says what to do.
    void run();
    void cancel();
    [[nodiscard]] bool running() const { return job_.running(); }

    /// Keeps the kernel that is shown: later ones are shown as differences from it.
    void keep_for_comparison();
    void end_comparison();

    /// Writes the text to a file; an error is shown below it.
    void save(const std::string& path);

signals:
    /// A run is over: done, failed or cancelled.
    void ended();

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// What is shown, or kept for comparison.
    struct Kernel {
        Operator op;
        LoopNest nest;
        std::string text;
        std::uint64_t seed = 1;

        [[nodiscard]] std::string title() const
        {
            return nest.operator_text + " " + nest.schedule_text;
        }
    };

    void ask_and_save();
    void show_text();
    void show_buttons();
    /// The listing stands beside the text where there is room for both, else in its place.
    void place_texts();
    void end_with(const QString& line, bool error);

    Session& session_;
    std::optional<Kernel> kernel_;
    std::optional<Kernel> kept_;
    OpenClDeviceBox* device_;
    QSpinBox* samples_;
    QPushButton* run_;
    QPushButton* cancel_;
    QPushButton* copy_;
    QPushButton* save_;
    QPushButton* compare_;
    QPushButton* clear_;
    QPushButton* lists_;
    QLabel* legend_;
    KernelText* text_;
    ListingView* listing_;
    EmptyHint* hint_;
    KernelRunView* result_;
    BackgroundJob<KernelRun> job_;
};

} // namespace texelscope::gui
