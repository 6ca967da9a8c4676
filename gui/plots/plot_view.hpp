#pragma once

#include "gui/plots/plot_canvas.hpp"

#include <string>

class QLabel;

namespace texelscope::gui {

/// A plot under its title, with what copies and exports it: the frame that most docks show plots
/// in.
class PlotView : public QWidget {
    Q_OBJECT

public:
    /// `name`: what screen readers call it.
    explicit PlotView(const QString& name, QWidget* parent = nullptr);

    void show_plot(std::optional<PanelPlot> plot);
    /// Shows no plot, but a hint: why there is none, or what to do.
    void show_hint(const QString& hint);
    [[nodiscard]] PlotCanvas& canvas() { return *canvas_; }

    /// As the file's name ends: .png, .svg or .csv. Throws bad_input for another one, without a
    /// plot, and where the file cannot be written.
    void export_to(const std::string& path) const;
    /// A picture to the clipboard.
    void copy() const;

private:
    void ask_and_export();

    QLabel* title_;
    PlotCanvas* canvas_;
};

} // namespace texelscope::gui
