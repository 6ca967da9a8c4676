#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/plots/result_table.hpp"

#include <QTableView>
#include <vector>

namespace texelscope::gui {

/// A table of results; the sort role has its numbers as numbers.
class ResultTableModel : public TableModel {
public:
    static constexpr int sort_role = Qt::UserRole;

    using TableModel::TableModel;

    void set_table(ResultTable table);
    [[nodiscard]] const ResultTable& table() const { return table_; }

protected:
    [[nodiscard]] std::size_t height() const override { return table_.rows.size(); }
    [[nodiscard]] int width() const override { return static_cast<int>(table_.columns.size()); }
    [[nodiscard]] bool has_numbers(int column) const override
    {
        return numbers_[static_cast<std::size_t>(column)];
    }
    [[nodiscard]] QVariant cell(std::size_t row, int column, int role) const override;
    [[nodiscard]] QVariant heading(int column, int role) const override;

private:
    ResultTable table_;
    std::vector<bool> numbers_; ///< whether a column has no words
};

/// A table of results that is sorted by a click on a heading, copied and exported; texts that are
/// cut are tool tips.
class ResultTableView : public QTableView {
public:
    /// `file`: the name that is proposed for an export.
    ResultTableView(const char* object_name, const QString& about, const QString& file);

    void set_table(ResultTable table);
    [[nodiscard]] const ResultTable& table() const { return model_->table(); }
    /// The rows that are selected, as the table was given.
    [[nodiscard]] std::vector<std::size_t> selected() const;

private:
    ResultTableModel* model_;
};

} // namespace texelscope::gui
