#pragma once

#include "gui/ranking/ranking_rows.hpp"
#include "gui/widgets/table.hpp"

#include <vector>

namespace texelscope::gui {

/// The rows of a ranking that are shown, in their order. It only shows: sort() asks for an order,
/// and whoever works that out, here or in another thread, hands it to show().
class RankingModel : public TableModel {
    Q_OBJECT

public:
    explicit RankingModel(QObject* parent = nullptr) : TableModel(parent) {}

    /// Other rows, of which none is shown yet.
    void set_rows(RankingRows rows);
    /// The same rows with new times and compilations; which of them are shown stays.
    void set_known(const RankingRows& rows);
    void show(std::vector<std::size_t> shown);

    [[nodiscard]] const RankingRows& rows() const { return rows_; }
    /// The row of rows() that each row of the model shows.
    [[nodiscard]] const std::vector<std::size_t>& shown() const { return shown_; }
    void sort(int column, Qt::SortOrder order) override;

signals:
    void order_asked(int column, Qt::SortOrder order);

private:
    [[nodiscard]] std::size_t height() const override { return shown_.size(); }
    [[nodiscard]] int width() const override { return rows_.columns(); }
    [[nodiscard]] bool has_numbers(int column) const override
    {
        return column == RankingColumn::rank || is_time(column) || is_compiled(column);
    }
    [[nodiscard]] QVariant cell(std::size_t place, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    [[nodiscard]] QString tip(std::size_t row, int column) const;

    RankingRows rows_;
    std::vector<std::size_t> shown_;
};

} // namespace texelscope::gui
