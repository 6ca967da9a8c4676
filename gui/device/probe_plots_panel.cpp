#include "gui/device/probe_plots_panel.hpp"

#include "gui/plots/plot_view.hpp"

#include <QComboBox>
#include <QVBoxLayout>

namespace texelscope::gui {

ProbePlotsPanel::ProbePlotsPanel(QWidget* parent)
    : QWidget(parent), choice_(new QComboBox), view_(new PlotView(tr("Plot of a probe")))
{
    choice_->setObjectName("probe_choice");
    choice_->setAccessibleName(tr("Probe and plot"));
    choice_->setSizeAdjustPolicy(
        QComboBox::AdjustToMinimumContentsLengthWithIcon); // long names must not widen the dock
    view_->setObjectName("probe_plot");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(choice_);
    layout->addWidget(view_, 1);
    connect(choice_, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0) {
            view_->show_plot(kept_.plots[static_cast<std::size_t>(index)].plot);
        }
    });
}

void ProbePlotsPanel::open_folder(const std::string& path)
{
    kept_ = read_probe_plots(path);
    choice_->clear();
    view_->show_hint(tr("The probes of this folder have no plots"));
    for (const ProbePlot& plot : kept_.plots) {
        choice_->addItem(QString::fromStdString(plot.name));
    }
}

} // namespace texelscope::gui
