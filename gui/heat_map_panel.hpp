#pragma once

#include "gui/heat_map_view.hpp"

#include <QWidget>
#include <memory>

class QCheckBox;
class QComboBox;

namespace texelscope {

class ColourBar;

/// The heat map with what chooses its contents: image, quantity, scale, overlays; and its colour bar.
class HeatMapPanel : public QWidget {
    Q_OBJECT

public:
    explicit HeatMapPanel(QWidget* parent = nullptr);

    /// The chosen quantity stays, and so does the image where the study has one of that number.
    void show_study(std::shared_ptr<const StudyResult> study);

    [[nodiscard]] HeatMapView& view() { return *view_; }
    [[nodiscard]] std::size_t image() const;
    [[nodiscard]] HeatQuantity quantity() const;
    [[nodiscard]] ColourScale scale() const;
    /// Of what is shown, as a PNG file's bytes. Throws bad_input where there is no study yet.
    [[nodiscard]] std::string picture() const;

private:
    void refresh();

    std::shared_ptr<const StudyResult> study_;
    QComboBox* image_;
    QComboBox* quantity_;
    QComboBox* scale_;
    QCheckBox* grid_;
    QCheckBox* lines_;
    HeatMapView* view_;
    ColourBar* bar_;
};

} // namespace texelscope
