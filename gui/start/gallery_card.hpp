#pragma once

#include <QAbstractButton>
#include <QImage>

namespace texelscope::gui {

/// A button with a small picture, a title, and below it what to look for. Return presses it like
/// Space.
class GalleryCard : public QAbstractButton {
    Q_OBJECT

public:
    explicit GalleryCard(QWidget* parent = nullptr);

    /// `caption`: of the picture; stands below, may be empty.
    void set_texts(const QString& title, const QString& text, const QString& caption = {});
    /// In pixels of the screen, at that font.
    [[nodiscard]] QSize picture_size() const;
    void set_picture(const QImage& picture);
    [[nodiscard]] bool has_picture() const { return !picture_.isNull(); }

    /// All cards are as wide; the text decides how high.
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] int side() const; ///< of the picture
    [[nodiscard]] QRect text_rect(int width, int height) const;

    QString text_;
    QString caption_;
    QImage picture_;
};

} // namespace texelscope::gui
