#pragma once

#include <QLabel>

namespace texelscope::gui {

/// Sets a label's text; in the colour of errors where it says that something is wrong, else in that of the label's parent.
void set_note_text(QLabel& label, const QString& text, bool error = false);

} // namespace texelscope::gui
