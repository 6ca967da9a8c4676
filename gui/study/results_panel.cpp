#include "gui/study/results_panel.hpp"

#include "gui/study/key_figures.hpp"
#include "gui/study/quantities.hpp"
#include "gui/study/session.hpp"
#include "gui/widgets/controls.hpp"
#include "gui/widgets/empty_hint.hpp"
#include "gui/widgets/table.hpp"

#include <QHeaderView>
#include <algorithm>
#include <set>

namespace texelscope::gui {

ResultsPanel::ResultsPanel(Session& session)
{
    setObjectName("results");
    setAccessibleName(tr("Results"));
    setHeaderLabels({tr("Figure"), tr("Value")});
    header()->setStretchLastSection(true);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setIndentation(fontMetrics().height() * 3 / 4);
    add_table_export(*this, QStringLiteral("results.csv"));
    hint_while_empty(*this, [] { return tr("No study yet.\nRun one (F5) to see its key figures."); });
    connect(&session, &Session::compared, this, [this, &session] {
        const auto figures = [](const ShownResult& shown) {
            return shown.study    ? key_figures(*shown.study)
                   : shown.launch ? launch_figures(*shown.launch)
                                  : std::vector<KeyFigures>{};
        };
        show_figures(figures(session.shown()), figures(session.kept()));
    });
}

void ResultsPanel::show_figures(const std::vector<KeyFigures>& groups, const std::vector<KeyFigures>& others)
{
    std::set<QString> closed;
    for (int i = 0; i < topLevelItemCount(); ++i) {
        if (!topLevelItem(i)->isExpanded()) {
            closed.insert(topLevelItem(i)->text(0));
        }
    }
    clear();
    const bool compares = !others.empty();
    setColumnCount(compares ? 4 : 2);
    setHeaderLabels(compares ? QStringList{tr("Figure"), tr("A"), tr("B"), tr("change")}
                             : QStringList{tr("Figure"), tr("Value")});
    for (const ComparedFigures& group : compared_figures(groups, others)) {
        auto* top = new QTreeWidgetItem(this, {group.title});
        top->setFont(0, bold(font()));
        top->setFirstColumnSpanned(true);
        for (const ComparedFigure& figure : group.figures) {
            const QString about = quantity_tip(quantity_key({figure.name, {}}));
            // Two columns of values have no room for what stands between brackets; the tool tip has it.
            const auto shortened = [&](const QString& value) {
                return compares ? value.section(QStringLiteral(" ("), 0, 0).trimmed() : value;
            };
            const QStringList whole{{}, figure.a, figure.b, figure.change};
            auto* item =
                new QTreeWidgetItem(top, {figure.name, shortened(figure.a), shortened(figure.b), figure.change});
            for (int column = 0; column < columnCount(); ++column) {
                const QString shown = whole[column];
                item->setToolTip(column, shown.isEmpty() || about.isEmpty() ? shown + about
                                                                            : shown + QStringLiteral("\n") + about);
            }
        }
        top->setExpanded(!closed.contains(group.title));
    }
    // Beside B all four columns are to be seen in a narrow dock: the names get what the values leave.
    header()->setSectionResizeMode(0, compares ? QHeaderView::Stretch : QHeaderView::Interactive);
    header()->setStretchLastSection(!compares);
    for (int column = compares ? 1 : 0; column < columnCount(); ++column) {
        resizeColumnToContents(column);
        if (compares) {
            setColumnWidth(
                column, std::min(columnWidth(column), fontMetrics().horizontalAdvance(QStringLiteral("100,000 KiB"))));
        }
    }
}

} // namespace texelscope::gui
