#include "gui/study/quantities.hpp"

#include "base/error.hpp"
#include "gui/widgets/controls.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace texelscope::gui {
namespace {

constexpr const char* source = "docs/quantities.md";

/// The text without the marks of Markdown, for tool tips.
QString plain(QString text)
{
    text.remove(u'*');
    text.remove(u'`');
    return text;
}

/// "dock: results; column: Time" as two keys. They stand in a comment of the document, which
/// readers do not see.
QStringList keys_of(const QString& comment)
{
    QStringList keys;
    for (const QString& key : comment.split(u';')) {
        keys << key.trimmed();
    }
    return keys;
}

void finish(QuantityText& quantity)
{
    quantity.markdown = quantity.markdown.trimmed();
    const QString first = quantity.markdown.section("\n\n", 0, 0).simplified();
    quantity.summary = plain(first);
    if (quantity.keys.isEmpty() || quantity.summary.isEmpty()) {
        throw bad_input("'" + quantity.title.toStdString() + "' has no keys or no text", source,
                        "write <!-- KIND: NAME --> below the heading, then a sentence");
    }
}

/// Whether a text has every word that is searched for, in any case.
bool has_all(const QuantityText& quantity, const QStringList& words)
{
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return quantity.title.contains(word, Qt::CaseInsensitive) ||
               quantity.section.contains(word, Qt::CaseInsensitive) ||
               quantity.markdown.contains(word, Qt::CaseInsensitive) ||
               quantity.keys.join(u' ').contains(word, Qt::CaseInsensitive);
    });
}

} // namespace

std::vector<QuantityText> parse_quantities(std::string_view markdown)
{
    std::vector<QuantityText> quantities;
    const QString text =
        QString::fromUtf8(markdown.data(), static_cast<qsizetype>(markdown.size()));
    QString section;
    for (const QString& line : text.split(u'\n')) {
        const bool opens_section = line.startsWith(QStringLiteral("## "));
        if (opens_section || line.startsWith(QStringLiteral("### "))) {
            const QString title = line.section(u' ', 1);
            section = opens_section ? title : section;
            quantities.push_back({title, section, {}, {}, {}});
        } else if (quantities.empty()) {
            continue; // the introduction
        } else if (line.startsWith(QStringLiteral("<!-- "))) {
            quantities.back().keys << keys_of(line.sliced(5).section(QStringLiteral(" -->"), 0, 0));
        } else {
            quantities.back().markdown += line + u'\n';
        }
    }
    std::set<QString> seen;
    for (QuantityText& quantity : quantities) {
        finish(quantity);
        for (const QString& key : quantity.keys) {
            if (!seen.insert(key).second) {
                throw bad_input("'" + key.toStdString() + "' has two texts", source,
                                "leave one of them out");
            }
        }
    }
    return quantities;
}

const std::vector<QuantityText>& all_quantities()
{
    static const std::vector<QuantityText> quantities = parse_quantities(quantities_markdown());
    return quantities;
}

int quantity_with(const QString& key)
{
    const std::vector<QuantityText>& all = all_quantities();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].keys.contains(key)) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

QString quantity_tip(const QString& key)
{
    const int number = quantity_with(key);
    if (number < 0) {
        return {};
    }
    const QuantityText& quantity = all_quantities()[static_cast<std::size_t>(number)];
    const QString entry = QStringLiteral("\n- *%1*: ").arg(key.section(QStringLiteral(": "), 1));
    const qsizetype at = quantity.markdown.indexOf(entry);
    if (at < 0) {
        return quantity.summary;
    }
    // The entry of a list ends where the next one, or a paragraph, begins.
    const QString rest = quantity.markdown.sliced(at + entry.size());
    return plain(rest.section("\n\n", 0, 0).section("\n- ", 0, 0).simplified());
}

QuantitiesWindow::QuantitiesWindow(QWidget* parent)
    : QDialog(parent), search_(search_line("quantities_search", tr("Search of the quantities"),
                                           tr("Search, e.g. conflict or tau"))),
      list_(named(new QListWidget, "quantities_list", tr("Quantities"))),
      text_(named(new QTextBrowser, "quantities_text", tr("Text on the quantity")))
{
    setObjectName("quantities_window");
    setWindowTitle(tr("Quantities"));
    search_->installEventFilter(this);
    for (const QuantityText& quantity : all_quantities()) {
        auto* item = new QListWidgetItem(quantity.title, list_);
        if (quantity.title == quantity.section) {
            item->setFont(bold(font()));
        } else {
            item->setText(QStringLiteral("    ") + quantity.title);
        }
    }
    text_->setOpenLinks(false);

    auto* side = new QWidget;
    auto* rows = new QVBoxLayout(side);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addWidget(search_);
    rows->addWidget(list_, 1);
    auto* parts = new QSplitter;
    parts->setChildrenCollapsible(false);
    parts->addWidget(side);
    parts->addWidget(text_);
    parts->setStretchFactor(1, 1);
    parts->setSizes({fontMetrics().height() * 18, fontMetrics().height() * 40});
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(parts);
    resize(fontMetrics().height() * 60, fontMetrics().height() * 36);

    connect(search_, &QLineEdit::textChanged, this, &QuantitiesWindow::search);
    connect(list_, &QListWidget::currentRowChanged, this, &QuantitiesWindow::show_text);
    list_->setCurrentRow(0);
    search_->setFocus();
}

void QuantitiesWindow::show_key(const QString& key)
{
    search_->clear();
    list_->setCurrentRow(std::max(0, quantity_with(key)));
    list_->scrollToItem(list_->currentItem(), QAbstractItemView::PositionAtTop);
}

void QuantitiesWindow::search(const QString& words)
{
    const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
    int first = -1;
    for (int row = 0; row < list_->count(); ++row) {
        const bool shown = has_all(all_quantities()[static_cast<std::size_t>(row)], wanted);
        list_->item(row)->setHidden(!shown);
        first = shown && first < 0 ? row : first;
    }
    if (first < 0) {
        list_->setCurrentRow(-1);
    } else if (list_->currentRow() < 0 || list_->currentItem()->isHidden()) {
        list_->setCurrentRow(first);
    }
}

void QuantitiesWindow::show_text(int row)
{
    if (row < 0) {
        text_->setMarkdown(tr("*No text has all of these words. Try fewer.*"));
        return;
    }
    const QuantityText& quantity = all_quantities()[static_cast<std::size_t>(row)];
    const QString above =
        quantity.title == quantity.section ? QString() : quantity.section + QStringLiteral(" — ");
    QString text = QStringLiteral("### %1%2\n\n%3").arg(above, quantity.title, quantity.markdown);
    if (quantity.title == quantity.section) { // a dock's text is followed by those on what it shows
        for (const QuantityText& each : all_quantities()) {
            if (each.section == quantity.section && each.title != each.section) {
                text += QStringLiteral("\n\n#### %1\n\n%2").arg(each.title, each.markdown);
            }
        }
    }
    text_->setMarkdown(text);
}

bool QuantitiesWindow::eventFilter(QObject* watched, QEvent* event)
{
    // Up and Down go through the list while one types.
    if (watched == search_ && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            QCoreApplication::sendEvent(list_, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace texelscope::gui
