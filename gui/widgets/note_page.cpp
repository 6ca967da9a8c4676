#include "gui/widgets/note_page.hpp"

#include <QLabel>

namespace texelscope::gui {

NotePage::NotePage(QWidget* view, QWidget* parent) : QStackedWidget(parent), note_(new QLabel)
{
    note_->setObjectName("note");
    note_->setAlignment(Qt::AlignCenter);
    note_->setWordWrap(true);
    note_->setMargin(fontMetrics().height());
    note_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    addWidget(view);
    addWidget(note_);
}

void NotePage::show_view()
{
    setCurrentIndex(0);
}

void NotePage::show_note(const QString& note)
{
    note_->setText(note);
    note_->setAccessibleName(note);
    setCurrentWidget(note_);
}

QString NotePage::note() const
{
    return currentWidget() == note_ ? note_->text() : QString();
}

} // namespace texelscope::gui
