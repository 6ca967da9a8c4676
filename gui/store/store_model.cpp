#include "gui/store/store_model.hpp"

#include "base/error.hpp"
#include "devices/profile/device_profile.hpp"
#include "gui/widgets/controls.hpp"
#include "workbench/store/result_store.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

namespace texelscope::gui {
namespace {

/// ASCII letters alone.
std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

StoreRow row_of_result(const StoredResult& result)
{
    const double median = result.median_ns();
    StoreRow row{result.op,
                 result.shape,
                 result.padding,
                 result.key.device,
                 result.config,
                 result.key.judge,
                 to_string(result.status),
                 result.reason,
                 result.key.driver,
                 result.timestamp,
                 std::isfinite(median) ? median : 0,
                 result.samples_ns.size(),
                 result.wall_clock,
                 {}};
    for (const std::string* text : {&row.op, &row.shape, &row.padding, &row.device, &row.config,
                                    &row.judge, &row.status, &row.reason, &row.timestamp}) {
        row.words += lower(*text);
        // Between two texts, so that no word of the filter matches across them.
        row.words += '\n';
    }
    return row;
}

const std::string& text_of(const StoreRow& row, StoreColumn column)
{
    switch (column) {
    case StoreColumn::op:
        return row.op;
    case StoreColumn::shape:
        return row.shape;
    case StoreColumn::device:
        return row.device;
    case StoreColumn::config:
        return row.config;
    case StoreColumn::judge:
        return row.judge;
    case StoreColumn::status:
        return row.status;
    default:
        return row.timestamp;
    }
}

/// The name of the profile that the form has; empty where it cannot be read.
std::string profile_name(const std::string& device)
{
    try {
        return find_profile(device).name;
    } catch (const Error&) {
        return {};
    }
}

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

QString time_tip(const StoreRow& row)
{
    QStringList tips;
    if (row.samples > 1) {
        tips << StoreModel::tr("median of %1 samples").arg(row.samples);
    }
    if (row.wall_clock) {
        tips << StoreModel::tr("by the wall clock");
    }
    return tips.join(QStringLiteral(", "));
}

QString about(const StoreRow& row, StoreColumn column)
{
    switch (column) {
    case StoreColumn::status:
        return QString::fromStdString(row.reason);
    case StoreColumn::device:
        return row.driver.empty()
                   ? QString()
                   : StoreModel::tr("driver %1").arg(QString::fromStdString(row.driver));
    case StoreColumn::time:
        return time_tip(row);
    default:
        return text(row, column); // which may be cut off
    }
}

} // namespace

StoreTable read_store(const std::string& path, const Progress& progress, const StopToken& stop)
{
    // How often progress is told and `stop` asked.
    constexpr std::size_t now_and_then = 512; // rows
    const ResultStore store(path, StoreOpening::existing);
    StoreTable table{path, {}};
    const auto count = static_cast<double>(std::max<std::int64_t>(1, store.count()));
    store.visit({}, [&](const StoredResult& result) {
        if (table.rows.size() % now_and_then == 0) {
            if (progress) {
                progress("reading the store", static_cast<double>(table.rows.size()) / count);
            }
            if (stop && stop()) {
                throw Interrupted{};
            }
        }
        table.rows.push_back(row_of_result(result));
    });
    return table;
}

std::vector<std::size_t> store_order(const std::vector<StoreRow>& rows, const std::string& filter,
                                     StoreColumn column, bool descending)
{
    std::vector<std::string> words;
    std::istringstream text(lower(filter));
    for (std::string word; text >> word;) {
        words.push_back(word);
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                return rows[i].words.find(word) != std::string::npos;
            })) {
            order.push_back(i);
        }
    }
    if (column == StoreColumn::time) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const double x = rows[a].median_ns;
            const double y = rows[b].median_ns;
            if (x <= 0 || y <= 0) {
                return x > 0 && y <= 0;
            }
            return descending ? x > y : x < y;
        });
    } else {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const int compared = text_of(rows[a], column).compare(text_of(rows[b], column));
            return descending ? compared > 0 : compared < 0;
        });
    }
    return order;
}

StoredStudy study_of(const StoreRow& row, const StudyForm& present)
{
    StudyForm form = present;
    // The row names its operator; a kernel of a network that the form had is another one.
    form.given = nullptr;
    form.op = row.op;
    form.shape = row.shape;
    form.padding = row.padding;
    form.config = row.config;
    if (profile_name(present.device) == row.device) {
        return {form, true};
    }
    if (profile_name(row.device).empty()) {
        return {form, false};
    }
    form.device = row.device;
    form.overrides.clear(); // they were for another device
    return {form, true};
}

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
    order_ = table_ ? store_order(table_->rows, filter_.toStdString(), column_, descending_)
                    : std::vector<std::size_t>();
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
