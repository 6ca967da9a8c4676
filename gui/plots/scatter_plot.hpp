#pragma once

#include "gui/plots/shown_plot.hpp"

#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

namespace texelscope::gui {

struct ScatterPoint {
    double x = 1; ///< above zero, as is y
    double y = 1;
    std::size_t category = 0; ///< index into the names of the legend
    QString tip;
    int row = 0; ///< what the point stands for
};

/// What a scatter plot shows.
struct ScatterData {
    std::vector<ScatterPoint> points;
    QStringList categories;
    QString x_title;
    QString y_title;
    std::function<QString(double)> x_text; ///< numbers of an axis, with their unit
    std::function<QString(double)> y_text;
    ScatterAxes axes = ScatterAxes::one_scale;
    QString empty; ///< what is said where there are no points
};

/// Points over two logarithmic axes, coloured by category. A click selects a point, with Ctrl one
/// more, a drag all in a rectangle; the arrow keys go to the next along x. A double click or Enter
/// activates a point.
class ScatterPlot : public QWidget {
    Q_OBJECT

public:
    explicit ScatterPlot(QWidget* parent = nullptr);

    void show_data(ScatterData data);
    /// Marks the point of a row; none where there is no such point.
    void select(int row) { select(std::vector<int>{row}); }
    /// Marks the points of rows; the arrow keys go on from the first.
    void select(std::vector<int> rows);
    [[nodiscard]] const std::vector<int>& selection() const { return rows_; }

    /// Row of the nearest point within a few pixels of a place.
    [[nodiscard]] std::optional<int> row_at(QPointF at) const;
    [[nodiscard]] QPointF place_of(const ScatterPoint& point) const
    {
        return shown_.to_widget(shown_.placed.place(0, point.x, point.y));
    }
    /// Rows of all points in a rectangle of the widget, in their order.
    [[nodiscard]] std::vector<int> rows_in(const QRectF& band) const;
    [[nodiscard]] const ScatterData& data() const { return data_; }
    /// What is shown and exported; nothing where there are no points.
    [[nodiscard]] std::optional<PanelPlot> panel_plot() const;

    [[nodiscard]] QSize sizeHint() const override { return {360, 280}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 150}; }

signals:
    void selected(int row);
    /// By a rectangle, or one after the other with Ctrl; the selection of before is in there.
    void several_selected(const std::vector<int>& rows);
    void activated(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] const ScatterPoint* point_at(QPointF at) const;
    void refresh();
    void paint_selected(QPainter& painter) const;
    void step(int direction);

    ScatterData data_;
    ShownPlot shown_;       ///< at this size
    std::vector<int> rows_; ///< that are marked
    struct Band {
        QPointF from;
        QPointF to;
    };
    std::optional<Band> band_; ///< while it is drawn
};

} // namespace texelscope::gui
