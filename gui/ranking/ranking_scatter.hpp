#pragma once

#include "gui/ranking/ranking_points.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <memory>

class QComboBox;
class QLabel;

namespace texelscope::gui {

class ScatterPlot;

/// Two columns of a ranking against each other. Of many points it draws what can be told apart. The rows that are selected
/// in it are told of, and those that are selected elsewhere are marked.
class RankingScatter : public QWidget {
    Q_OBJECT

public:
    explicit RankingScatter(QWidget* parent = nullptr);

    /// The rows that are shown.
    void show_rows(const RankingRows& rows, const std::vector<std::size_t>& shown);
    /// Marks rows.
    void select(std::vector<std::size_t> rows);

signals:
    void rows_selected(const std::vector<std::size_t>& rows);
    void activated(std::size_t row);
    /// The points are drawn.
    void drawn();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void fill_boxes();
    void work_out();
    void draw(const RankingPoints& points);
    [[nodiscard]] int column_in(const QComboBox* box) const;

    QComboBox* x_;
    QComboBox* y_;
    QComboBox* colour_;
    QLabel* note_;
    ScatterPlot* plot_;
    RankingRows rows_;
    std::shared_ptr<const std::vector<std::size_t>> shown_ = std::make_shared<const std::vector<std::size_t>>();
    std::vector<std::size_t> selected_; ///< ascending
    bool worked_out_ = true;            ///< or under way; false: once it is seen
    BackgroundJob<RankingPoints> job_;
};

} // namespace texelscope::gui
