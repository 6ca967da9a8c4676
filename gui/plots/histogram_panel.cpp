#include "gui/plots/histogram_panel.hpp"

#include "experiments/study/study.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// Of each image; of a study with what its strides cost.
void add_series(std::vector<HistogramSeries>& series, const ShownResult& shown, const QString& which)
{
    for (const StudyImage& image : shown.launch->images) {
        QString name = which + QString::fromStdString(image.image.name);
        if (image.pattern) {
            name += QStringLiteral(" (%1)").arg(QString::fromStdString(to_string(*image.pattern)));
        }
        series.push_back(
            {name, image.histogram,
             shown.study ? weights_for(image.histogram, shown.study->calibration.thread) : std::vector<double>{}});
    }
}

} // namespace

HistogramPanel::HistogramPanel(Session& session)
    : value_(named_with_tip(new QComboBox, "histogram_value", tr("What the bars show"),
                            tr("How many strides leave a block, or what these cost by the calibrated regression"))),
      view_(new PlotView(tr("Cross-block histograms")))
{
    setObjectName("histogram_panel");
    value_->addItem(tr("strides"), static_cast<int>(HistogramValue::strides));
    value_->addItem(tr("time by the fitted weights"), static_cast<int>(HistogramValue::time));
    auto* row = new QHBoxLayout;
    row->addWidget(label_for(tr("Bars"), value_));
    row->addWidget(value_);
    row->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addWidget(view_, 1);
    view_->canvas().setAccessibleDescription(
        tr("How often consecutive reads of one work-item leave an assumed block, along x and along y"));
    connect(value_, &QComboBox::currentIndexChanged, this, &HistogramPanel::refresh);
    refresh();
    connect(&session, &Session::compared, this, [this, &session] {
        std::vector<HistogramSeries> series;
        add_series(series, session.shown(), {});
        if (session.kept().launch) {
            add_series(series, session.kept(), tr("of B: "));
        }
        show_series(std::move(series));
    });
}

void HistogramPanel::show_series(std::vector<HistogramSeries> series)
{
    const bool weights = std::any_of(series.begin(), series.end(), [](const auto& each) { return !each.beta.empty(); });
    value_->setEnabled(weights);
    if (!weights) {
        value_->setCurrentIndex(0);
    }
    series_ = std::move(series);
    refresh();
}

void HistogramPanel::refresh()
{
    if (series_.empty()) {
        view_->show_hint(tr("No study yet.\nRun one (F5) to see the strides of its reads."));
        return;
    }
    PanelPlot plot = histogram_plot(series_, static_cast<HistogramValue>(value_->currentData().toInt()));
    plot.stacked = true;
    view_->show_plot(std::move(plot));
}

} // namespace texelscope::gui
