#include "gui/identification/identification_view.hpp"

#include "base/error.hpp"
#include "gui/plots/plot_view.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/result_table_model.hpp"
#include "model/walks/walk_file.hpp"
#include "workbench/probes/identification_plots.hpp"
#include "workbench/probes/identification_tables.hpp"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <utility>

namespace texelscope::gui {
namespace {

/// What was found, as rich text, and of a simulated device the truth beside it.
QString summary_text(const Identified& found)
{
    std::string text = identification_summary(found.rounds.measured, found.rounds.identification);
    if (found.simulated) {
        const bool all = found.simulated->found;
        // "Found" alone would say too much where other caches miss on the same walks.
        const bool only =
            all && found.rounds.identification.explanations.front().equivalents.size() <= 1;
        const bool but_for_one = found.simulated->found_but_for_replacement;
        text += "the simulated device has " + workbench::probes::to_text(found.simulated->truth) +
                ": " +
                (only          ? "found"
                 : all         ? "found, as one of those that these walks cannot tell apart"
                 : but_for_one ? "found, but for the replacement"
                               : "not found");
    }
    const MeasuredWalks& measured = found.rounds.measured;
    const QString best =
        QString::fromStdString(
            workbench::probes::to_text(found.rounds.identification.explanations.front().cache))
            .toHtmlEscaped();
    QString lines = tr("%1, through %2×%3 texels of %4")
                        .arg(QString::fromStdString(found.origin))
                        .arg(measured.extent.width)
                        .arg(measured.extent.height)
                        .arg(bytes_text(measured.bytes_per_texel)) +
                    u'\n' + QString::fromStdString(text);
    lines = lines.trimmed().replace("\n\n", "\n").toHtmlEscaped();
    lines.replace(u'\n' + best, u'\n' + tr("best candidate: ") + "<b>" + best + "</b>");
    return lines.replace(u'\n', "<br>");
}

} // namespace

IdentificationView::IdentificationView(QWidget* parent)
    : QWidget(parent), summary_(text_label("identification_summary", tr("What was found"))),
      plots_(new QTabWidget), walks_(new PlotView(tr("Latency of the walks"))),
      fit_(new PlotView(tr("Fitted over measured latency"))), tables_(new QTabWidget)
{
    summary_->setWordWrap(true);
    summary_->setTextFormat(Qt::RichText);
    walks_->setObjectName("walks_plot");
    fit_->setObjectName("fit_plot");
    plots_->setDocumentMode(true);
    plots_->addTab(walks_, tr("Walks"));
    plots_->addTab(fit_, tr("Fitted over measured"));
    tables_->setObjectName("identification_tables");
    tables_->setDocumentMode(true);
    candidates_ = add_table(
        "identification_candidates", tr("Candidates"),
        tr("Caches that explain the walks, the best first: by error, with a surcharge for rarer "
           "structures. Weight: the probability that it is the "
           "best of all. Alike: how many caches miss in the same way on every walk"));
    open_ = add_table("identification_open", tr("What is open"),
                      tr("What the walks determine of the cache and what they leave open, with the "
                         "weight of each value"));
    alike_ = add_table("identification_alike", tr("Alike"),
                       tr("Caches that miss on every walk as the best candidate does: these walks "
                          "cannot tell them apart"));
    tables_->addTab(build_next(), tr("Measure next"));

    auto* parts = new QSplitter(Qt::Vertical);
    parts->setChildrenCollapsible(false);
    parts->addWidget(plots_);
    parts->addWidget(tables_);
    parts->setStretchFactor(0, 3);
    parts->setStretchFactor(1, 2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(summary_);
    layout->addWidget(parts, 1);
    show_waiting(false);
}

ResultTableView* IdentificationView::add_table(const char* object_name, const QString& tab,
                                               const QString& about)
{
    auto* table =
        new ResultTableView(object_name, about, QString(object_name) + QStringLiteral(".csv"));
    tables_->setTabToolTip(tables_->addTab(table, tab), about);
    return table;
}

QWidget* IdentificationView::build_next()
{
    const QString about = tr("Walks that would best tell apart what is still open. Least and most: "
                             "what any of the first "
                             "ten candidates expects");
    next_ = new ResultTableView("identification_next", about, "next-walks-table.csv");
    auto* note = text_label("identification_next_about", about);
    note->setWordWrap(true);
    note->setText(about + u'.');
    auto* write =
        push_button(tr("Write walks…"), "identification_write", tr("Write these walks to a file"),
                    tr("As texelscope identify --walks reads them, once they have latencies"));
    connect(write, &QPushButton::clicked, this, [this] {
        ask_and_write(this, tr("Write walks"), "next-walks.csv.gz",
                      tr("Walks (*.csv *.csv.gz *.csv.xz *.csv.zst)"),
                      [this](const std::string& path) { write_next(path); });
    });
    auto* page = new QWidget;
    auto* above = new QHBoxLayout;
    above->addWidget(note, 1);
    above->addWidget(write);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 4, 0, 0);
    layout->addLayout(above);
    layout->addWidget(next_, 1);
    return page;
}

void IdentificationView::show_waiting(bool waits)
{
    if (!waits && identified_) {
        show_identified(identified_);
        return;
    }
    summary_->hide(); // what was found before is of other walks
    tables_->hide();
    const QString hint = waits ? tr("Looking for the caches that explain the walks…")
                               : tr("No walks yet. Open measured ones, or measure a device.");
    walks_->show_hint(hint);
    fit_->show_hint(hint);
}

void IdentificationView::show_identified(std::shared_ptr<const IdentifiedCache> identified)
{
    identified_ = std::move(identified);
    const Identified& found = identified_->identified;
    const auto& [measured, identification] = found.rounds;
    summary_->setText(summary_text(found));
    walks_->show_plot(walks_plot(measured, identification));
    fit_->show_plot(fit_plot(measured, identification));
    candidates_->set_table(explanations_table(identification));
    open_->set_table(support_table(identification));
    open_->horizontalHeader()->setStretchLastSection(true);
    alike_->set_table(alike_table(identification));
    next_->set_table(next_walks_table(identification, measured, identified_->next));
    tables_->setTabText(tables_->indexOf(alike_), tr("Alike: %1").arg(alike_->table().rows.size()));
    summary_->show();
    tables_->show();
}

void IdentificationView::write_next(const std::string& path) const
{
    if (!identified_ || identified_->next.empty()) {
        throw bad_input("there are no walks to measure next", path,
                        "open walks, or measure a device, first");
    }
    write_walks(path, identified_->next);
}

} // namespace texelscope::gui
