#pragma once

#include "workbench/plots/panel_plot.hpp"

#include <QString>
#include <QWidget>
#include <functional>
#include <optional>
#include <string>

namespace texelscope::gui {

/// One row for each point: panel, series, x, y, about. Texts as RFC 4180 has them.
[[nodiscard]] std::string plot_csv(const PanelPlot& plot);

/// As the file's name ends: .png, .svg or .csv. Throws bad_input for another one, and where the
/// file cannot be written.
void write_plot(const PanelPlot& plot, const std::string& path);
/// Copies the plot to the clipboard as a picture.
void copy_plot(const PanelPlot& plot);

/// Asks for a file and writes the plot; a box says what goes wrong. `name`: of the file that is
/// proposed, without its end.
void ask_and_export_plot(QWidget& parent, const PanelPlot& plot, const QString& name);

/// Gives a widget a context menu that copies and exports what it shows. `plot`: of that moment;
/// nothing where there is none.
void add_plot_export(QWidget& view, std::function<std::optional<PanelPlot>()> plot,
                     const QString& name);

} // namespace texelscope::gui
