#pragma once

#include <QStackedWidget>

class QLabel;

namespace texelscope::gui {

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
