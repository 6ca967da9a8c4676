#include "gui/start/gallery_card.hpp"

#include "gui/widgets/controls.hpp"
#include "gui/widgets/theme.hpp"

#include <QEnterEvent>
#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

namespace texelscope::gui {
namespace {

/// Pixels around and between picture and text.
constexpr int gap = 8;

} // namespace

GalleryCard::GalleryCard(QWidget* parent) : QAbstractButton(parent)
{
    setObjectName("gallery_card");
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void GalleryCard::set_texts(const QString& title, const QString& text, const QString& caption)
{
    text_ = text;
    caption_ = caption;
    setText(title);
    setAccessibleName(title);
    setAccessibleDescription(text);
    updateGeometry();
    update();
}

int GalleryCard::side() const
{
    return fontMetrics().lineSpacing() * 5;
}

QSize GalleryCard::picture_size() const
{
    return QSize(side(), side()) * devicePixelRatioF();
}

void GalleryCard::set_picture(const QImage& picture)
{
    picture_ = picture;
    update();
}

QRect GalleryCard::text_rect(int width, int height) const
{
    const int left = gap + side() + gap;
    return {left, gap, width - left - gap, height - 2 * gap};
}

QSize GalleryCard::sizeHint() const
{
    const int width = 2 * side() + fontMetrics().averageCharWidth() * 18;
    const QRect room = text_rect(width, 10000);
    const int title =
        QFontMetrics(bold(font())).boundingRect(room, Qt::TextWordWrap, text()).height();
    const int lines = fontMetrics().boundingRect(room, Qt::TextWordWrap, text_).height();
    const int below = caption_.isEmpty() ? 0 : fontMetrics().lineSpacing() + gap / 2;
    return {width, std::max(side(), title + lines + below) + 2 * gap};
}

void GalleryCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool chosen = hasFocus() || underMouse();
    const QColor line = chosen ? palette().color(QPalette::Highlight) : faint(palette());
    painter.setPen(QPen(line, hasFocus() ? 2 : 1));
    painter.setBrush(palette().color(isDown() ? QPalette::AlternateBase : QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);

    const QRect place(gap, gap, side(), side());
    if (picture_.isNull()) {
        painter.fillRect(place, untouched_grey(palette()));
    } else {
        painter.drawImage(place, picture_);
    }
    QRect room = text_rect(width(), height());
    painter.setPen(palette().color(QPalette::Text));
    painter.setFont(bold(font()));
    QRect used;
    painter.drawText(room, Qt::TextWordWrap, text(), &used);
    room.setTop(used.bottom() + 1);
    painter.setFont(font());
    painter.drawText(room, Qt::TextWordWrap, text_);
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(gap, gap, -gap, -gap), Qt::AlignBottom | Qt::TextSingleLine,
                     caption_);
}

void GalleryCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

void GalleryCard::enterEvent(QEnterEvent*)
{
    update();
}

void GalleryCard::leaveEvent(QEvent*)
{
    update();
}

} // namespace texelscope::gui
