#include "gui/kernel_panel.hpp"

#include "gui/opencl_highlighter.hpp"
#include "gui/theme.hpp"

#include <QEvent>
#include <QFontDatabase>

namespace texelscope {

KernelPanel::KernelPanel(QWidget* parent)
    : QPlainTextEdit(parent), highlighter_(new OpenClHighlighter(document(), is_dark(palette())))
{
    setObjectName("kernel");
    setAccessibleName(tr("OpenCL kernel"));
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    const QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    setFont(fixed);
    setTabStopDistance(4 * QFontMetricsF(fixed).horizontalAdvance(u' '));
    setPlaceholderText(tr("No study yet"));
}

void KernelPanel::show_text(const std::string& text)
{
    setPlainText(QString::fromStdString(text));
}

void KernelPanel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && highlighter_ != nullptr) {
        highlighter_->set_dark(is_dark(palette()));
    }
    QPlainTextEdit::changeEvent(event);
}

} // namespace texelscope
