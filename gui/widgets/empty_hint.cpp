#include "gui/widgets/empty_hint.hpp"

#include <QAbstractItemView>
#include <QEvent>
#include <QLabel>
#include <utility>

namespace texelscope::gui {

EmptyHint::EmptyHint(QWidget* view, const QString& text) : QLabel(view)
{
    setObjectName("empty_hint");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setMargin(fontMetrics().height());
    view->installEventFilter(this);
    setGeometry(view->rect());
    setForegroundRole(QPalette::PlaceholderText);
    show_text(text);
}

void EmptyHint::show_text(const QString& text)
{
    setText(text);
    setVisible(!text.isEmpty());
}

bool EmptyHint::eventFilter(QObject* watched, QEvent* event)
{
    // What is resized while it is being shown is not told of it.
    if (watched == parentWidget() && (event->type() == QEvent::Resize || event->type() == QEvent::Show)) {
        setGeometry(parentWidget()->rect());
    }
    return QLabel::eventFilter(watched, event);
}

void hint_while_empty(QAbstractItemView& view, std::function<QString()> text)
{
    auto* hint = new EmptyHint(view.viewport());
    const QAbstractItemModel* model = view.model();
    const auto refresh = [hint, model, text = std::move(text)] {
        hint->show_text(model->rowCount() == 0 ? text() : QString());
    };
    refresh();
    QObject::connect(model, &QAbstractItemModel::modelReset, hint, refresh);
    QObject::connect(model, &QAbstractItemModel::rowsInserted, hint, refresh);
    QObject::connect(model, &QAbstractItemModel::rowsRemoved, hint, refresh);
    QObject::connect(model, &QAbstractItemModel::layoutChanged, hint, refresh);
}

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
