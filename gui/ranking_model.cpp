#include "gui/ranking_model.hpp"

#include "gui/quantities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace texelscope {
namespace {

template <class Sizes>
QString sizes_text(const Sizes& sizes)
{
    return QString::fromStdString(fmt::format("{}", fmt::join(sizes, "x")));
}

template <class Sizes>
qlonglong product(const Sizes& sizes)
{
    return std::accumulate(std::begin(sizes), std::end(sizes), qlonglong{1}, std::multiplies<>());
}

} // namespace

void RankingModel::set_ranking(Ranking ranking, std::vector<std::string> inputs)
{
    beginResetModel();
    ranking_ = std::move(ranking);
    inputs_ = std::move(inputs);
    endResetModel();
}

int RankingModel::row_of(const Schedule& schedule) const
{
    const auto at = std::find_if(ranking_.best.begin(), ranking_.best.end(),
                                 [&](const RankedConfiguration& ranked) { return ranked.schedule == schedule; });
    return at == ranking_.best.end() ? -1 : static_cast<int>(at - ranking_.best.begin());
}

int RankingModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ranking_.best.size());
}

int RankingModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : group_column() + 1;
}

QString RankingModel::text(int row, int column) const
{
    const RankedConfiguration& ranked = ranking_.best[static_cast<std::size_t>(row)];
    if (column == rank_column) {
        return QString::number(row + 1);
    }
    if (column == configuration_column) {
        return QString::fromStdString(to_string(ranked.schedule));
    }
    if (column == time_column) {
        return QString::number(ranked.cost.value, 'f', 1);
    }
    if (column == tile_column()) {
        return sizes_text(ranked.schedule.tile);
    }
    if (column == warp_column()) {
        return sizes_text(ranked.schedule.warp);
    }
    if (column == group_column()) {
        return sizes_text(ranked.schedule.group);
    }
    const auto input = static_cast<std::size_t>(column - first_pattern_column);
    return input < ranked.schedule.patterns.size() ? QString::fromStdString(to_string(ranked.schedule.patterns[input]))
                                                   : QString();
}

QVariant RankingModel::sort_key(int row, int column) const
{
    const RankedConfiguration& ranked = ranking_.best[static_cast<std::size_t>(row)];
    if (column == rank_column) {
        return row;
    }
    if (column == time_column) {
        return ranked.cost.value;
    }
    if (column == tile_column()) {
        return product(ranked.schedule.tile);
    }
    if (column == warp_column()) {
        return ranked.schedule.warp[0]; // the warp's size is mostly the same: its width tells them apart
    }
    if (column == group_column()) {
        return product(ranked.schedule.group);
    }
    return text(row, column);
}

QVariant RankingModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) {
        return {};
    }
    const bool number = index.column() == rank_column || index.column() == time_column;
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case sort_role:
        return sort_key(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    default:
        return {};
    }
}

QVariant RankingModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::ToolTipRole) {
        return quantity_tip(QStringLiteral("column: ") + headerData(section, orientation, Qt::DisplayRole).toString());
    }
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount()) {
        return {};
    }
    if (section >= first_pattern_column && section < tile_column()) {
        return QString::fromStdString(inputs_[static_cast<std::size_t>(section - first_pattern_column)]);
    }
    const int fixed = section < first_pattern_column ? section : section - static_cast<int>(inputs_.size());
    return QStringList{tr("Rank"), tr("Configuration"), tr("Predicted ns"), tr("Tile"), tr("Warp"), tr("Group")}.at(
        fixed);
}

RankingFilter::RankingFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(RankingModel::sort_role);
}

void RankingFilter::set_filter(const QString& text)
{
    words_ = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool RankingFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    return std::all_of(words_.begin(), words_.end(), [&](const QString& word) {
        for (int column = 0; column < sourceModel()->columnCount(parent); ++column) {
            if (sourceModel()->index(row, column, parent).data().toString().contains(word, Qt::CaseInsensitive)) {
                return true;
            }
        }
        return false;
    });
}

std::string ranking_csv(const Ranking& ranking)
{
    std::string csv = "rank,configuration,predicted_ns\n";
    for (std::size_t i = 0; i < ranking.best.size(); ++i) {
        csv += fmt::format("{},\"{}\",{}\n", i + 1, to_string(ranking.best[i].schedule), ranking.best[i].cost.value);
    }
    return csv;
}

} // namespace texelscope
