#pragma once

#include "experiments/prediction.hpp"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <string>
#include <vector>

namespace texelscope {

/// The configurations of a ranking, one a row: rank, configuration, predicted time, a pattern for each input, tile,
/// warp shape, work-group. Qt::DisplayRole has the texts; sort_role has numbers where a column is ordered by number.
class RankingModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int sort_role = Qt::UserRole;
    enum FixedColumn { rank_column, configuration_column, time_column, first_pattern_column };

    explicit RankingModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    /// `inputs`: names of the operator's inputs, in order.
    void set_ranking(Ranking ranking, std::vector<std::string> inputs);
    [[nodiscard]] const Ranking& ranking() const { return ranking_; }
    /// Row of a configuration, or -1.
    [[nodiscard]] int row_of(const Schedule& schedule) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] int tile_column() const { return first_pattern_column + static_cast<int>(inputs_.size()); }
    [[nodiscard]] int warp_column() const { return tile_column() + 1; }
    [[nodiscard]] int group_column() const { return tile_column() + 2; }
    [[nodiscard]] QString text(int row, int column) const;
    [[nodiscard]] QVariant sort_key(int row, int column) const;

    Ranking ranking_;
    std::vector<std::string> inputs_;
};

/// Rows in which every word of the filter text occurs, sorted by RankingModel::sort_role.
class RankingFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit RankingFilter(QObject* parent = nullptr);
    void set_filter(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList words_;
};

/// "rank,configuration,predicted_ns" and one row for each configuration, in the order of the ranking; texts in quotes.
[[nodiscard]] std::string ranking_csv(const Ranking& ranking);

} // namespace texelscope
