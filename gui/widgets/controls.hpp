#pragma once

#include <QCoreApplication>
#include <QFont>
#include <QString>
#include <functional>
#include <string>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QToolButton;
class QWidget;

namespace texelscope::gui {

/// What QObject::tr() is to its classes, for text outside of them.
[[nodiscard]] inline QString tr(const char* text)
{
    return QCoreApplication::translate("texelscope", text);
}

/// The widget, with a name for tests and style sheets, and one for those who cannot see it.
template <class Widget>
Widget* named(Widget* widget, const char* object_name, const QString& accessible_name)
{
    widget->setObjectName(object_name);
    widget->setAccessibleName(accessible_name);
    return widget;
}

/// The same, and the accessible name is its tool tip too where it has no other.
template <class Widget>
Widget* named_with_tip(Widget* widget, const char* object_name, const QString& about, const QString& tip = {})
{
    named(widget, object_name, about)->setToolTip(tip.isEmpty() ? about : tip);
    return widget;
}

[[nodiscard]] QPushButton* push_button(const QString& text, const char* object_name, const QString& about,
                                       const QString& tip = {});
[[nodiscard]] QToolButton* tool_button(const QString& text, const QString& about, const QString& tip = {});
/// In front of a control, with its mnemonic.
[[nodiscard]] QLabel* label_for(const QString& text, QWidget* control);
/// For lines that may be copied; with `cut`, a long one does not widen the window.
[[nodiscard]] QLabel* text_label(const char* object_name, const QString& about, bool cut = false);
/// Which show_share() fills.
[[nodiscard]] QProgressBar* progress_bar(const char* object_name, const QString& about);
void show_share(QProgressBar& bar, double share);
/// With a button that clears it.
[[nodiscard]] QLineEdit* search_line(const char* object_name, const QString& about, const QString& placeholder);

/// Sets a label's text; in the colour of errors where it says that something is wrong, else in that of the label's parent.
void set_note_text(QLabel& label, const QString& text, bool error = false);
[[nodiscard]] QFont bold(QFont font);

/// Asks for a file and writes it; a box says what goes wrong.
void ask_and_write(QWidget* above, const QString& title, const QString& name, const QString& filter,
                   const std::function<void(const std::string& path)>& write);

} // namespace texelscope::gui
