#pragma once

#include "experiments/experiment.hpp"

#include <QLabel>
#include <QString>
#include <QWidget>
#include <memory>

class QTabWidget;
class QTextBrowser;

namespace texelscope::gui {

class PlotView;

/// An experiment that was run, or read from the file of an earlier run, and on what.
struct Figure {
    const Experiment* experiment = nullptr;
    ExperimentResult result;
    QString where; ///< the devices
};

/// The findings as a table of rich text: the verdict and the claim, why it does not hold, the
/// paper's value beside ours; then what was run. `dark`: the ground.
[[nodiscard]] QString findings_html(const ExperimentResult& result, bool dark);

/// One figure: its plot, its findings, its tables.
class FigureView : public QWidget {
    Q_OBJECT

public:
    explicit FigureView(QWidget* parent = nullptr);

    void show_figure(std::shared_ptr<const Figure> figure);
    /// Shows no figure, but a hint on what to do.
    void show_hint(const QString& hint);
    /// Null where none is shown.
    [[nodiscard]] const std::shared_ptr<const Figure>& figure() const { return figure_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void show_findings();

    std::shared_ptr<const Figure> figure_;
    PlotView* plot_;
    QTabWidget* tabs_;
    QTextBrowser* findings_;
};

} // namespace texelscope::gui
