#pragma once

#include "gui/widgets/table.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/study_form.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace texelscope::gui {

/// A row of a store of results, as far as it is shown.
struct StoreRow {
    std::string op;
    std::string shape;
    std::string padding;
    std::string device;
    std::string config;
    std::string judge;
    std::string status;
    std::string reason; ///< empty where the status is ok
    std::string driver;
    std::string timestamp;
    double median_ns = 0; ///< 0 where there is no time
    std::size_t samples = 0;
    bool wall_clock = false; ///< they are the host's
    std::string words;       ///< all texts in lower case, which filters look at
};

struct StoreTable {
    std::string path;
    std::vector<StoreRow> rows;
};

/// Reads a store as it is at the moment, whoever writes to it. Throws bad_input for what is no
/// store or is damaged, Interrupted when `stop` answers true.
[[nodiscard]] StoreTable read_store(const std::string& path, const Progress& progress = {},
                                    const StopToken& stop = {});

/// Columns of the table, in order.
enum class StoreColumn { op, shape, device, config, judge, status, time, timestamp };
inline constexpr int store_columns = static_cast<int>(StoreColumn::timestamp) + 1;

/// Numbers of the rows in which every word of the filter occurs, in any case, ordered by a column;
/// equal ones stay in the store's order. Rows without a time come last in either direction.
[[nodiscard]] std::vector<std::size_t> store_order(const std::vector<StoreRow>& rows,
                                                   const std::string& filter, StoreColumn column,
                                                   bool descending);

/// The study that a row asks for: on the row's device where there is a profile of that name,
/// otherwise on the present one.
struct StoredStudy {
    StudyForm form;
    bool has_device = true; ///< the row's
};
[[nodiscard]] StoredStudy study_of(const StoreRow& row, const StudyForm& present);

/// The rows of a store, filtered and sorted by itself: a proxy model asks for every cell as a
/// variant, which is felt from some ten thousand rows on.
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
    [[nodiscard]] const StoreRow& row(int row) const
    {
        return table_->rows[order_[static_cast<std::size_t>(row)]];
    }

private:
    [[nodiscard]] std::size_t height() const override { return order_.size(); }
    [[nodiscard]] int width() const override { return store_columns; }
    [[nodiscard]] bool has_numbers(int column) const override
    {
        return column == static_cast<int>(StoreColumn::time);
    }
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
