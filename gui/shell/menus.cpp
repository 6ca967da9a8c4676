#include "gui/shell/docks.hpp"
#include "gui/shell/main_window.hpp"
#include "gui/study/quantities.hpp"
#include "gui/study/study_files.hpp"
#include "gui/tour/tour.hpp"
#include "gui/widgets/theme.hpp"
#include "workbench/study/study.hpp"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>

namespace texelscope::gui {
namespace {

void add_theme_menu(QMenu& view, bool settings)
{
    QMenu* menu = view.addMenu(MainWindow::tr("&Theme"));
    auto* group = new QActionGroup(menu);
    for (const auto& [name, theme] : {std::pair{MainWindow::tr("&System"), Theme::system},
                                      std::pair{MainWindow::tr("&Light"), Theme::light},
                                      std::pair{MainWindow::tr("&Dark"), Theme::dark}}) {
        QAction* entry = group->addAction(menu->addAction(name));
        entry->setCheckable(true);
        entry->setChecked(saved_theme(settings) == theme);
        QObject::connect(entry, &QAction::triggered, menu, [settings, theme = theme] {
            apply(theme);
            if (settings) {
                window_settings().setValue(theme_key, static_cast<int>(theme));
            }
        });
    }
}

template <class Context, class Action>
void add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, Context* context,
         Action action)
{
    QAction* entry = menu->addAction(text);
    entry->setShortcuts(keys);
    QObject::connect(entry, &QAction::triggered, context, action);
}

void add_dock_commands(QMenu& menu, DockCommand::Menu which, const QList<QDockWidget*>& docks,
                       Session& session)
{
    for (qsizetype i = 0; i < docks.size(); ++i) {
        const DockRow& row = dock_rows()[static_cast<std::size_t>(i)];
        if (row.command && row.command->menu == which) {
            add(&menu, row.command->text, {row.command->key}, docks[i],
                [&row, &session, dock = docks[i]] {
                    const bool runs = row.command->menu == DockCommand::Menu::study;
                    if (runs) {
                        raise_dock(*dock);
                    }
                    // While a trace is shown, a dock that needs an operator says what to do; there
                    // is nothing to run.
                    if (!runs || !row.needs_operator || !session.trace()) {
                        row.command->run(*dock);
                    }
                });
        }
    }
}

void show_quantity(QWidget& window, const QDockWidget* dock)
{
    auto* quantities = window.findChild<QuantitiesWindow*>();
    if (quantities == nullptr) {
        quantities = new QuantitiesWindow(&window);
    }
    quantities->show_key(QStringLiteral("dock: ") +
                         (dock == nullptr ? QStringLiteral("heat_map") : dock->objectName()));
    quantities->show();
    quantities->raise();
    quantities->activateWindow();
}

} // namespace

void MainWindow::build_menus()
{
    using Menu = DockCommand::Menu;
    QMenu* file = menuBar()->addMenu(tr("&File"));
    add(file, tr("&New window"), {tr("Ctrl+N")}, this, [this] { new_window(); });
    files_->add_to(*file);
    add(file, tr("Export &heat map…"), {tr("Ctrl+E")}, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Export heat map"),
                                                          "heatmap.png", tr("PNG images (*.png)"));
        if (!path.isEmpty()) {
            export_heat_map(path.toStdString());
        }
    });
    add_dock_commands(*file, Menu::file, docks_, session_);
    file->addSeparator();
    add(file, tr("&Quit"), {tr("Ctrl+Q")}, this, [] { QApplication::closeAllWindows(); });

    QMenu* study = menuBar()->addMenu(tr("&Study"));
    add(study, tr("&Run"), {tr("F5"), tr("Ctrl+R")}, this, [this] { run(); });
    add(study, tr("&Cancel"), {tr("Esc")}, this, [this] { session_.jobs().cancel_latest(); });
    study->addSeparator();
    add_dock_commands(*study, Menu::study, docks_, session_);
    study->addSeparator();
    add(study, tr("Keep as &B"), {tr("Ctrl+B")}, &session_, &Session::keep);
    add(study, tr("S&wap A and B"), {tr("Ctrl+Shift+B")}, &session_, &Session::swap);
    add(study, tr("&Forget B"), {}, &session_, &Session::forget);

    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (const QDockWidget* dock : docks_) {
        view->addAction(dock->toggleViewAction());
    }
    view->addSeparator();
    add(view, tr("&Start page"), {tr("Alt+Home")}, this, [this] { show_start_page(); });
    QMenu* places = add_go_to_menu(*view, *this, docks_);
    connect(places, &QMenu::triggered, this, &MainWindow::show_workbench);
    add_theme_menu(*view, settings_);
    add(view, tr("Restore &default layout"), {}, this, &MainWindow::restore_default_layout);

    QMenu* help = menuBar()->addMenu(tr("&Help"));
    add(help, tr("&Quantities"), {tr("F1")}, this,
        [this] { show_quantity(*this, dock_around(QApplication::focusWidget())); });
    add(help, tr("&Keyboard and mouse"), {tr("?")}, this, [this] { show_shortcuts(this); });
    add(help, tr("&Tour"), {}, tour_, &Tour::start);
    add(help, tr("&About"), {}, this, [this] {
        auto* about = new QMessageBox(
            QMessageBox::Information, tr("About Texelscope"),
            tr("Texelscope %1\n\nA workbench for the 2D texture memory of mobile GPUs.")
                .arg(QStringLiteral(TEXELSCOPE_VERSION)),
            QMessageBox::Close, this);
        about->setAttribute(Qt::WA_DeleteOnClose);
        about->open();
    });
}

} // namespace texelscope::gui
