#include "gui/widgets/row_table.hpp"

#include <QHeaderView>

namespace texelscope::gui {

void set_up_rows(QTableView& table)
{
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setAlternatingRowColors(true);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 6);
}

} // namespace texelscope::gui
