#include "gui/results_panel.hpp"

#include "gui/empty_hint.hpp"
#include "gui/key_figures.hpp"
#include "gui/quantities.hpp"

#include <QHeaderView>
#include <set>

namespace texelscope {

ResultsPanel::ResultsPanel(QWidget* parent) : QTreeWidget(parent)
{
    setObjectName("results");
    setAccessibleName(tr("Results"));
    setColumnCount(2);
    setHeaderLabels({tr("Figure"), tr("Value")});
    header()->setStretchLastSection(true);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setIndentation(fontMetrics().height() * 3 / 4);
    hint_while_empty(*this, [] { return tr("No study yet.\nRun one (F5) to see its key figures."); });
}

void ResultsPanel::show_study(const StudyResult& study)
{
    std::set<QString> closed;
    for (int i = 0; i < topLevelItemCount(); ++i) {
        if (!topLevelItem(i)->isExpanded()) {
            closed.insert(topLevelItem(i)->text(0));
        }
    }
    clear();
    for (const KeyFigures& group : key_figures(study)) {
        auto* top = new QTreeWidgetItem(this, {group.title});
        QFont bold = font();
        bold.setBold(true);
        top->setFont(0, bold);
        top->setFirstColumnSpanned(true);
        for (const KeyFigure& figure : group.figures) {
            auto* item = new QTreeWidgetItem(top, {figure.name, figure.value});
            const QString tip = quantity_tip(quantity_key(figure));
            item->setToolTip(0, tip);
            item->setToolTip(1, tip);
        }
        top->setExpanded(!closed.contains(group.title));
    }
    resizeColumnToContents(0);
}

} // namespace texelscope
