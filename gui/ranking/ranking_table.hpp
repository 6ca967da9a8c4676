#pragma once

#include "gui/ranking/ranking_model.hpp"

#include <QTableView>
#include <string>
#include <vector>

class QMenu;

namespace texelscope::gui {

/// The table of a ranking: its columns, and which of its rows are selected.
class RankingTable : public QTableView {
    Q_OBJECT

public:
    RankingTable();

    [[nodiscard]] const RankingModel& rows() const { return *model_; }
    /// Other rows, of which none is shown yet.
    void set_rows(RankingRows rows);
    /// Which of them are shown, in their order. Those that are marked stay marked.
    void show_rows(std::vector<std::size_t> shown, const std::vector<std::size_t>& marked);
    void set_known(const RankingRows& rows);

    /// The rows that are selected, in the order shown.
    [[nodiscard]] std::vector<std::size_t> selected() const;
    /// Selects rows, where they are shown, and goes to the first; it is not told of.
    void mark(const std::vector<std::size_t>& rows);

    /// Entries that show and hide columns; also what a click with the right button on a heading
    /// offers.
    void add_columns_to(QMenu& menu);
    /// Shows the columns of what compilers say and goes there, unless one of them is shown.
    void show_compiled();

signals:
    void order_asked(int column, Qt::SortOrder order);
    /// The user selected these rows; ascending.
    void rows_selected(const std::vector<std::size_t>& rows);
    /// The user chose a row by a double click or Enter.
    void row_activated(std::size_t row);
    void copy_asked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The first of them in the order shown; not valid where none is.
    QModelIndex select(const std::vector<std::size_t>& rows);
    void fit_columns();
    /// The first time that there are measured times.
    void show_measured();
    /// As much of the texts as there is room for beside the times.
    void fit_configurations();
    [[nodiscard]] QAction& entry_of(int column) const;

    RankingModel* model_;
    QMenu* columns_ = nullptr;
    /// Width of the configurations, of those that were looked at; 0: none was.
    int longest_ = 0;
    bool marking_ = false;  ///< the selection is set from here, not by the user
    bool measured_ = false; ///< times were measured, and their column has been shown
    bool fresh_ = false;    ///< the columns have no width for these rows yet
};

} // namespace texelscope::gui
