#pragma once

#include "base/number_text.hpp"
#include "base/units.hpp"
#include "traces/image.hpp"

#include <QCoreApplication>
#include <QFont>
#include <QLabel>
#include <QStackedWidget>
#include <QString>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSplitter;
class QToolButton;
class QWidget;
class QAbstractItemView;

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
Widget* named_with_tip(Widget* widget, const char* object_name, const QString& about,
                       const QString& tip = {})
{
    named(widget, object_name, about)->setToolTip(tip.isEmpty() ? about : tip);
    return widget;
}

[[nodiscard]] QPushButton* push_button(const QString& text, const char* object_name,
                                       const QString& about, const QString& tip = {});
[[nodiscard]] QToolButton* tool_button(const QString& text, const QString& about,
                                       const QString& tip = {});
/// In front of a control, with its mnemonic.
[[nodiscard]] QLabel* label_for(const QString& text, QWidget* control);
/// For lines that may be copied; with `cut`, a long one does not widen the window.
[[nodiscard]] QLabel* text_label(const char* object_name, const QString& about, bool cut = false);
/// Which show_share() fills.
[[nodiscard]] QProgressBar* progress_bar(const char* object_name, const QString& about);
void show_share(QProgressBar& bar, double share);
/// A list with its controls, and to the right of it, twice as wide, the view of what is chosen
/// there.
[[nodiscard]] QSplitter* list_beside_view(QWidget* side, QWidget* view);
/// With a button that clears it.
[[nodiscard]] QLineEdit* search_line(const char* object_name, const QString& about,
                                     const QString& placeholder);

/// Sets a label's text; in the colour of errors where it says that something is wrong, else in that
/// of the label's parent.
void set_note_text(QLabel& label, const QString& text, bool error = false);
[[nodiscard]] QFont bold(QFont font);

/// Asks for a file and writes it; a box says what goes wrong.
void ask_and_write(QWidget* above, const QString& title, const QString& name, const QString& filter,
                   const std::function<void(const std::string& path)>& write);

/// What an empty view says: one or two lines in its middle on what to do next, that let the mouse
/// through. Fills the view, whatever its size.
class EmptyHint : public QLabel {
    Q_OBJECT

public:
    /// `view`: where the hint lies; of a scroll area, its viewport.
    explicit EmptyHint(QWidget* view, const QString& text = {});

    /// An empty text hides the hint: there is something to see.
    void show_text(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

/// A table or tree says this while it has no rows. The text is asked for whenever that may have
/// changed. The view has its model.
void hint_while_empty(QAbstractItemView& view, std::function<QString()> text);

/// A view, or in its place a note that says why it is empty and what to do.
class NotePage : public QStackedWidget {
    Q_OBJECT

public:
    explicit NotePage(QWidget* view, QWidget* parent = nullptr);

    void show_view();
    void show_note(const QString& note);
    /// Empty where the view is shown.
    [[nodiscard]] QString note() const;

private:
    QLabel* note_;
};

// As base/number_text.hpp has them.
[[nodiscard]] inline QString count_text(std::int64_t count)
{
    return QString::fromStdString(base::count_text(count));
}
[[nodiscard]] inline QString time_text(Nanoseconds time)
{
    return QString::fromStdString(base::time_text(time));
}
[[nodiscard]] inline QString bytes_text(Bytes bytes)
{
    return QString::fromStdString(base::bytes_text(bytes));
}
/// "12.3 %"; "0.0 %" where the whole is zero.
[[nodiscard]] QString share_text(std::int64_t part, std::int64_t whole);

/// "4×8".
[[nodiscard]] QString size_text(Extent2D extent);

/// 0, 1, 10, 100, ... up to `max`, and `max` itself where it is not near the last one.
[[nodiscard]] std::vector<std::int64_t> logarithmic_ticks(std::int64_t max);

} // namespace texelscope::gui
