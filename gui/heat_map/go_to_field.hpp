#pragma once

#include "traces/image.hpp"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace texelscope::gui {

/// The texel that "x,y" names. Throws bad_input, saying what to write, for anything else and
/// outside of the image.
[[nodiscard]] Texel parse_texel(const QString& text, Extent2D image);

/// A line to write a texel's coordinates in: Enter goes there, Esc closes it. What is wrong is said
/// beside it.
class GoToField : public QWidget {
    Q_OBJECT

public:
    explicit GoToField(QWidget* parent = nullptr);

    /// Coordinates are of an image of that size from now on.
    void set_image(Extent2D image) { image_ = image; }
    /// Shows itself, ready to be written in.
    void open();

signals:
    void chosen(texelscope::traces::Texel texel);
    void closed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void choose();
    void close_field();

    Extent2D image_;
    QLineEdit* text_;
    QLabel* error_;
};

} // namespace texelscope::gui
