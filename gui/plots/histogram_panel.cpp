#include "gui/plots/histogram_panel.hpp"

#include "experiments/study/study.hpp"
#include "gui/plots/plot_export.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
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
      view_(new HistogramView)
{
    setObjectName("histogram_panel");
    value_->addItem(tr("strides"), static_cast<int>(HistogramValue::strides));
    value_->addItem(tr("time by the fitted weights"), static_cast<int>(HistogramValue::time));
    auto* copy = tool_button(tr("Copy"), tr("Copy the histograms as a picture"));
    auto* save = tool_button(tr("Export…"), tr("Write the histograms as PNG or SVG, or their bars as CSV"));
    auto* row = new QHBoxLayout;
    row->addWidget(label_for(tr("Bars"), value_));
    row->addWidget(value_);
    row->addStretch();
    row->addWidget(copy);
    row->addWidget(save);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 2, 4, 4);
    layout->setSpacing(2);
    layout->addLayout(row);
    layout->addWidget(view_, 1);
    connect(value_, &QComboBox::currentIndexChanged, this,
            [this] { view_->show_value(static_cast<HistogramValue>(value_->currentData().toInt())); });
    connect(copy, &QToolButton::clicked, this, &HistogramPanel::copy);
    connect(save, &QToolButton::clicked, this, &HistogramPanel::ask_and_export);
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
    view_->show_series(std::move(series));
}

void HistogramPanel::export_to(const std::string& path) const
{
    write_plot(histogram_plot(view_->series(), view_->value()), path);
}

void HistogramPanel::copy()
{
    if (!view_->series().empty()) {
        copy_plot(histogram_plot(view_->series(), view_->value()));
    }
}

void HistogramPanel::ask_and_export()
{
    if (!view_->series().empty()) {
        ask_and_export_plot(*this, histogram_plot(view_->series(), view_->value()), QStringLiteral("histograms"));
    }
}

} // namespace texelscope::gui
