#include "gui/plots/plot_export.hpp"

#include "base/atomic_file.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "gui/plots/drawing_painter.hpp"
#include "gui/widgets/controls.hpp"

#include <fmt/format.h>

#include <QAction>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMessageBox>
#include <cmath>

namespace texelscope::gui {
namespace {

constexpr double pixels_per_unit = 2;

std::string to_png(const QImage& image)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes.toStdString();
}

} // namespace

std::string plot_csv(const PanelPlot& plot)
{
    std::string csv = "panel,series,x,y,about\n";
    const auto add = [&](const PanelPlot::Panel& panel, const auto& series) {
        for (const PanelPlot::Point& point : series.points) {
            if (std::isfinite(point.y)) { // else the plot does not show it
                csv +=
                    fmt::format("{},{},{},{},{}\n", csv_field(panel.title), csv_field(series.name),
                                point.x, point.y, csv_field(point.about));
            }
        }
    };
    for (const PanelPlot::Panel& panel : plot.panels) {
        for (const PanelPlot::Bars& bars : panel.bars) {
            add(panel, bars);
        }
        for (const PanelPlot::Curve& curve : panel.curves) {
            add(panel, curve);
        }
    }
    return csv;
}

void write_plot(const PanelPlot& plot, const std::string& path)
{
    if (path.ends_with(".png")) {
        write_file_atomically(path, to_png(image_of(draw(plot), pixels_per_unit)));
    } else if (path.ends_with(".svg")) {
        write_file_atomically(path, to_svg(draw(plot), plot.title));
    } else if (path.ends_with(".csv")) {
        write_file_atomically(path, plot_csv(plot));
    } else {
        throw bad_input("plots are written as PNG, SVG or CSV", path,
                        "end the name in .png, .svg or .csv");
    }
}

void copy_plot(const PanelPlot& plot)
{
    QGuiApplication::clipboard()->setImage(image_of(draw(plot), pixels_per_unit));
}

void ask_and_export_plot(QWidget& parent, const PanelPlot& plot, const QString& name)
{
    const QString path = QFileDialog::getSaveFileName(
        &parent, tr("Export the plot"), name + QStringLiteral(".png"),
        tr("PNG pictures (*.png);;SVG drawings (*.svg);;CSV tables (*.csv)"));
    if (path.isEmpty()) {
        return;
    }
    try {
        write_plot(plot, path.toStdString());
    } catch (const std::exception& error) {
        QMessageBox::warning(&parent, tr("Export the plot"), error.what());
    }
}

void add_plot_export(QWidget& view, std::function<std::optional<PanelPlot>()> plot,
                     const QString& name)
{
    auto* copy = new QAction(tr("Copy"), &view);
    QObject::connect(copy, &QAction::triggered, &view, [plot] {
        if (const auto shown = plot()) {
            copy_plot(*shown);
        }
    });
    auto* save = new QAction(tr("Export…"), &view);
    QObject::connect(save, &QAction::triggered, &view, [&view, plot, name] {
        if (const auto shown = plot()) {
            ask_and_export_plot(view, *shown, name);
        }
    });
    view.addActions({copy, save});
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace texelscope::gui
