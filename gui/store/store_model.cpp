#include "gui/store/store_model.hpp"

#include "gui/widgets/number_text.hpp"

namespace texelscope::gui {
namespace {

QString text(const StoreRow& row, StoreColumn column)
{
    const auto qt = [](const std::string& s) { return QString::fromStdString(s); };
    switch (column) {
    case StoreColumn::op:
        return qt(row.op);
    case StoreColumn::shape:
        return row.padding.empty() ? qt(row.shape) : qt(row.shape + ", padding " + row.padding);
    case StoreColumn::device:
        return qt(row.device);
    case StoreColumn::config:
        return qt(row.config);
    case StoreColumn::judge:
        return qt(row.judge);
    case StoreColumn::status:
        return qt(row.status);
    case StoreColumn::time:
        return row.median_ns > 0 ? time_text({row.median_ns}) : QStringLiteral("–");
    case StoreColumn::timestamp:
        return qt(row.timestamp).replace(u'T', u' ').remove(u'Z');
    }
    return {};
}

QString about(const StoreRow& row, StoreColumn column)
{
    switch (column) {
    case StoreColumn::status:
        return QString::fromStdString(row.reason);
    case StoreColumn::device:
        return row.driver.empty() ? QString() : StoreModel::tr("driver %1").arg(QString::fromStdString(row.driver));
    case StoreColumn::time:
        return row.samples > 1 ? StoreModel::tr("median of %1 samples").arg(row.samples) : QString();
    default:
        return text(row, column); // which may be cut off
    }
}

} // namespace

void StoreModel::set_table(std::shared_ptr<const StoreTable> table)
{
    beginResetModel();
    table_ = std::move(table);
    order();
    endResetModel();
}

void StoreModel::set_filter(const QString& words)
{
    beginResetModel();
    filter_ = words;
    order();
    endResetModel();
}

void StoreModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= store_columns) {
        return;
    }
    beginResetModel();
    column_ = static_cast<StoreColumn>(column);
    descending_ = order == Qt::DescendingOrder;
    this->order();
    endResetModel();
}

void StoreModel::order()
{
    order_ =
        table_ ? store_order(table_->rows, filter_.toStdString(), column_, descending_) : std::vector<std::size_t>();
}

int StoreModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int StoreModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : store_columns;
}

QVariant StoreModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const auto column = static_cast<StoreColumn>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(row(index.row()), column);
    case Qt::ToolTipRole:
        return about(row(index.row()), column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((column == StoreColumn::time ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    default:
        return {};
    }
}

QVariant StoreModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= store_columns) {
        return {};
    }
    return QStringList{tr("Operator"), tr("Shape"),  tr("Device"), tr("Configuration"),
                       tr("Judge"),    tr("Status"), tr("Time"),   tr("When, UTC")}
        .at(section);
}

} // namespace texelscope::gui
