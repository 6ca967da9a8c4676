#include "gui/heat_map/go_to_field.hpp"

#include "base/error.hpp"
#include "gui/widgets/controls.hpp"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>

namespace texelscope::gui {

Texel parse_texel(const QString& text, Extent2D image)
{
    static const QRegularExpression form("^\\s*(\\d+)\\s*[,;\\s]\\s*(\\d+)\\s*$");
    const auto match = form.match(text);
    bool fits_x = false;
    bool fits_y = false;
    const Texel texel{match.captured(1).toInt(&fits_x), match.captured(2).toInt(&fits_y)};
    if (!fits_x || !fits_y || !image.contains(texel)) {
        const QString limits =
            QStringLiteral("write x,y with x from 0 to %1 and y from 0 to %2, such as %1,%2")
                .arg(image.width - 1)
                .arg(image.height - 1);
        throw bad_input("'" + text.toStdString() + "' is no texel of this image", {},
                        limits.toStdString());
    }
    return texel;
}

GoToField::GoToField(QWidget* parent)
    : QWidget(parent), text_(named(new QLineEdit, "go_to", tr("Texel to go to: x,y"))),
      error_(new QLabel)
{
    text_->setPlaceholderText(tr("x,y"));
    text_->setFixedWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * 16);
    text_->installEventFilter(this);
    error_->setObjectName("go_to_error");
    // A long error is cut off, rather than widening the window.
    error_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(label_for(tr("Go to texel"), text_));
    row->addWidget(text_);
    row->addWidget(error_, 1);
    connect(text_, &QLineEdit::returnPressed, this, &GoToField::choose);
    connect(text_, &QLineEdit::textEdited, error_, &QLabel::clear);
    hide();
}

void GoToField::open()
{
    show();
    text_->selectAll();
    text_->setFocus();
}

void GoToField::choose()
{
    try {
        const Texel texel = parse_texel(text_->text(), image_);
        emit chosen(texel);
        close_field();
    } catch (const Error& error) {
        set_note_text(*error_, error.what(), true);
        error_->setToolTip(error.what()); // the whole of it in a narrow window
    }
}

void GoToField::close_field()
{
    error_->clear();
    hide();
    emit closed();
}

bool GoToField::eventFilter(QObject* watched, QEvent* event)
{
    const bool key = event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (!key || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) {
        return QWidget::eventFilter(watched, event);
    }
    event->accept(); // here Esc is no shortcut of the window
    if (event->type() == QEvent::KeyPress) {
        close_field();
    }
    return true;
}

} // namespace texelscope::gui
