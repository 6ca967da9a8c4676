#include "gui/plots/plot_view.hpp"

#include "base/error.hpp"
#include "gui/plots/plot_export.hpp"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace texelscope::gui {
namespace {

QToolButton* button_of(QAction* action, const QString& name)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    return button;
}

} // namespace

PlotView::PlotView(const QString& name, QWidget* parent)
    : QWidget(parent), title_(new QLabel), canvas_(new PlotCanvas)
{
    setAccessibleName(name);
    canvas_->setAccessibleName(name);
    canvas_->setAccessibleDescription(
        tr("Wheel: zoom along x. Drag: move. Double click: show all."));
    title_->setObjectName("plot_title");
    // a long title must not widen the dock
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

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
    if (const std::optional<PanelPlot> plot = canvas_->plot()) {
        ask_and_export_plot(*this, *plot, QStringLiteral("plot"));
    }
}

} // namespace texelscope::gui
