#include "gui/results_panel.hpp"

#include "gui/compared_figures.hpp"

#include <QHeaderView>
#include <set>

namespace texelscope {

ResultsPanel::ResultsPanel(QWidget* parent) : QTreeWidget(parent)
{
    setObjectName("results");
    setAccessibleName(tr("Results"));
    setHeaderLabels({tr("Figure"), tr("Value")});
    header()->setStretchLastSection(true);
    setAlternatingRowColors(true);
    setUniformRowHeights(true);
    setIndentation(fontMetrics().height() * 3 / 4);
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
    setHeaderLabels(compares ? QStringList{tr("Figure"), tr("A"), tr("B"), tr("A to B")}
                             : QStringList{tr("Figure"), tr("Value")});
    for (const ComparedFigures& group : compared_figures(groups, others)) {
        auto* top = new QTreeWidgetItem(this, {group.title});
        QFont bold = font();
        bold.setBold(true);
        top->setFont(0, bold);
        top->setFirstColumnSpanned(true);
        for (const ComparedFigure& figure : group.figures) {
            auto* item = new QTreeWidgetItem(top, {figure.name, figure.a, figure.b, figure.change});
            for (int column = 0; column < columnCount(); ++column) {
                item->setToolTip(column, figure.about);
            }
        }
        top->setExpanded(!closed.contains(group.title));
    }
    for (int column = 0; column + 1 < columnCount(); ++column) {
        resizeColumnToContents(column);
    }
}

} // namespace texelscope
