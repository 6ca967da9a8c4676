#pragma once

#include "gui/store/store_table.hpp"
#include "gui/widgets/table.hpp"

#include <memory>

namespace texelscope::gui {

/// The rows of a store, filtered and sorted by itself: a proxy model asks for every cell as a variant, which is felt from
/// some ten thousand rows on.
class StoreModel : public TableModel {
    Q_OBJECT

public:
    explicit StoreModel(QObject* parent = nullptr) : TableModel(parent) {}

    /// Filter and order stay.
    void set_table(std::shared_ptr<const StoreTable> table);
    void set_filter(const QString& words);
    void sort(int column, Qt::SortOrder order) override;

    /// All rows, shown or not.
    [[nodiscard]] std::size_t size() const { return table_ ? table_->rows.size() : 0; }
    /// That is shown in a row of the model, 0 <= row < rowCount().
    [[nodiscard]] const StoreRow& row(int row) const { return table_->rows[order_[static_cast<std::size_t>(row)]]; }

private:
    [[nodiscard]] std::size_t height() const override { return order_.size(); }
    [[nodiscard]] int width() const override { return store_columns; }
    [[nodiscard]] bool has_numbers(int column) const override { return column == static_cast<int>(StoreColumn::time); }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;
    void order();

    std::shared_ptr<const StoreTable> table_;
    QString filter_;
    StoreColumn column_ = StoreColumn::op;
    bool descending_ = false;
    std::vector<std::size_t> order_; ///< numbers of the rows that are shown
};

} // namespace texelscope::gui
