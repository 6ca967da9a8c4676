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

QVariant StoreModel::cell(std::size_t row, int column, int role) const
{
    const StoreRow& stored = this->row(static_cast<int>(row));
    const auto field = static_cast<StoreColumn>(column);
    return role == Qt::DisplayRole   ? QVariant(text(stored, field))
           : role == Qt::ToolTipRole ? QVariant(about(stored, field))
                                     : QVariant();
}

QVariant StoreModel::heading(int column, int role) const
{
    const QStringList titles{tr("Operator"), tr("Shape"),  tr("Device"), tr("Configuration"),
                             tr("Judge"),    tr("Status"), tr("Time"),   tr("When, UTC")};
    return role == Qt::DisplayRole ? QVariant(titles.at(column)) : QVariant();
}

} // namespace texelscope::gui
