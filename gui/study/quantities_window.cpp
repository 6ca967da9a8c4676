#include "gui/study/quantities_window.hpp"

#include "gui/study/quantities.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>

namespace texelscope::gui {
namespace {

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

QuantitiesWindow::QuantitiesWindow(QWidget* parent)
    : QDialog(parent), search_(new QLineEdit), list_(new QListWidget), text_(new QTextBrowser)
{
    setObjectName("quantities_window");
    setWindowTitle(tr("Quantities"));
    search_->setObjectName("quantities_search");
    search_->setAccessibleName(tr("Search of the quantities"));
    search_->setPlaceholderText(tr("Search, e.g. conflict or tau"));
    search_->setClearButtonEnabled(true);
    search_->installEventFilter(this);
    list_->setObjectName("quantities_list");
    list_->setAccessibleName(tr("Quantities"));
    for (const QuantityText& quantity : all_quantities()) {
        auto* item = new QListWidgetItem(quantity.title, list_);
        if (quantity.title == quantity.section) {
            QFont bold = font();
            bold.setBold(true);
            item->setFont(bold);
        } else {
            item->setText(QStringLiteral("    ") + quantity.title);
        }
    }
    text_->setObjectName("quantities_text");
    text_->setAccessibleName(tr("Text on the quantity"));
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
    const QString above = quantity.title == quantity.section ? QString() : quantity.section + QStringLiteral(" — ");
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
