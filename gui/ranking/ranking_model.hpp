#pragma once

#include "gui/ranking/ranking_rows.hpp"

#include <QAbstractTableModel>
#include <vector>

namespace texelscope::gui {

/// The rows of a ranking that are shown, in their order. It only shows: sort() asks for an order, and whoever works that
/// out, here or in another thread, hands it to show().
class RankingModel : public QAbstractTableModel {
    Q_OBJECT

public:
    explicit RankingModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    /// Other rows, of which none is shown yet.
    void set_rows(RankingRows rows);
    /// The same rows with other times; which are shown stays.
    void set_times(const RankingRows& rows);
    void show(std::vector<std::size_t> shown);

    [[nodiscard]] const RankingRows& rows() const { return rows_; }
    /// The row of rows() that each row of the model shows.
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return shown_; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order) override;

signals:
    void order_asked(int column, Qt::SortOrder order);

private:
    [[nodiscard]] QString tip(std::size_t row, int column) const;

    RankingRows rows_;
    std::vector<std::size_t> shown_;
};

} // namespace texelscope::gui
