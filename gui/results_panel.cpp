#include "gui/results_panel.hpp"

#include "gui/key_figures.hpp"

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
}

void ResultsPanel::show_figures(const std::vector<KeyFigures>& groups)
{
    std::set<QString> closed;
    for (int i = 0; i < topLevelItemCount(); ++i) {
        if (!topLevelItem(i)->isExpanded()) {
            closed.insert(topLevelItem(i)->text(0));
        }
    }
    clear();
    for (const KeyFigures& group : groups) {
        auto* top = new QTreeWidgetItem(this, {group.title});
        QFont bold = font();
        bold.setBold(true);
        top->setFont(0, bold);
        top->setFirstColumnSpanned(true);
        for (const KeyFigure& figure : group.figures) {
            auto* item = new QTreeWidgetItem(top, {figure.name, figure.value});
            item->setToolTip(0, figure.about);
            item->setToolTip(1, figure.about);
        }
        top->setExpanded(!closed.contains(group.title));
    }
    resizeColumnToContents(0);
}

} // namespace texelscope
