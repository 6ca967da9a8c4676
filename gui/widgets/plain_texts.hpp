#pragma once

#include <QObject>

namespace texelscope::gui {

/// Shows labels, messages and tool tips of the whole program as they are written, as long as it
/// lives. Qt would take one that looks like HTML for it, and names of files, layers and devices are
/// others' to choose: they could draw pictures and lead elsewhere. What is meant as HTML says so,
/// by QLabel::setTextFormat().
class PlainTexts : public QObject {
public:
    explicit PlainTexts(QObject* parent);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace texelscope::gui
