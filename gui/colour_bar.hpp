#pragma once

#include "gui/colour_table.hpp"

#include <QWidget>

namespace texelscope {

/// The colour map from 0 (bottom) to the largest count (top), with numbers.
class ColourBar : public QWidget {
    Q_OBJECT

public:
    explicit ColourBar(QWidget* parent = nullptr);

    void show_scale(std::int64_t max, ColourScale scale);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {sizeHint().width(), 80}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::int64_t max_ = 0;
    ColourScale scale_ = ColourScale::linear;
};

} // namespace texelscope
