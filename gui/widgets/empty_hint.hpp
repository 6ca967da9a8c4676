#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <functional>

class QAbstractItemView;
class QLabel;

namespace texelscope::gui {

/// What an empty view says: one or two lines in its middle on what to do next, that let the mouse through. Fills the view, whatever
/// its size.
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

/// A table or tree says this while it has no rows. The text is asked for whenever that may have changed. The view has its
/// model.
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

} // namespace texelscope::gui
