#include "gui/shell/dock_navigation.hpp"

#include <QAction>
#include <QApplication>
#include <QMenu>

namespace texelscope::gui {
namespace {

/// The first control that Tab reaches inside of a widget; null where there is none.
QWidget* first_control(QWidget& inside)
{
    for (QWidget* next = inside.nextInFocusChain(); next != &inside; next = next->nextInFocusChain()) {
        const bool takes_keys = next->focusPolicy() & Qt::TabFocus;
        if (inside.isAncestorOf(next) && takes_keys && next->isEnabled() && next->isVisible()) {
            return next;
        }
    }
    return nullptr;
}

void give_keyboard(QWidget& contents)
{
    if (contents.focusProxy() != nullptr) {
        contents.setFocus(Qt::ShortcutFocusReason);
        return;
    }
    QWidget* last = contents.focusWidget();
    const bool remembered = last != nullptr && last->isVisible() && last->isEnabled();
    QWidget* control = remembered                                     ? last
                       : (contents.focusPolicy() & Qt::TabFocus) != 0 ? &contents
                                                                      : first_control(contents);
    (control != nullptr ? control : &contents)->setFocus(Qt::ShortcutFocusReason);
}

} // namespace

void go_to_dock(QDockWidget& dock)
{
    dock.show();
    dock.raise();
    give_keyboard(*dock.widget());
}

QDockWidget* dock_with_focus(const QMainWindow& window)
{
    for (QWidget* at = QApplication::focusWidget(); at != nullptr; at = at->parentWidget()) {
        auto* dock = qobject_cast<QDockWidget*>(at);
        if (dock != nullptr && window.isAncestorOf(dock)) {
            return dock;
        }
    }
    return nullptr;
}

void add_go_to_menu(QMenu& menu, QMainWindow& window, const QList<QDockWidget*>& docks)
{
    QMenu* places = menu.addMenu(QMainWindow::tr("&Go to"));
    QAction* middle = places->addAction(window.centralWidget()->accessibleName());
    middle->setShortcut(Qt::CTRL | Qt::Key_0);
    QObject::connect(middle, &QAction::triggered, &window, [&window] { give_keyboard(*window.centralWidget()); });
    int number = 1;
    for (QDockWidget* dock : docks) {
        QAction* entry = places->addAction(dock->windowTitle());
        if (number <= 9) {
            entry->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number++)));
        }
        QObject::connect(entry, &QAction::triggered, dock, [dock] { go_to_dock(*dock); });
    }
}

} // namespace texelscope::gui
