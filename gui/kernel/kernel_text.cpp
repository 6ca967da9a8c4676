#include "gui/kernel/kernel_text.hpp"

#include "gui/kernel/opencl_highlighter.hpp"
#include "gui/widgets/theme.hpp"

#include <QEvent>
#include <QFontDatabase>
#include <QScrollBar>
#include <QTextBlock>

namespace texelscope::gui {

KernelText::KernelText(QWidget* parent)
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
}

void KernelText::show_text(const std::string& text)
{
    diff_.clear();
    set_text(QString::fromStdString(text));
}

void KernelText::show_diff(const std::vector<DiffLine>& lines)
{
    diff_ = lines;
    QString text;
    for (const DiffLine& line : diff_) {
        // The signs say without colours what the colours say.
        const char* sign = line.kind == DiffKind::added ? "+ " : line.kind == DiffKind::removed ? "- " : "  ";
        text += QLatin1String(sign) + QString::fromStdString(line.text) + u'\n';
    }
    text.chop(1);
    set_text(text);
}

void KernelText::set_text(const QString& text)
{
    const int at = verticalScrollBar()->value(); // another configuration's kernel is mostly alike: stay at the place
    setPlainText(text);
    colour_lines();
    verticalScrollBar()->setValue(at);
}

void KernelText::colour_lines()
{
    QList<QTextEdit::ExtraSelection> grounds;
    for (std::size_t i = 0; i < diff_.size(); ++i) {
        if (diff_[i].kind == DiffKind::same) {
            continue;
        }
        QTextEdit::ExtraSelection ground;
        ground.cursor = QTextCursor(document()->findBlockByNumber(static_cast<int>(i)));
        ground.format.setBackground(diff_[i].kind == DiffKind::added ? added_ground(palette())
                                                                     : removed_ground(palette()));
        ground.format.setProperty(QTextFormat::FullWidthSelection, true);
        grounds << ground;
    }
    setExtraSelections(grounds);
}

void KernelText::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && highlighter_ != nullptr) {
        highlighter_->set_dark(is_dark(palette()));
        colour_lines();
    }
    QPlainTextEdit::changeEvent(event);
}

} // namespace texelscope::gui
