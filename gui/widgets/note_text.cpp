#include "gui/widgets/note_text.hpp"

#include "gui/widgets/theme.hpp"

namespace texelscope::gui {

void set_note_text(QLabel& label, const QString& text, bool error)
{
    QPalette colours; // the parent's, but for what is set here
    if (error) {
        colours.setColor(QPalette::WindowText, error_colour(label.palette()));
    }
    label.setPalette(colours);
    label.setText(text);
}

} // namespace texelscope::gui
