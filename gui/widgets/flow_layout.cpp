#include "gui/widgets/flow_layout.hpp"

#include "gui/widgets/controls.hpp"

#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

namespace texelscope::gui {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent)
{
    setContentsMargins(0, 0, 0, 0);
    setSpacing(6);
}

FlowLayout::~FlowLayout() = default;

void FlowLayout::add_labelled(const QString& label, QWidget* control)
{
    auto* pair = new QWidget;
    auto* row = new QHBoxLayout(pair);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(label_for(label, control));
    row->addWidget(control);
    addWidget(pair);
}

void FlowLayout::addItem(QLayoutItem* item)
{
    items_.emplace_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? items_[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    if (index < 0 || index >= count()) {
        return nullptr;
    }
    QLayoutItem* item = items_[static_cast<std::size_t>(index)].release();
    items_.erase(items_.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const
{
    return arrange({0, 0, width, 0}, false);
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const auto& item : items_) {
        if (!item->isEmpty()) {
            const QSize hint = item->sizeHint();
            size = {size.width() + (size.width() > 0 ? spacing() : 0) + hint.width(),
                    std::max(size.height(), hint.height())};
        }
    }
    return size;
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const auto& item : items_) {
        if (!item->isEmpty()) {
            size = size.expandedTo({std::min(item->minimumSize().width(), item->sizeHint().width()),
                                    item->sizeHint().height()});
        }
    }
    return size;
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool move) const
{
    std::vector<QLayoutItem*> row;
    int width = 0;
    int top = rect.top();
    int height = 0;
    // Items of a row are centred on its height, which is known only at its end.
    const auto end_row = [&] {
        int left = rect.left();
        for (QLayoutItem* item : row) {
            const QSize size = item->sizeHint().boundedTo({rect.width(), height});
            if (move) {
                item->setGeometry({{left, top + (height - size.height()) / 2}, size});
            }
            left += size.width() + spacing();
        }
        row.clear();
    };
    for (const auto& item : items_) {
        if (item->isEmpty()) { // hidden
            continue;
        }
        const QSize size = item->sizeHint();
        if (!row.empty() && width + spacing() + size.width() > rect.width()) {
            end_row();
            top += height + spacing();
            width = height = 0;
        }
        width += size.width() + (row.empty() ? 0 : spacing());
        height = std::max(height, size.height());
        row.push_back(item.get());
    }
    end_row();
    return top + height - rect.top();
}

} // namespace texelscope::gui
