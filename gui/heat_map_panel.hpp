#pragma once

#include "gui/heat_map_view.hpp"

#include <QWidget>
#include <memory>

class QCheckBox;
class QComboBox;
class QToolButton;

namespace texelscope {

class ColourBar;
class EmptyHint;
class GoToField;
class PlaybackBar;

/// The heat map with what chooses its contents: image, quantity, scale, overlays; its colour bar; and the playback of
/// the accesses under it.
class HeatMapPanel : public QWidget {
    Q_OBJECT

public:
    explicit HeatMapPanel(QWidget* parent = nullptr);

    /// The chosen quantity stays, and so does the image where the study has one of that number.
    void show_study(std::shared_ptr<const StudyResult> study);

    [[nodiscard]] HeatMapView& view() { return *view_; }
    [[nodiscard]] PlaybackBar& playback() { return *playback_; }
    [[nodiscard]] std::size_t image() const;
    [[nodiscard]] HeatQuantity quantity() const;
    [[nodiscard]] ColourScale scale() const;
    /// Of what is shown, as a PNG file's bytes. Throws bad_input where there is no study yet.
    [[nodiscard]] std::string picture() const;

protected:
    /// The keys of the playback and of going to a texel, where no control of the panel takes them.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refresh();
    void open_go_to();

    std::shared_ptr<const StudyResult> study_;
    QComboBox* image_;
    QComboBox* quantity_;
    QComboBox* scale_;
    QCheckBox* grid_;
    QCheckBox* lines_;
    QToolButton* play_;
    HeatMapView* view_;
    EmptyHint* hint_;
    ColourBar* bar_;
    GoToField* go_to_;
    PlaybackBar* playback_;
};

} // namespace texelscope
