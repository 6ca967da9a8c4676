#pragma once

#include <QLineEdit>

class QCompleter;
class QStringListModel;

namespace texelscope::gui {

/// A line for conditions that completes the name under the cursor, not the whole line.
class ConditionEdit : public QLineEdit {
    Q_OBJECT

public:
    explicit ConditionEdit(QWidget* parent = nullptr);

    /// What can be completed: names of parameters, words in quotes.
    void set_names(const QStringList& names);
    [[nodiscard]] QCompleter& completer_of_names() { return *completer_; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// Where the name or quoted word that ends at the cursor begins.
    [[nodiscard]] int begin_of_name() const;
    void complete();
    void insert(const QString& name);

    QStringListModel* names_;
    QCompleter* completer_;
};

} // namespace texelscope::gui
