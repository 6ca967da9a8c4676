#include "gui/shell/docks.hpp"

#include "gui/choice/choice_panel.hpp"
#include "gui/cross_check/crosscheck_panel.hpp"
#include "gui/device/device_panel.hpp"
#include "gui/figures/figures_panel.hpp"
#include "gui/identification/identification_panel.hpp"
#include "gui/kernel/kernel_panel.hpp"
#include "gui/network/network_panel.hpp"
#include "gui/plots/cache_panel.hpp"
#include "gui/plots/histogram_panel.hpp"
#include "gui/plots/roofline_panel.hpp"
#include "gui/probes/probes_panel.hpp"
#include "gui/ranking/ranking_panel.hpp"
#include "gui/store/store_panel.hpp"
#include "gui/study/results_panel.hpp"
#include "gui/study/session.hpp"
#include "gui/study/study_panel.hpp"
#include "gui/widgets/controls.hpp"

#include <QAction>
#include <QMenu>
#include <QScreen>
#include <QScrollArea>
#include <map>

namespace texelscope::gui {
namespace {

template <class Panel>
QWidget* make(Session& session)
{
    return new Panel(session);
}

/// One that scrolls where it is low.
template <class Panel>
QWidget* make_scrolling(Session& session)
{
    auto* panel = new Panel(session);
    auto* scroll = new QScrollArea;
    scroll->setWidget(panel);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus); // the controls in it have it
    scroll->setMinimumWidth(panel->minimumSizeHint().width() + panel->fontMetrics().height());
    return scroll;
}

template <class Panel>
void run(QDockWidget& dock)
{
    dock.findChild<Panel*>()->run();
}

void export_ranking(QDockWidget& dock)
{
    dock.findChild<RankingPanel*>()->ask_and_export(false);
}

/// The menu has brought the dock to the front; the rest is done there.
void look(QDockWidget& dock)
{
    go_to_dock(dock);
}

/// Makes it a window of its own that is hidden, and comes up in the middle of the main one.
void set_apart(QDockWidget& dock)
{
    // the middle is known once the main window is shown
    // A mark: a dock that still lies there when it is first seen was never placed by user or
    // layout.
    static constexpr QRect unplaced{0, 0, 1080, 700};
    dock.setFloating(true);
    dock.setGeometry(unplaced);
    dock.hide();
    QObject::connect(&dock, &QDockWidget::visibilityChanged, &dock, [&dock](bool visible) {
        if (visible && dock.isFloating() && dock.pos() == unplaced.topLeft()) {
            const QRect screen = dock.screen()->availableGeometry();
            QRect place(QPoint(), dock.size().boundedTo(screen.size()));
            place.moveCenter(dock.parentWidget()->geometry().intersected(screen).center());
            dock.setGeometry(place);
        }
    });
}

/// The contents, or in their place a note while a trace is shown.
QWidget* without_trace(QWidget* contents, Session& session)
{
    auto* page = new NotePage(contents);
    QObject::connect(&session, &Session::study_shown, page, &NotePage::show_view);
    QObject::connect(&session, &Session::trace_shown, page, [page] {
        page->show_note(tr("A trace is shown. It says which texels were read, not by which "
                           "operator and configuration, and "
                           "this view needs both.\n\nClose the trace, or run a study (F5)."));
    });
    return page;
}

/// The first control that Tab reaches inside of a widget; null where there is none.
QWidget* first_control(QWidget& inside)
{
    for (QWidget* next = inside.nextInFocusChain(); next != &inside;
         next = next->nextInFocusChain()) {
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

const std::vector<DockRow>& dock_rows()
{
    using Menu = DockCommand::Menu;
    static const std::vector<DockRow> rows{
        {"study_dock", tr("Study"), DockPlace::left, false, study_dock},
        {"results_dock", tr("Results"), DockPlace::right, false, make<ResultsPanel>},
        {"kernel_dock",
         tr("Kernel"),
         DockPlace::right,
         true,
         make_scrolling<KernelPanel>,
         {{Menu::study, tr("Run k&ernel"), tr("F6"), tr("Run the kernel on the OpenCL device"),
           run<KernelPanel>}}},
        {"device_dock", tr("Device"), DockPlace::right, false, make<DevicePanel>},
        {"ranking_dock",
         tr("Ranking"),
         DockPlace::bottom,
         true,
         make<RankingPanel>,
         {{Menu::file, tr("Export &ranking…"), tr("Ctrl+Shift+E"), tr("Export the ranking"),
           export_ranking}},
         {{tr("Double click, Enter"), tr("Run that configuration")},
          {tr("Click on a heading"), tr("Sort by that column")},
          {tr("Shift+click, Ctrl+click, Ctrl+A"), tr("Select several rows, in every view")},
          {tr("Ctrl+C on rows"), tr("Copy them as CSV")},
          {tr("Drag in the plot"), tr("Select the points in a rectangle")}}},
        {"histogram_dock", tr("Cross-block histograms"), DockPlace::bottom_right, false,
         make<HistogramPanel>},
        {"cache_dock", tr("Cache and occupancy"), DockPlace::bottom, false, make<CachePanel>},
        {"roofline_dock",
         tr("Roofline"),
         DockPlace::bottom,
         true,
         make<RooflinePanel>,
         {},
         {{tr("Click on a point"), tr("Put its configuration into the study")}}},
        {"crosscheck_dock",
         tr("Cross-check"),
         DockPlace::bottom,
         true,
         make<CrosscheckPanel>,
         {{Menu::study, tr("Cross-chec&k"), tr("F7"), tr("Cross-check model, simulator and device"),
           run<CrosscheckPanel>}},
         {{tr("Click on a point"), tr("Select its row")},
          {tr("← and → in the plot"), tr("Select the next point")},
          {tr("Double click, Enter on a row"), tr("Run that configuration")}}},
        {"choice_dock",
         tr("Choice"),
         DockPlace::bottom,
         true,
         make<ChoicePanel>,
         {},
         {{tr("Double click, Enter on a row"), tr("Run the study of that choice")}}},
        {"store_dock",
         tr("Stored results"),
         DockPlace::bottom,
         false,
         make<StorePanel>,
         {},
         {{tr("Ctrl+L"), tr("Reload the store")},
          {tr("Double click, Enter on a row"), tr("Run the study of that result")}}},
        {"network_dock",
         tr("Network"),
         DockPlace::window,
         false,
         make<NetworkPanel>,
         {{Menu::study, tr("&Network"), tr("F4"), tr("A whole network, kernel by kernel"), look}},
         {{tr("Double click, Enter on a kernel"), tr("Open it as a study")},
          {tr("Click on a bar"), tr("Select its kernel")}}},
        {"figures_dock",
         tr("Figures"),
         DockPlace::window,
         false,
         make<FiguresPanel>,
         {{Menu::study, tr("Fi&gures of the papers"), tr("F9"),
           tr("The papers' figures, done again"), look}},
         {{tr("Double click, Enter on a figure"), tr("Run it")}}},
        {"probes_dock",
         tr("Probes"),
         DockPlace::window,
         false,
         make<ProbesPanel>,
         {{Menu::study, tr("&Probes of a device"), tr("F11"),
           tr("Measure a device with microbenchmarks"), look}},
         {{tr("Double click, Enter on a probe"), tr("Run it")}}},
        {"identification_dock",
         tr("Identification"),
         DockPlace::window,
         false,
         make<IdentificationPanel>,
         {{Menu::study, tr("&Identification of a cache"), tr("F12"),
           tr("Recover texture layout and cache from pointer chases"), look}}},
    };
    return rows;
}

QList<QDockWidget*> add_docks(QMainWindow& window, Session& session)
{
    // By DockPlace. Docks of windows of their own need an area to go back to.
    constexpr std::array areas{Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea,
                               Qt::BottomDockWidgetArea, Qt::BottomDockWidgetArea,
                               Qt::RightDockWidgetArea};
    QList<QDockWidget*> docks;
    std::map<DockPlace, QDockWidget*> first;
    for (const DockRow& row : dock_rows()) {
        auto* dock = new QDockWidget(row.title, &window);
        QWidget* contents = row.make(session);
        dock->setObjectName(row.id);
        dock->setWidget(row.needs_operator ? without_trace(contents, session) : contents);
        window.addDockWidget(areas.at(static_cast<std::size_t>(row.place)), dock);
        docks << dock;
        if (row.place == DockPlace::window) {
            set_apart(*dock);
            continue;
        }
        const auto [place, is_first] = first.emplace(row.place, dock);
        if (!is_first) {
            window.tabifyDockWidget(place->second, dock);
        } else if (row.place == DockPlace::bottom_right) {
            window.splitDockWidget(first.at(DockPlace::bottom), dock, Qt::Horizontal);
        }
    }
    for (const auto& [place, dock] : first) {
        dock->raise();
    }
    window.resizeDocks({first[DockPlace::left], first[DockPlace::right]}, {270, 360},
                       Qt::Horizontal);
    window.resizeDocks({first[DockPlace::bottom], first[DockPlace::bottom_right]}, {790, 410},
                       Qt::Horizontal);
    window.resizeDocks({first[DockPlace::bottom]}, {300}, Qt::Vertical);
    return docks;
}

void raise_dock(QDockWidget& dock)
{
    dock.show();
    dock.raise();
}

void go_to_dock(QDockWidget& dock)
{
    raise_dock(dock);
    give_keyboard(*dock.widget());
}

QDockWidget* dock_around(QWidget* part)
{
    while (part != nullptr && qobject_cast<QDockWidget*>(part) == nullptr) {
        part = part->parentWidget();
    }
    return static_cast<QDockWidget*>(part);
}

QMenu* add_go_to_menu(QMenu& menu, QMainWindow& window, const QList<QDockWidget*>& docks)
{
    QMenu* places = menu.addMenu(QMainWindow::tr("&Go to"));
    QAction* middle = places->addAction(window.centralWidget()->accessibleName());
    middle->setShortcut(Qt::CTRL | Qt::Key_0);
    QObject::connect(middle, &QAction::triggered, &window,
                     [&window] { give_keyboard(*window.centralWidget()); });
    int number = 1;
    for (QDockWidget* dock : docks) {
        QAction* entry = places->addAction(dock->windowTitle());
        if (number <= 9) {
            entry->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number++)));
        }
        QObject::connect(entry, &QAction::triggered, dock, [dock] { go_to_dock(*dock); });
    }
    return places;
}

} // namespace texelscope::gui
