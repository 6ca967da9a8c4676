#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QRect>
#include <QWidget>

class QLabel;
class QPushButton;

namespace texelscope::gui {

/// A coloured frame around a part of a window, on top of it; follows it, hides with it, and lets
/// the mouse through.
class PartFrame : public QWidget {
    Q_OBJECT

public:
    /// A child of the part's window.
    explicit PartFrame(QWidget& part);

signals:
    void moved();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void follow();

    QPointer<QWidget> part_;
};

/// Where a card of that size hides none of the parts: beside one of them, else in the middle of the
/// area, within it in any case.
[[nodiscard]] QRect place_beside(QSize card, const QList<QRect>& parts, const QRect& area);

/// A card on top of a window, which goes on working below it: a title, a text, and the buttons
/// Back, Next and End. Right and Left go on and back while the card has the keyboard, Enter presses
/// the button that has it, Esc ends.
class TourCard : public QFrame {
    Q_OBJECT

public:
    explicit TourCard(QWidget* window);

    struct Face {
        QString title;
        QString text;
        QString place; ///< "2 of 5"; may be empty
        bool back = false;
        QString next; ///< texts of the buttons
        QString end;
    };
    void show_face(const Face& face);

signals:
    void back();
    void next();
    void ended();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLabel* title_;
    QLabel* text_;
    QLabel* place_;
    QPushButton* back_;
    QPushButton* next_;
    QPushButton* end_;
};

} // namespace texelscope::gui
