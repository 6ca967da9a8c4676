#pragma once

#include <QDockWidget>
#include <QList>
#include <QMainWindow>

class QMenu;

namespace texelscope::gui {

/// Shows a dock, in front of the docks that share its place, and gives the keyboard to the control there that had it last, or
/// else to its first one.
void go_to_dock(QDockWidget& dock);

/// The dock that has the keyboard; null where the window's middle or no part of the window has it.
[[nodiscard]] QDockWidget* dock_with_focus(const QMainWindow& window);

/// A menu that goes to the window's middle (Ctrl+0) and to each dock (Ctrl+1 to Ctrl+9).
void add_go_to_menu(QMenu& menu, QMainWindow& window, const QList<QDockWidget*>& docks);

} // namespace texelscope::gui
