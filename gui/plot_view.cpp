#include "gui/plot_view.hpp"

#include "experiments/csv.hpp"
#include "gui/drawing_painter.hpp"
#include "traces/atomic_file.hpp"
#include "traces/error.hpp"

#include <fmt/format.h>

#include <QAction>
#include <QBuffer>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMessageBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

namespace texelscope {
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

QToolButton* button_of(QAction* action, const QString& name)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    return button;
}

} // namespace

std::string plot_csv(const PanelPlot& plot)
{
    std::string csv = "panel,series,x,y,about\n";
    const auto add = [&](const PanelPlot::Panel& panel, const auto& series) {
        for (const PanelPlot::Point& point : series.points) {
            if (std::isfinite(point.y)) { // else the plot does not show it
                csv += fmt::format("{},{},{},{},{}\n", csv_field(panel.title), csv_field(series.name), point.x, point.y,
                                   csv_field(point.about));
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
        throw bad_input("plots are written as PNG, SVG or CSV", path, "end the name in .png, .svg or .csv");
    }
}

void copy_plot(const PanelPlot& plot)
{
    QGuiApplication::clipboard()->setImage(image_of(draw(plot), pixels_per_unit));
}

PlotView::PlotView(const QString& name, QWidget* parent) : QWidget(parent), title_(new QLabel), canvas_(new PlotCanvas)
{
    setAccessibleName(name);
    canvas_->setAccessibleName(name);
    canvas_->setAccessibleDescription(tr("Wheel: zoom along x. Drag: move. Double click: show all."));
    title_->setObjectName("plot_title");
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // a long title must not widen the dock

    auto* copy = new QAction(tr("Copy"), this);
    copy->setToolTip(tr("Copy the plot as a picture"));
    connect(copy, &QAction::triggered, this, &PlotView::copy);
    auto* save = new QAction(tr("Export…"), this);
    save->setToolTip(tr("Write the plot as PNG or SVG, or its points as CSV"));
    connect(save, &QAction::triggered, this, &PlotView::ask_and_export);
    auto* all = new QAction(tr("Show all"), this);
    connect(all, &QAction::triggered, canvas_, &PlotCanvas::show_all);
    canvas_->addActions({copy, save, all});
    canvas_->setContextMenuPolicy(Qt::ActionsContextMenu);

    auto* row = new QHBoxLayout;
    row->addWidget(title_, 1);
    row->addWidget(button_of(copy, tr("Copy: %1").arg(name)));
    row->addWidget(button_of(save, tr("Export: %1").arg(name)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addWidget(canvas_, 1);
    show_plot(std::nullopt);
}

void PlotView::show_plot(std::optional<PanelPlot> plot)
{
    const QString title = plot ? QString::fromStdString(plot->title) : QString();
    title_->setText(title);
    title_->setToolTip(title);
    for (QAction* action : canvas_->actions()) {
        action->setEnabled(plot.has_value());
    }
    canvas_->show_plot(std::move(plot));
}

void PlotView::show_hint(const QString& hint)
{
    show_plot(std::nullopt);
    canvas_->set_hint(hint);
}

void PlotView::export_to(const std::string& path) const
{
    const std::optional<PanelPlot> plot = canvas_->plot();
    if (!plot) {
        throw bad_input("there is no plot to export", path);
    }
    write_plot(*plot, path);
}

void PlotView::copy() const
{
    if (const std::optional<PanelPlot> plot = canvas_->plot()) {
        copy_plot(*plot);
    }
}

void PlotView::ask_and_export()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export plot"), "plot.png", tr("PNG pictures (*.png);;SVG drawings (*.svg);;CSV tables (*.csv)"));
    if (path.isEmpty()) {
        return;
    }
    try {
        export_to(path.toStdString());
    } catch (const std::exception& error) {
        QMessageBox::warning(this, tr("Export plot"), error.what());
    }
}

} // namespace texelscope
