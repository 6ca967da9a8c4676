#pragma once

#include <QAbstractItemView>
#include <QString>
#include <QTableView>
#include <string>

namespace texelscope::gui {

/// Makes a table one of low rows that are selected as a whole and are not edited; Tab leaves it.
void set_up_rows(QTableView& table);

/// What a table or tree shows, as CSV: a row of headings, then one for each row without children; rows of a tree begin with the
/// first column of the row above them, under the heading "Group".
[[nodiscard]] std::string table_csv(const QAbstractItemModel& model);

/// Gives a table or tree a context menu that copies and exports what it shows as CSV. `name`: of the file that is proposed.
void add_table_export(QAbstractItemView& view, const QString& name);

} // namespace texelscope::gui
