#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <string_view>
#include <vector>

class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace texelscope::gui {

/// docs/quantities.md.
[[nodiscard]] std::string_view quantities_markdown();

/// The text on a part of the window.
struct QuantityText {
    QString title;
    /// Title of the part that it belongs to; its own where it is about the whole of it.
    QString section;
    /// What it is about: "KIND: NAME", with dock, heat, figure, column, plot or term.
    QStringList keys;
    QString markdown; ///< the text, without the title
    QString summary;  ///< its first paragraph, plain
};

/// Each heading of the second and third level is one. Throws bad_input where one has no keys or no
/// text, or two share a key.
[[nodiscard]] std::vector<QuantityText> parse_quantities(std::string_view markdown);
/// Those of quantities_markdown().
[[nodiscard]] const std::vector<QuantityText>& all_quantities();

/// The number of the one with that key; -1 where there is none.
[[nodiscard]] int quantity_with(const QString& key);
/// What a tool tip says: the entry of its list that has the key's name, else its summary; empty
/// where there is none.
[[nodiscard]] QString quantity_tip(const QString& key);

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
