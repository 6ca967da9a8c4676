#include "gui/widgets/table.hpp"

#include "base/atomic_file.hpp"
#include "base/csv.hpp"
#include "gui/widgets/controls.hpp"

#include <QAction>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// Lives as long as its table.
class RestOfWidth : public QObject {
public:
    RestOfWidth(QTableView& table, int column, int least)
        : QObject(&table), table_(table), column_(column), least_(least)
    {
        table.viewport()->installEventFilter(this);
        connect(table.horizontalHeader(), &QHeaderView::sectionResized, this,
                [this](int resized, int, int) {
                    if (resized != column_) {
                        fit();
                    }
                });
    }

private:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize) {
            fit();
        }
        return QObject::eventFilter(watched, event);
    }
    void fit()
    {
        int others = 0;
        for (int column = 0; column < table_.horizontalHeader()->count(); ++column) {
            others += column == column_ ? 0 : table_.columnWidth(column); // 0 where it is hidden
        }
        table_.setColumnWidth(column_, std::max(least_, table_.viewport()->width() - others));
    }

    QTableView& table_;
    int column_;
    int least_;
};

bool is_tree(const QAbstractItemModel& model)
{
    for (int row = 0; row < model.rowCount(); ++row) {
        if (model.rowCount(model.index(row, 0)) > 0) {
            return true;
        }
    }
    return false;
}

void add_rows(const QAbstractItemModel& model, const QModelIndex& parent, bool tree,
              std::string& csv)
{
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex first = model.index(row, 0, parent);
        if (model.rowCount(first) > 0) {
            add_rows(model, first, tree, csv);
            continue;
        }
        std::string line = tree ? csv_field(parent.data().toString().toStdString()) : "";
        for (int column = 0; column < model.columnCount(parent); ++column) {
            line += column > 0 || tree ? "," : "";
            line +=
                csv_field(first.siblingAtColumn(column).data().toString().trimmed().toStdString());
        }
        csv += line + "\n";
    }
}

} // namespace

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(height());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : width();
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool number = has_numbers(index.column());
        return QVariant::fromValue(
            Qt::Alignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    }
    return cell(static_cast<std::size_t>(index.row()), index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return orientation == Qt::Horizontal && section >= 0 && section < width()
               ? heading(section, role)
               : QVariant();
}

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

void give_rest_to(QTableView& table, int column, const QString& least)
{
    table.setTextElideMode(Qt::ElideMiddle);
    new RestOfWidth(table, column, table.fontMetrics().horizontalAdvance(least)); // the table's
}

std::string table_csv(const QAbstractItemModel& model)
{
    const bool tree = is_tree(model);
    std::string csv = tree ? "Group" : "";
    for (int column = 0; column < model.columnCount(); ++column) {
        csv += column > 0 || tree ? "," : "";
        csv += csv_field(model.headerData(column, Qt::Horizontal).toString().toStdString());
    }
    csv += "\n";
    add_rows(model, {}, tree, csv);
    return csv;
}

void add_table_export(QAbstractItemView& view, const QString& name)
{
    auto* copy = new QAction(tr("Copy all as CSV"), &view);
    QObject::connect(copy, &QAction::triggered, &view, [&view] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(table_csv(*view.model())));
    });
    auto* save = new QAction(tr("Export…"), &view);
    QObject::connect(save, &QAction::triggered, &view, [&view, name] {
        ask_and_write(&view, tr("Export the table"), name, tr("CSV tables (*.csv)"),
                      [&view](const std::string& path) {
                          write_file_atomically(path, table_csv(*view.model()));
                      });
    });
    view.addActions({copy, save});
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
}

} // namespace texelscope::gui
