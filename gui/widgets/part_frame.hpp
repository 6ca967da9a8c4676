#pragma once

#include <QPointer>
#include <QWidget>

namespace texelscope::gui {

/// A coloured frame around a part of a window, on top of it; follows it, hides with it, and lets the mouse through.
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

} // namespace texelscope::gui
