#pragma once

#include <QTableView>

namespace texelscope::gui {

/// Makes a table one of low rows that are selected as a whole and are not edited; Tab leaves it.
void set_up_rows(QTableView& table);

} // namespace texelscope::gui
