#pragma once

#include <QDialog>

namespace texelscope::gui {

/// Every key and mouse action on one page.
class ShortcutSheet : public QDialog {
    Q_OBJECT

public:
    explicit ShortcutSheet(QWidget* parent = nullptr);
};

} // namespace texelscope::gui
