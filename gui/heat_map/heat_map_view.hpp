#pragma once

#include "gui/heat_map/access_recording.hpp"
#include "gui/heat_map/colour_table.hpp"
#include "gui/heat_map/fold.hpp"
#include "gui/heat_map/heat_map_raster.hpp"
#include "gui/heat_map/heat_picture.hpp"
#include "gui/heat_map/overlays.hpp"
#include "gui/heat_map/overview.hpp"
#include "gui/heat_map/texel_readout.hpp"
#include "gui/heat_map/viewport.hpp"
#include "sim/memory/image_storage.hpp"

#include <QWidget>
#include <memory>
#include <optional>

namespace texelscope::gui {

/// A heat map that can be zoomed (wheel, + and -, Shift+drag), moved (drag, arrow keys) and fitted
/// (F, Home), each of which can be undone (Backspace, Alt+Left) and redone; with a read-out of the
/// texel under the mouse. Reduced, a pixel shows the maximum of the texels under it.
class HeatMapView : public QWidget {
    Q_OBJECT

public:
    explicit HeatMapView(QWidget* parent = nullptr);

    /// An image of the same size keeps the viewport.
    void show_picture(std::shared_ptr<const HeatPicture> picture, ValueAxis axis);
    /// As before the first picture.
    void show_nothing();
    /// Null before the first.
    [[nodiscard]] const std::shared_ptr<const HeatPicture>& picture() const { return shown_; }
    /// Which warps read the texels last in the launch that is shown, for the read-out; null: not
    /// known.
    void set_last_touches(std::shared_ptr<const LateMaps> touches);
    void set_axis(ValueAxis axis);
    void set_range(ColourRange range);
    [[nodiscard]] const ValueScale& scale() const { return scale_; }
    /// What is drawn over the heat map: borders of the storage layout's blocks and of cache lines,
    /// the order in memory.
    struct Overlays {
        bool block_grid = true;
        bool lines = false;
        bool storage_order = false;
        bool overview = true; ///< where a part of the picture is seen
    };
    void show_overlays(Overlays overlays);
    /// Whether a narrow image is cut into bands side by side, see best_fold(); it is by default.
    void set_folding(bool on);
    /// Whether what is shown is narrow enough for that.
    [[nodiscard]] bool can_fold() const;
    [[nodiscard]] const Fold& fold() const { return fold_; }
    /// The moment of a playback that is drawn over the heat map, or none.
    void set_playback(const std::optional<PlaybackFrame>& frame);

    [[nodiscard]] const Viewport& viewport() const { return view_; }
    /// The cell of the picture at a place of the widget.
    [[nodiscard]] std::optional<Texel> cell_at(QPointF at) const;
    /// The read-out of the texel at a place of the widget, or of the texel that holds the element
    /// there.
    [[nodiscard]] std::optional<TexelReadout> readout_at(QPointF at) const;
    /// The small map of the whole, while it is there.
    [[nodiscard]] std::optional<Overview> overview() const;
    [[nodiscard]] std::int64_t max() const { return shown_ ? shown_->pyramid.max() : 0; }
    /// The value of a cell, in words; empty before the first picture, and outside of it.
    [[nodiscard]] QString value_text(Texel cell) const;

    /// The size of the image that is shown; empty before the first.
    [[nodiscard]] Extent2D extent() const { return shown_ ? shown_->stored.extent : Extent2D{}; }

    // Each of these can be undone.
    void fit();
    /// Centres on a texel of the image, or on its first element, large enough to be seen, and marks
    /// it until the view is changed otherwise.
    void go_to(Texel texel);
    /// The part of the widget inside the rectangle fills it.
    void zoom_into(QRectF part);

    void undo_view() { restore(history_.undo({view_, fitted_})); }
    void redo_view() { restore(history_.redo({view_, fitted_})); }

    [[nodiscard]] QSize sizeHint() const override { return {640, 480}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 160}; }

signals:
    /// One line about the texel under the mouse; empty where there is none.
    void hovered(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    /// Pixels of the image that stay in the widget when it is moved.
    static constexpr double keep_margin = 24;

    [[nodiscard]] double smallest_scale() const;
    [[nodiscard]] double margin() const;
    /// What fits the widget best.
    [[nodiscard]] Fold fitting_fold(bool folding) const;
    [[nodiscard]] PlacedMap placed() const { return {*shown_, fold_, view_, size()}; }
    void fit_now();
    void change_view(const Viewport& view, double margin);
    /// Around a place of the widget that stays where it is.
    void zoom(double factor, QPointF anchor);
    /// A gesture begins.
    void remember();
    void restore(const std::optional<ViewHistory::Entry>& entry);
    void update_hover(std::optional<QPointF> at);
    /// Centres the view on it.
    void look_at(QPointF place_of_plane);
    void paint_focus(QPainter& painter) const;
    void paint_readout(QPainter& painter) const;

    std::shared_ptr<const HeatPicture> shown_;
    std::shared_ptr<const LateMaps> touches_;
    ValueScale scale_;
    ColourRange range_;
    std::optional<ColourTable> colours_; ///< made when it is first drawn with
    bool folding_ = true;
    Fold fold_;
    Viewport view_;      ///< of the fold's plane
    bool fitted_ = true; ///< follows the size of the widget
    Overlays overlays_;
    ViewHistory history_;
    /// When it turned, in ms, unless another gesture came since.
    std::optional<std::uint64_t> last_wheel_;
    std::optional<QPointF> mouse_;
    std::optional<QPointF> dragged_from_;
    bool drag_moved_ = false;
    std::optional<QRectF> rubber_band_;
    bool overview_held_ = false; ///< by the mouse
    std::optional<Texel> mark_;  ///< the cell that go_to() went to
    std::optional<PlaybackFrame> playback_;
};

} // namespace texelscope::gui
