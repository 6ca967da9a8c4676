#pragma once

#include <QDockWidget>
#include <QList>
#include <QMainWindow>
#include <optional>
#include <vector>

class QMenu;

namespace texelscope::gui {

class Session;

/// Where a dock is in the default layout. Docks of one place are tabs, the first of them in front.
enum class DockPlace {
    left,
    right,
    bottom,
    bottom_right,
    window, ///< hidden at first, then in a window of its own, where a large picture can be read
};

/// A line of the sheet of shortcuts.
struct ShortcutText {
    QString keys;
    QString action;
};

/// An entry that a dock has in the menus.
struct DockCommand {
    enum class Menu { file, study } menu;
    QString text;
    QString key;
    QString about; ///< in the sheet of shortcuts
    void (*run)(QDockWidget& dock);
};

/// All that the window knows of a dock. Menus, navigation, the sheet of shortcuts, the tour and the
/// saved layout go by it, so a new dock is a row and its own files. `make` gets the session, which
/// is all that a dock knows of the window.
struct DockRow {
    const char* id; ///< the dock's object name, and the key of its text in docs/quantities.md
    QString title;
    DockPlace place;
    bool needs_operator; ///< a trace has none: the dock then says so
    QWidget* (*make)(Session& session);
    std::optional<DockCommand> command = {};
    std::vector<ShortcutText> keys = {}; ///< that work in it
};

/// In the order of the menus and of Ctrl+1 to Ctrl+9. A dock is its own files and a row here.
[[nodiscard]] const std::vector<DockRow>& dock_rows();

/// One for each row, in the default layout.
[[nodiscard]] QList<QDockWidget*> add_docks(QMainWindow& window, Session& session);

/// Shows a dock in front of the docks that share its place.
void raise_dock(QDockWidget& dock);
/// raise_dock(), and gives the keyboard to the control that had it last in the dock, or else to the
/// first one.
void go_to_dock(QDockWidget& dock);
/// The dock that a part lies in; null where it lies in none.
[[nodiscard]] QDockWidget* dock_around(QWidget* part);

/// A menu that goes to the window's middle (Ctrl+0) and to each dock (Ctrl+1 to Ctrl+9).
QMenu* add_go_to_menu(QMenu& menu, QMainWindow& window, const QList<QDockWidget*>& docks);

/// Every key and mouse action on one page.
void show_shortcuts(QWidget* window);

} // namespace texelscope::gui
