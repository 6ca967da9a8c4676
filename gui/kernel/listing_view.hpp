#pragma once

#include "devices/compilers/compiled_kernel.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <optional>
#include <string>

class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace texelscope::gui {

class EmptyHint;

/// What the real compiler of a GPU makes of a kernel: what it says of registers, warps and spills,
/// and its listing, in which texture reads, waits for them and spills are marked. It compiles in
/// the background and only where it can be seen, because a compilation takes up to seconds.
class ListingView : public QWidget {
    Q_OBJECT

public:
    explicit ListingView(QWidget* parent = nullptr);

    /// Another kernel, for the GPU that a profile is about; what is compiled for the one before is
    /// dropped.
    void show_kernel(const std::string& text, const std::string& profile);
    /// Compiles what is shown; without a compiler for it, says so.
    void compile();
    void cancel();
    [[nodiscard]] bool running() const { return job_.running(); }
    [[nodiscard]] QSize sizeHint() const override { return {380, 300}; } // as the text beside it

signals:
    void started();
    void compiled(const texelscope::devices::CompiledKernel& kernel);
    /// Compiling is over: done, failed or cancelled.
    void ended();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void end_with(const QString& line);
    void show_compiled();
    void colour_lines();
    void show_state();

    std::string text_; ///< empty: no kernel yet
    std::string profile_;
    bool compiled_ = false; ///< or tried, or under way: else once the view is seen
    std::optional<CompiledKernel> kernel_;
    QLabel* summary_;
    QLabel* spills_;
    QLabel* legend_;
    QProgressBar* progress_;
    QPushButton* cancel_;
    QPushButton* again_;
    QPlainTextEdit* listing_;
    EmptyHint* hint_;
    BackgroundJob<CompiledKernel> job_;
};

} // namespace texelscope::gui
