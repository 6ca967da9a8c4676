#include "gui/figures/figure_view.hpp"

#include "base/atomic_file.hpp"
#include "gui/figures/experiment_model.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/result_table_model.hpp"
#include "gui/widgets/theme.hpp"

#include <QAction>
#include <QEvent>
#include <QSplitter>
#include <QTabWidget>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <utility>

namespace texelscope::gui {
namespace {

QString html_of(const std::string& text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

/// In words and in colour, for those who see it.
QString verdict_html(Verdict verdict, bool dark)
{
    const char* colour = verdict == Verdict::holds           ? (dark ? "#3ccfa5" : "#007a59")
                         : verdict == Verdict::does_not_hold ? (dark ? "#ff9a4d" : "#b34f00")
                                                             : "gray";
    return QStringLiteral("<b style=\"color:%1\">%2</b>").arg(colour, html_of(to_string(verdict)));
}

ResultTableView* table_view(const QString& name, const QString& title, const ResultTable& table)
{
    auto* view = new ResultTableView("figure_table", title, name + QStringLiteral(".csv"));
    view->set_table(table);
    return view;
}

} // namespace

QString findings_html(const ExperimentResult& result, bool dark)
{
    QString html =
        QStringLiteral(
            "<table width=\"100%\" cellpadding=\"4\" cellspacing=\"0\">"
            "<tr><th align=\"left\">%1</th><th align=\"left\">%2</th><th align=\"left\">%3</th>"
            "<th align=\"left\">%4</th></tr>")
            .arg(tr("Verdict"), tr("Finding"), tr("Paper"), tr("Here"));
    for (const Finding& finding : result.findings) {
        const QString why =
            finding.explanation.empty()
                ? QString()
                : QStringLiteral("<br><i>%1</i> %2").arg(tr("Why:"), html_of(finding.explanation));
        html +=
            QStringLiteral(
                "<tr><td width=\"12%\">%1</td><td width=\"40%\">%2%3</td><td width=\"20%\">%4</td>"
                "<td width=\"28%\">%5</td></tr>")
                .arg(verdict_html(finding.verdict, dark), html_of(finding.claim), why,
                     html_of(finding.paper), html_of(finding.ours));
    }
    html +=
        QStringLiteral("</table><p><b>%1</b></p><table cellpadding=\"2\">").arg(tr("What was run"));
    for (const auto& [name, value] : result.conditions) {
        html +=
            QStringLiteral("<tr><td>%1</td><td>%2</td></tr>").arg(html_of(name), html_of(value));
    }
    return html + QStringLiteral("</table>");
}

FigureView::FigureView(QWidget* parent)
    : QWidget(parent), plot_(new PlotView(tr("Plot of the experiment"))), tabs_(new QTabWidget),
      findings_(named(new QTextBrowser(this), "figure_findings",
                      tr("Findings of the paper, and what became of them")))
{
    plot_->setObjectName("figure_plot");
    tabs_->setObjectName("figure_tabs");
    tabs_->setDocumentMode(true);
    findings_->setOpenLinks(false);
    findings_->hide(); // until it is in a tab
    auto* save = new QAction(tr("Export…"), findings_);
    connect(save, &QAction::triggered, this, [this] {
        if (figure_) {
            ask_and_write(this, tr("Export the findings"), QStringLiteral("findings.txt"),
                          tr("Text (*.txt)"), [this](const std::string& path) {
                              write_file_atomically(path, findings_text(figure_->result));
                          });
        }
    });
    auto* copy = new QAction(tr("Copy"), findings_);
    connect(copy, &QAction::triggered, findings_, &QTextBrowser::copy);
    findings_->addActions({copy, save});
    findings_->setContextMenuPolicy(Qt::ActionsContextMenu);

    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(plot_);
    parts->addWidget(tabs_);
    parts->setStretchFactor(0, 1);
    parts->setStretchFactor(1, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(parts);
    tabs_->hide();
}

void FigureView::show_figure(std::shared_ptr<const Figure> figure)
{
    figure_ = std::move(figure);
    const ExperimentResult& result = figure_->result;
    plot_->show_plot(result.plot);
    while (tabs_->count() > 0) {
        QWidget* page = tabs_->widget(0);
        tabs_->removeTab(0);
        // The findings are one widget for good; pages of tables are made anew for each figure.
        if (page != findings_) {
            delete page;
        }
    }
    const FindingCounts counts = counted(result.findings);
    tabs_->addTab(findings_,
                  (counts.not_tested > 0 ? tr("Findings: %1 hold, %2 do not, %3 not tested")
                                         : tr("Findings: %1 hold, %2 do not"))
                      .arg(counts.hold)
                      .arg(counts.do_not)
                      .arg(counts.not_tested));
    const QString name = text_of(figure_->experiment->name);
    tabs_->addTab(table_view(name, tr("Data"), result.table), tr("Data"));
    for (const ExperimentResult::FurtherTable& further : result.further) {
        const QString title = QString::fromStdString(further.title);
        const QString tab = QString::fromStdString(further.name);
        const int index = tabs_->addTab(table_view(name + u'-' + tab, title, further.table), tab);
        tabs_->setTabToolTip(index, title);
    }
    show_findings();
    findings_->show();
    tabs_->show();
}

void FigureView::show_hint(const QString& hint)
{
    figure_.reset();
    plot_->show_hint(hint);
    tabs_->hide();
}

void FigureView::show_findings()
{
    if (figure_) {
        findings_->setHtml(findings_html(figure_->result, is_dark(palette())));
    }
}

void FigureView::changeEvent(QEvent* event)
{
    // Colours of the verdicts are in the text, so a change of theme writes it anew.
    if (event->type() == QEvent::PaletteChange) {
        show_findings();
    }
    QWidget::changeEvent(event);
}

} // namespace texelscope::gui
