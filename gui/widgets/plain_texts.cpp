#include "gui/widgets/plain_texts.hpp"

#include <QCoreApplication>
#include <QEvent>
#include <QLabel>

namespace texelscope::gui {

PlainTexts::PlainTexts(QObject* parent) : QObject(parent)
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool PlainTexts::eventFilter(QObject* watched, QEvent* event)
{
    // It comes before a label is first shown or asked for its size. Tool tips are labels, too.
    if (event->type() == QEvent::Polish) {
        if (auto* const label = qobject_cast<QLabel*>(watched);
            label != nullptr && label->textFormat() == Qt::AutoText) {
            label->setTextFormat(Qt::PlainText);
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace texelscope::gui
