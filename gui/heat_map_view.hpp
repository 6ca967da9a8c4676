#pragma once

#include "gui/colour_table.hpp"
#include "gui/max_pyramid.hpp"
#include "gui/texel_readout.hpp"
#include "gui/viewport.hpp"

#include <QWidget>
#include <memory>
#include <optional>

namespace texelscope {

/// A heat map that can be zoomed (wheel, + and -), moved (drag, arrow keys) and fitted (F, Home), with a read-out of
/// the texel under the mouse. Reduced, a pixel shows the maximum of the texels under it.
class HeatMapView : public QWidget {
    Q_OBJECT

public:
    explicit HeatMapView(QWidget* parent = nullptr);

    /// Shows one quantity of image number `image` of the study. An image of the same size keeps the viewport.
    void show_image(std::shared_ptr<const StudyResult> study, std::size_t image, HeatQuantity quantity,
                    ColourScale scale);
    void set_scale(ColourScale scale);
    void set_block_grid(bool on);
    void set_lines(bool on);

    [[nodiscard]] const Viewport& viewport() const { return view_; }
    [[nodiscard]] std::optional<TexelReadout> readout_at(QPointF at) const;
    [[nodiscard]] std::int64_t max() const { return shown_ ? shown_->pyramid.max() : 0; }

    void fit();
    /// Around a place of the widget that stays where it is.
    void zoom(double factor, QPointF anchor);
    /// What is shown moves by that many pixels.
    void nudge(QPointF pixels);

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
    /// What is shown: one image of a study and one of its maps, prepared for drawing.
    struct Shown {
        std::shared_ptr<const StudyResult> study;
        std::size_t image;
        MaxPyramid pyramid;
        TexelLayout layout;

        [[nodiscard]] const StudyImage& study_image() const { return study->images[image]; }
    };

    [[nodiscard]] double smallest_scale() const;
    void change_view(const Viewport& view, double margin);
    void update_hover(std::optional<QPointF> at);
    void paint_block_grid(QPainter& painter) const;
    void paint_lines(QPainter& painter) const;
    void paint_focus(QPainter& painter) const;
    void paint_readout(QPainter& painter) const;

    std::optional<Shown> shown_;
    ColourScale scale_ = ColourScale::linear;
    Viewport view_;
    bool fitted_ = true; ///< follows the size of the widget
    bool block_grid_ = true;
    bool lines_ = false;
    std::optional<QPointF> mouse_;
    std::optional<QPointF> dragged_from_;
};

} // namespace texelscope
