#pragma once

#include <QDialog>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace texelscope::gui {

/// What every quantity of the window means: a list that can be searched, and the text. Not modal.
class QuantitiesWindow : public QDialog {
    Q_OBJECT

public:
    explicit QuantitiesWindow(QWidget* parent = nullptr);

    /// Shows the text with that key, as quantity_with() has it.
    void show_key(const QString& key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search(const QString& words);
    void show_text(int row);

    QLineEdit* search_;
    QListWidget* list_;
    QTextBrowser* text_;
};

} // namespace texelscope::gui
