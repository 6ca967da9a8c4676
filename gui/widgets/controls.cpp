#include "gui/widgets/controls.hpp"

#include "gui/widgets/theme.hpp"

#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <cmath>

namespace texelscope::gui {

QPushButton* push_button(const QString& text, const char* object_name, const QString& about, const QString& tip)
{
    return named_with_tip(new QPushButton(text), object_name, about, tip);
}

QToolButton* tool_button(const QString& text, const QString& about, const QString& tip)
{
    auto* button = named_with_tip(new QToolButton, "", about, tip);
    button->setText(text);
    return button;
}

QLabel* label_for(const QString& text, QWidget* control)
{
    auto* label = new QLabel(text);
    label->setBuddy(control);
    return label;
}

QLabel* text_label(const char* object_name, const QString& about, bool cut)
{
    auto* label = named(new QLabel, object_name, about);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setWordWrap(!cut);
    if (cut) {
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    return label;
}

QProgressBar* progress_bar(const char* object_name, const QString& about)
{
    auto* bar = named_with_tip(new QProgressBar, object_name, about);
    bar->setRange(0, 1000);
    return bar;
}

void show_share(QProgressBar& bar, double share)
{
    bar.setValue(static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * bar.maximum())));
}

QLineEdit* search_line(const char* object_name, const QString& about, const QString& placeholder)
{
    auto* line = named(new QLineEdit, object_name, about);
    line->setPlaceholderText(placeholder);
    line->setClearButtonEnabled(true);
    return line;
}

void set_note_text(QLabel& label, const QString& text, bool error)
{
    QPalette colours; // the parent's, but for what is set here
    if (error) {
        colours.setColor(QPalette::WindowText, error_colour(label.palette()));
    }
    label.setPalette(colours);
    label.setText(text);
}

QFont bold(QFont font)
{
    font.setBold(true);
    return font;
}

void ask_and_write(QWidget* above, const QString& title, const QString& name, const QString& filter,
                   const std::function<void(const std::string& path)>& write)
{
    const QString path = QFileDialog::getSaveFileName(above, title, name, filter);
    if (path.isEmpty()) {
        return;
    }
    try {
        write(path.toStdString());
    } catch (const std::exception& error) {
        QMessageBox::warning(above, title, error.what());
    }
}

} // namespace texelscope::gui
