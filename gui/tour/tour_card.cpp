#include "gui/tour/tour_card.hpp"

#include "gui/widgets/controls.hpp"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QShortcut>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// Pixels of the frame around a part.
constexpr double thick = 3;

constexpr int gap = 10; // pixels between a card and what it is about

/// The rectangle moved as little as needed to lie in the area, with the gap around it.
QRect moved_inside(QRect rect, const QRect& area)
{
    rect.moveLeft(
        std::max(area.left() + gap, std::min(rect.left(), area.right() - gap - rect.width())));
    rect.moveTop(
        std::max(area.top() + gap, std::min(rect.top(), area.bottom() - gap - rect.height())));
    return rect;
}

} // namespace

PartFrame::PartFrame(QWidget& part) : QWidget(part.window()), part_(&part)
{
    setObjectName("part_frame");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    // A part also moves with what it lies in.
    for (QWidget* each = &part; each != nullptr && each != part.window();
         each = each->parentWidget()) {
        each->installEventFilter(this);
    }
    follow();
}

bool PartFrame::eventFilter(QObject* watched, QEvent* event)
{
    switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
        follow();
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void PartFrame::follow()
{
    // A dock that has been torn off or put back is in another window now.
    if (!part_ || part_->window() != window()) {
        hide();
        return;
    }
    setGeometry(QRect(part_->mapTo(window(), QPoint(0, 0)), part_->size()));
    setVisible(part_->isVisible());
    raise();
    emit moved();
}

void PartFrame::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette().color(QPalette::Highlight), thick));
    painter.drawRoundedRect(QRectF(rect()).adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2),
                            4, 4);
}

QRect place_beside(QSize card, const QList<QRect>& parts, const QRect& area)
{
    QList<QRect> places;
    for (const QRect& part : parts) {
        const QPoint middle = part.center() - QPoint(card.width() / 2, card.height() / 2);
        places << QRect({part.right() + gap, middle.y()}, card)
               << QRect({part.left() - gap - card.width(), middle.y()}, card)
               << QRect({middle.x(), part.bottom() + gap}, card)
               << QRect({middle.x(), part.top() - gap - card.height()}, card);
    }
    // Right of a part, left, below, above, in that order; else in the middle, whatever it hides.
    const QRect centre(area.center() - QPoint(card.width() / 2, card.height() / 2), card);
    places << centre;
    for (const QRect& place : places) {
        const QRect inside = moved_inside(place, area);
        const bool free = std::none_of(parts.begin(), parts.end(),
                                       [&](const QRect& p) { return p.intersects(inside); });
        if (free) {
            return inside;
        }
    }
    return moved_inside(centre, area);
}

TourCard::TourCard(QWidget* window)
    : QFrame(window), title_(new QLabel), text_(new QLabel), place_(new QLabel),
      back_(new QPushButton(tr("B&ack"))), next_(new QPushButton), end_(new QPushButton)
{
    setObjectName("tour_card");
    setAccessibleName(tr("Tour"));
    setFocusPolicy(Qt::StrongFocus);
    QFont bold = font();
    bold.setBold(true);
    title_->setObjectName("tour_title");
    title_->setFont(bold);
    text_->setObjectName("tour_text");
    text_->setWordWrap(true);
    text_->setMinimumWidth(fontMetrics().averageCharWidth() * 58);
    place_->setObjectName("tour_place");
    back_->setObjectName("tour_back");
    back_->setToolTip(tr("The step before (Left)"));
    next_->setObjectName("tour_next");
    next_->setToolTip(tr("The next step (Right)"));
    end_->setObjectName("tour_end");
    end_->setToolTip(tr("Close this card (Esc)"));

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(place_, 1);
    buttons->addWidget(end_);
    buttons->addWidget(back_);
    buttons->addWidget(next_);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(title_);
    layout->addWidget(text_);
    layout->addLayout(buttons);
    layout->setSizeConstraint(QLayout::SetFixedSize);

    connect(back_, &QPushButton::clicked, this, &TourCard::back);
    connect(next_, &QPushButton::clicked, this, &TourCard::next);
    connect(end_, &QPushButton::clicked, this, &TourCard::ended);
    // Buttons would take these keys to move the focus among themselves.
    for (const auto& [key, button] :
         {std::pair{Qt::Key_Right, next_}, std::pair{Qt::Key_Left, back_}}) {
        auto* shortcut = new QShortcut(key, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, button, &QPushButton::click);
    }
}

void TourCard::show_face(const Face& face)
{
    title_->setText(face.title);
    text_->setText(face.text);
    place_->setText(face.place);
    back_->setVisible(!face.place.isEmpty());
    back_->setEnabled(face.back);
    next_->setText(face.next);
    next_->setVisible(!face.next.isEmpty());
    end_->setText(face.end);
    setAccessibleDescription(face.title + QStringLiteral(". ") + face.text);
    // In a fixed-size layout a label that wraps has no height of its own yet.
    text_->setMinimumHeight(0); // which would count
    text_->setMinimumHeight(text_->heightForWidth(text_->minimumWidth()));
    layout()->activate();
    adjustSize();
    show();
    raise();
    (face.next.isEmpty() ? end_ : next_)->setFocus(Qt::OtherFocusReason);
}

bool TourCard::event(QEvent* event)
{
    // While the card has the keyboard, Esc is about the card, and not about a running study.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    return QFrame::event(event);
}

void TourCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

void TourCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        emit ended();
    } else if (auto* button = qobject_cast<QPushButton*>(focusWidget());
               button != nullptr &&
               (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        button->click(); // which Enter does in dialogs alone
    } else {
        QFrame::keyPressEvent(event);
    }
}

} // namespace texelscope::gui
