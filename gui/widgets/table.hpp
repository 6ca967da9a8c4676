#pragma once

#include <QAbstractItemView>
#include <QAbstractTableModel>
#include <QString>
#include <QTableView>
#include <string>

namespace texelscope::gui {

/// A table that is asked for cells and headings that are there.
class TableModel : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const final;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const final;

protected:
    [[nodiscard]] virtual std::size_t height() const = 0;
    [[nodiscard]] virtual int width() const = 0;
    /// Numbers stand at the right.
    [[nodiscard]] virtual bool has_numbers(int column) const = 0;
    [[nodiscard]] virtual QVariant cell(std::size_t row, int column, int role) const = 0;
    [[nodiscard]] virtual QVariant heading(int column, int role) const = 0;
};

/// Makes a table one of low rows that are selected as a whole and are not edited; Tab leaves it.
void set_up_rows(QTableView& table);

/// From now on a column has the room that the others leave, and at least what `least` takes: a text
/// without room is cut in its middle.
void give_rest_to(QTableView& table, int column, const QString& least);

/// What a table or tree shows, as CSV: a row of headings, then one for each row without children;
/// rows of a tree begin with the first column of the row above them, under the heading "Group".
[[nodiscard]] std::string table_csv(const QAbstractItemModel& model);

/// Gives a table or tree a context menu that copies and exports what it shows as CSV. `name`: of
/// the file that is proposed.
void add_table_export(QAbstractItemView& view, const QString& name);

} // namespace texelscope::gui
