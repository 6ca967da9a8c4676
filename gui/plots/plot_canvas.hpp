#pragma once

#include "gui/plots/shown_plot.hpp"
#include "workbench/plots/panel_plot.hpp"

#include <QWidget>
#include <optional>
#include <vector>

namespace texelscope::gui {

/// A part of the x axis.
struct PlotRange {
    double low = 0;
    double high = 1;
};

/// The range zoomed around the value at `share` of its length, which stays there, in the plot's own
/// scale of x; never beyond the plot's range, nor less than a thousandth of it.
[[nodiscard]] PlotRange zoomed(const PanelPlot& plot, PlotRange range, double factor, double share);
/// The range moved along x by a share of its length, inside of the plot's.
[[nodiscard]] PlotRange moved(const PanelPlot& plot, PlotRange range, double share);

/// The part of a plot of curves that is in the range. Lines are cut at its ends; points of curves
/// without lines keep their numbers.
[[nodiscard]] PanelPlot part_of(const PanelPlot& plot, PlotRange range);

[[nodiscard]] bool has_bars(const PanelPlot& plot);

/// A plot that fills the widget, without its title, with texts as large as the widget's font. The
/// wheel zooms along x, a drag moves, a double click shows all; plots with bars stay as they are.
class PlotCanvas : public QWidget {
    Q_OBJECT

public:
    explicit PlotCanvas(QWidget* parent = nullptr);

    /// A plot with the x axis of the one before keeps the range.
    void show_plot(std::optional<PanelPlot> plot);
    /// What the middle says while there is no plot.
    void set_hint(const QString& hint);

    /// The part that is shown, with its title, as wide as it was made.
    [[nodiscard]] std::optional<PanelPlot> plot() const;
    [[nodiscard]] const std::optional<PlotRange>& range() const { return range_; }
    void show_all();

    /// The points that are shown, where they are in the drawing.
    [[nodiscard]] const std::vector<PlacedPoint>& points() const { return shown_.placed.points; }
    [[nodiscard]] const ShownPlot& shown() const { return shown_; }
    /// The point nearest to a place of the widget, where it is near.
    [[nodiscard]] std::optional<PlacedPoint> point_at(QPointF at) const;
    /// The bar at a place of the widget; the whole height of a panel above and below a bar counts
    /// as the bar.
    [[nodiscard]] const PlacedBar* bar_at(QPointF at) const;
    /// Parts of the x axis that are marked in the colour of selections, in every panel.
    void mark(std::vector<PlotRange> parts);
    [[nodiscard]] const std::vector<PlotRange>& marked() const { return marked_; }
    /// What a tool tip says there.
    [[nodiscard]] QString tip_at(QPointF at) const;
    /// A place of the drawing that is shown.
    [[nodiscard]] QPointF to_widget(DrawnPoint at) const { return shown_.to_widget(at); }

    [[nodiscard]] QSize sizeHint() const override { return {520, 300}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 140}; }

signals:
    void point_clicked(const texelscope::workbench::plots::PlacedPoint& point);
    void bar_clicked(const texelscope::workbench::plots::PlacedBar& bar);
    /// A double click.
    void bar_activated(const texelscope::workbench::plots::PlacedBar& bar);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    void refresh();
    void set_range(PlotRange range);
    void paint_marks(QPainter& painter) const;
    /// Where along a panel a place is, from 0 at its left to 1; nothing beside the panels.
    [[nodiscard]] std::optional<double> share_at(QPointF at) const;

    std::optional<PanelPlot> plot_;
    std::optional<PlotRange> range_; ///< nothing: all
    std::vector<PlotRange> marked_;
    QString hint_;
    ShownPlot shown_; ///< at this size
    struct Drag {
        QPointF from;
        QPointF last;
        bool moved = false;
    };
    std::optional<Drag> drag_;
};

} // namespace texelscope::gui
