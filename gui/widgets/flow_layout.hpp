#pragma once

#include <QLayout>
#include <memory>
#include <vector>

namespace texelscope::gui {

/// Controls in rows, one after the other; what has no room goes to the next row. So a bar of
/// controls never decides how wide its window must be.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    /// A control and the label in front of it, which carries its mnemonic; they stay in one row.
    void add_labelled(const QString& label, QWidget* control);

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override { return static_cast<int>(items_.size()); }
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override { return {}; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    /// Returns the height that is taken; moves the items where `move` is set.
    int arrange(const QRect& rect, bool move) const;

    std::vector<std::unique_ptr<QLayoutItem>> items_;
};

} // namespace texelscope::gui
