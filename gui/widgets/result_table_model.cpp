#include "gui/widgets/result_table_model.hpp"

#include "gui/widgets/controls.hpp"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <algorithm>
#include <utility>

namespace texelscope::gui {
namespace {

struct ShownCell {
    QVariant operator()(const std::string& word) const { return QString::fromStdString(word); }
    QVariant operator()(std::int64_t count) const { return count_text(count); }
    QVariant operator()(double number) const
    {
        return QString::fromStdString(base::number_text(number));
    }
};

struct SortedCell {
    QVariant operator()(const std::string& word) const { return QString::fromStdString(word); }
    QVariant operator()(std::int64_t count) const
    {
        return QVariant::fromValue(static_cast<qlonglong>(count));
    }
    QVariant operator()(double number) const { return number; }
};

} // namespace

void ResultTableModel::set_table(ResultTable table)
{
    beginResetModel();
    table_ = std::move(table);
    numbers_.clear();
    for (std::size_t column = 0; column < table_.columns.size(); ++column) {
        numbers_.push_back(!table_.rows.empty() &&
                           std::ranges::none_of(table_.rows, [&](const auto& row) {
                               return std::holds_alternative<std::string>(row[column]);
                           }));
    }
    endResetModel();
}

QVariant ResultTableModel::cell(std::size_t row, int column, int role) const
{
    const ResultTable::Value& value = table_.rows[row][static_cast<std::size_t>(column)];
    switch (role) {
    case Qt::DisplayRole:
        return std::visit(ShownCell{}, value);
    case Qt::ToolTipRole:
        return std::holds_alternative<std::string>(value) ? std::visit(ShownCell{}, value)
                                                          : QVariant();
    case sort_role:
        return std::visit(SortedCell{}, value);
    default:
        return {};
    }
}

QVariant ResultTableModel::heading(int column, int role) const
{
    const bool text = role == Qt::DisplayRole || role == Qt::ToolTipRole;
    return text ? QString::fromStdString(table_.columns[static_cast<std::size_t>(column)])
                : QVariant();
}

ResultTableView::ResultTableView(const char* object_name, const QString& about, const QString& file)
    : model_(new ResultTableModel(this))
{
    named(this, object_name, about);
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(model_);
    sorted->setSortRole(ResultTableModel::sort_role);
    setModel(sorted);
    set_up_rows(*this);
    add_table_export(*this, file);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSortIndicatorClearable(true); // back to the order that it was given in
}

void ResultTableView::set_table(ResultTable table)
{
    model_->set_table(std::move(table));
    setSortingEnabled(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    resizeColumnsToContents();
    const int widest = fontMetrics().averageCharWidth() * 60;
    for (int column = 0; column < model_->columnCount(); ++column) {
        setColumnWidth(column, std::min(widest, columnWidth(column)));
    }
}

std::vector<std::size_t> ResultTableView::selected() const
{
    std::vector<std::size_t> rows;
    const auto& sorted = static_cast<const QSortFilterProxyModel&>(*model());
    for (const QModelIndex& index : selectionModel()->selectedRows()) {
        rows.push_back(static_cast<std::size_t>(sorted.mapToSource(index).row()));
    }
    return rows;
}

} // namespace texelscope::gui
