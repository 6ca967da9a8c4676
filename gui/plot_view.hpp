#pragma once

#include "gui/plot_canvas.hpp"

#include <string>

class QLabel;

namespace texelscope {

/// One row for each point: panel, series, x, y, about. Texts as RFC 4180 has them.
[[nodiscard]] std::string plot_csv(const PanelPlot& plot);

/// As the file's name ends: .png, .svg or .csv. Throws bad_input for another one, and where the file cannot be written.
void write_plot(const PanelPlot& plot, const std::string& path);
/// To the clipboard, as a picture.
void copy_plot(const PanelPlot& plot);

/// A plot under its title, with what copies and exports it.
class PlotView : public QWidget {
    Q_OBJECT

public:
    /// `name`: what screen readers call it.
    explicit PlotView(const QString& name, QWidget* parent = nullptr);

    void show_plot(std::optional<PanelPlot> plot);
    /// Without a plot, and why, or what to do.
    void show_hint(const QString& hint);
    [[nodiscard]] PlotCanvas& canvas() { return *canvas_; }

    /// As the file's name ends: .png, .svg or .csv. Throws bad_input for another one, without a plot, and where the file
    /// cannot be written.
    void export_to(const std::string& path) const;
    /// A picture to the clipboard.
    void copy() const;

private:
    void ask_and_export();

    QLabel* title_;
    PlotCanvas* canvas_;
};

} // namespace texelscope
