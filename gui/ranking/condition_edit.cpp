#include "gui/ranking/condition_edit.hpp"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QStringListModel>

namespace texelscope::gui {

// QLineEdit's own completer replaces the whole text, so this one is attached by hand.
ConditionEdit::ConditionEdit(QWidget* parent)
    : QLineEdit(parent), names_(new QStringListModel(this)), completer_(new QCompleter(names_, this))
{
    completer_->setWidget(this);
    completer_->setCaseSensitivity(Qt::CaseInsensitive);
    connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &ConditionEdit::insert);
    connect(this, &QLineEdit::textEdited, this, [this] { complete(); });
}

void ConditionEdit::set_names(const QStringList& names)
{
    names_->setStringList(names);
}

int ConditionEdit::begin_of_name() const
{
    int begin = cursorPosition();
    const QString all = text();
    while (begin > 0 && (all[begin - 1].isLetterOrNumber() || all[begin - 1] == u'_')) {
        --begin;
    }
    return begin > 0 && (all[begin - 1] == u'\'') ? begin - 1 : begin;
}

void ConditionEdit::complete()
{
    constexpr int enough = 2; // letters: fewer would offer something all the time
    const QString begun = text().mid(begin_of_name(), cursorPosition() - begin_of_name());
    completer_->setCompletionPrefix(begun);
    const bool whole = completer_->completionCount() == 1 && completer_->currentCompletion() == begun;
    if (begun.size() < enough || completer_->completionCount() == 0 || whole) {
        completer_->popup()->hide();
        return;
    }
    QRect place = cursorRect();
    place.setWidth(completer_->popup()->sizeHintForColumn(0) + 2 * fontMetrics().height());
    completer_->complete(place);
}

void ConditionEdit::insert(const QString& name)
{
    const int begin = begin_of_name();
    setSelection(begin, cursorPosition() - begin);
    QLineEdit::insert(name);
}

void ConditionEdit::keyPressEvent(QKeyEvent* event)
{
    const bool chooses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                         event->key() == Qt::Key_Escape || event->key() == Qt::Key_Tab;
    if (chooses && completer_->popup()->isVisible()) {
        event->ignore(); // the popup's
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

} // namespace texelscope::gui
