#include "gui/probes/probe_view.hpp"

#include "gui/plots/plot_view.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/result_table_model.hpp"
#include "workbench/probes/probe_plot.hpp"

#include <fmt/format.h>

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStringList>
#include <QVBoxLayout>

namespace texelscope::gui {
namespace {

/// What a probe concludes; an interval is what the samples leave possible.
ResultTable findings_table(const ProbeResult& result)
{
    ResultTable table{{"key", "value", "unit", "interval", "how"}, {}};
    for (const ProbeFinding& finding : result.findings) {
        table.rows.push_back({finding.key, finding.value, finding.unit,
                              finding.interval
                                  ? fmt::format("{:.4g} to {:.4g}", finding.interval->first,
                                                finding.interval->second)
                                  : std::string(),
                              finding.how});
    }
    return table;
}

} // namespace

ProbeView::ProbeView(QWidget* parent)
    : QWidget(parent), choice_(named(new QComboBox, "probe_choice", tr("Plot of the probe"))),
      plot_(new PlotView(tr("Plot of a probe"))),
      findings_(new ResultTableView("probe_findings", tr("What the probe found"), "probe.csv")),
      notes_(text_label("probe_notes", tr("What the samples do not tell"))), below_(new QWidget)
{
    plot_->setObjectName("probe_plot");
    choice_->setSizeAdjustPolicy(
        QComboBox::AdjustToMinimumContentsLengthWithIcon); // long names must not widen the dock
    notes_->setWordWrap(true);
    auto* above = new QWidget;
    auto* plots = new QVBoxLayout(above);
    plots->setContentsMargins(0, 0, 0, 0);
    plots->addWidget(choice_);
    plots->addWidget(plot_, 1);
    auto* found = new QVBoxLayout(below_);
    found->setContentsMargins(0, 0, 0, 0);
    found->addWidget(findings_, 1);
    found->addWidget(notes_);
    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(above);
    parts->addWidget(below_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(parts);
    connect(choice_, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (index >= 0) {
            plot_->show_plot(plots_[static_cast<std::size_t>(index)].plot);
        }
    });
    show_hint({});
}

void ProbeView::show_record(const Probe& probe, const ProbeRecord& record,
                            const std::string& device)
{
    choice_->clear();
    plots_ = record.status == ProbeRecord::Status::done ? plots_of(probe, record.result, device)
                                                        : std::vector<ProbePlot>();
    plot_->show_hint(record.reason.empty()
                         ? tr("This probe has no plots")
                         : QString::fromStdString(to_string(record.status) + ": " + record.reason));
    for (const ProbePlot& plot : plots_) {
        choice_->addItem(QString::fromStdString(plot.name));
    }
    choice_->setVisible(plots_.size() > 1);
    findings_->set_table(findings_table(record.result));
    findings_->horizontalHeader()->setStretchLastSection(true);
    QStringList notes;
    for (const std::string& note : record.result.notes) {
        notes << QString::fromStdString(note);
    }
    notes_->setText(notes.join(u'\n'));
    notes_->setVisible(!notes.isEmpty());
    below_->setVisible(!record.result.findings.empty() || !notes.isEmpty());
}

void ProbeView::show_hint(const QString& hint)
{
    plots_.clear();
    choice_->clear();
    choice_->hide();
    plot_->show_hint(hint);
    below_->hide();
}

} // namespace texelscope::gui
