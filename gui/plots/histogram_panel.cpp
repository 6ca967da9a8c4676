#include "gui/plots/histogram_panel.hpp"

#include "base/error.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/study/study.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// Of each image; of a study with what its strides cost.
void add_series(std::vector<HistogramSeries>& series, const ShownResult& shown,
                const QString& which)
{
    for (const StudyImage& image : shown.launch->images) {
        if (image.histogram.accesses == 0) {
            continue; // it is not read, as what a recorded program writes
        }
        QString name = which + QString::fromStdString(image.image.name);
        if (image.pattern) {
            name += QStringLiteral(" (%1)").arg(QString::fromStdString(to_string(*image.pattern)));
        }
        series.push_back({name, image.histogram,
                          shown.study
                              ? weights_for(image.histogram, shown.study->calibration.thread)
                              : std::vector<double>{}});
    }
}

} // namespace

double HistogramSeries::weight(std::size_t bin, bool along_x) const
{
    return beta.empty() ? 0 : beta[2 * bin + (along_x ? 0 : 1)];
}

std::int64_t HistogramSeries::count(std::size_t bin, bool along_x) const
{
    return along_x ? histogram.bins[bin].x : histogram.bins[bin].y;
}

double bar_value(const HistogramSeries& series, std::size_t bin, bool along_x, HistogramValue value)
{
    const auto count = static_cast<double>(series.count(bin, along_x));
    return value == HistogramValue::strides ? count : count * series.weight(bin, along_x);
}

std::vector<double> weights_for(const CrossBlockHistogram& histogram, const LinearModel& model)
{
    const bool same = std::equal(
        histogram.bins.begin(), histogram.bins.end(), model.shapes.begin(), model.shapes.end(),
        [](const auto& bin, Extent2D shape) { return bin.block == shape; });
    return same ? model.beta : std::vector<double>{};
}

QString about_bar(const HistogramSeries& series, std::size_t bin, bool along_x)
{
    const QString strides =
        tr("%1: %2 of %3 reads leave a block of %4 texels along %5")
            .arg(series.name, count_text(series.count(bin, along_x)),
                 count_text(series.histogram.accesses), size_text(series.histogram.bins[bin].block),
                 along_x ? u"x" : u"y");
    if (series.beta.empty()) {
        return strides;
    }
    return strides +
           tr("; at %1 each by the calibrated regression: %2")
               .arg(time_text(Nanoseconds{series.weight(bin, along_x)}),
                    time_text(Nanoseconds{bar_value(series, bin, along_x, HistogramValue::time)}));
}

PanelPlot histogram_plot(const std::vector<HistogramSeries>& series, HistogramValue value)
{
    if (series.empty()) {
        throw bad_input("there is no histogram yet", "export", "run a study first");
    }
    std::vector<std::string> blocks;
    for (const auto& bin : series.front().histogram.bins) {
        blocks.push_back(size_text(bin.block).toStdString());
    }
    std::vector<std::vector<PanelPlot::Bars>> panels;
    for (const bool along_x : {true, false}) {
        std::vector<PanelPlot::Bars>& bars = panels.emplace_back();
        for (const HistogramSeries& one : series) {
            bars.push_back({one.name.toStdString(), 1, {}});
            for (std::size_t bin = 0; bin < blocks.size(); ++bin) {
                bars.back().points.push_back({0, bar_value(one, bin, along_x, value),
                                              about_bar(one, bin, along_x).toStdString()});
            }
        }
    }
    PanelPlot plot = grouped_bars(blocks, std::move(panels));
    plot.panels[0].title = "along x";
    plot.panels[1].title = "along y";
    plot.title = "Strides that leave blocks";
    plot.left_label = value == HistogramValue::strides ? "strides" : "ns by the fitted weights";
    plot.x_label = "assumed block, texels";
    plot.panel_width = 460;
    return plot;
}

HistogramPanel::HistogramPanel(Session& session)
    : value_(named_with_tip(
          new QComboBox, "histogram_value", tr("What the bars show"),
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
    view_->canvas().setAccessibleDescription(tr("How often consecutive reads of one work-item "
                                                "leave an assumed block, along x and along y"));
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
    const bool weights = std::any_of(series.begin(), series.end(),
                                     [](const auto& each) { return !each.beta.empty(); });
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
    PanelPlot plot =
        histogram_plot(series_, static_cast<HistogramValue>(value_->currentData().toInt()));
    plot.columns = 1;
    view_->show_plot(std::move(plot));
}

} // namespace texelscope::gui
