#pragma once

#include "gui/ranking/ranking_rows.hpp"
#include "gui/widgets/background_job.hpp"

#include <QWidget>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;

namespace texelscope::gui {

class ScatterPlot;

/// A row of a ranking over two of its columns.
struct RankingPoint {
    std::size_t row = 0;
    double x = 1; ///< above zero, as is y
    double y = 1;
};
struct RankingPoints {
    std::vector<RankingPoint> points;
    std::size_t all = 0; ///< how many there are without thinning
};

/// What a plot of two columns draws of the rows that are shown: of the points that share a cell of
/// a grid over logarithmic axes only the one of the best rank, and those to `keep` (in ascending
/// order) in any case. Rows without both numbers are left out.
[[nodiscard]] RankingPoints ranking_points(const RankingRows& rows,
                                           const std::vector<std::size_t>& shown, int x, int y,
                                           const std::vector<std::size_t>& keep,
                                           std::pair<int, int> grid = {140, 90});

/// Two columns of a ranking against each other. Of many points it draws what can be told apart. The
/// rows that are selected in it are told of, and those that are selected elsewhere are marked.
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
    std::shared_ptr<const std::vector<std::size_t>> shown_ =
        std::make_shared<const std::vector<std::size_t>>();
    std::vector<std::size_t> selected_; ///< ascending
    bool worked_out_ = true;            ///< or under way; false: once it is seen
    BackgroundJob<RankingPoints> job_;
};

} // namespace texelscope::gui
