#pragma once

#include "gui/heat_map/colour_table.hpp"

#include <QWidget>
#include <vector>

namespace texelscope::gui {

/// The colours of a heat map with their values, beside them how many texels have these; two handles
/// limit the values that the colours are spread over. They move by the mouse, and by keys: Up and
/// Down the upper one, with Shift the lower one; Home or a double click takes the limits away.
class ColourBar : public QWidget {
    Q_OBJECT

public:
    explicit ColourBar(QWidget* parent = nullptr);

    /// The limits stay.
    void show_scale(HeatLayer::Kind kind, const ValueScale& scale);
    [[nodiscard]] ColourRange range() const { return range_; }
    /// Sets the limits without emitting range_changed().
    void set_range(ColourRange range);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {sizeHint().width(), 80}; }

    /// Height of a handle, for tests and for the mouse; pixels from the top.
    [[nodiscard]] double handle_y(double position) const;

signals:
    void range_changed(texelscope::gui::ColourRange range);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Handle { none, low, high };
    [[nodiscard]] QRect bar() const;
    [[nodiscard]] bool has_range() const;
    void move(Handle handle, double position);
    void change(ColourRange range);
    void describe();
    void paint_warps(QPainter& painter) const;
    void paint_ticks(QPainter& painter) const;
    void paint_histogram(QPainter& painter) const;
    void paint_handles(QPainter& painter) const;
    [[nodiscard]] std::vector<std::int64_t> ticks() const;

    HeatLayer::Kind kind_ = HeatLayer::Kind::counts;
    ValueScale scale_;
    ColourRange range_;
    std::vector<std::int64_t> histogram_;
    Handle held_ = Handle::none;
};

} // namespace texelscope::gui
