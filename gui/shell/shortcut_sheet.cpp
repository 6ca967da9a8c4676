#include "gui/shell/docks.hpp"
#include "gui/widgets/controls.hpp"

#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace texelscope::gui {
namespace {

struct Section {
    QString title;
    std::vector<ShortcutText> keys;
};

std::vector<Section> sections()
{
    std::vector<Section> all{
        {tr("Study"),
         {{tr("F5, Ctrl+R"), tr("Run the study")},
          {tr("Esc"), tr("Cancel what was started last and still runs")},
          {tr("Enter in a field"), tr("Run the study")},
          {tr("Ctrl+B"), tr("Keep what is shown as B, to compare with")},
          {tr("Ctrl+Shift+B"), tr("Swap A and B")},
          {tr("F8"), tr("Simulate the trace again, on the study's device")}}},
        {tr("Heat map"),
         {{tr("Alt+1, Alt+2, Alt+3"), tr("Show A, B, A − B")},
          {tr("↑ and ↓ on the colour bar"),
           tr("Upper limit of the colours; with Shift the lower one")},
          {tr("Wheel, + and −"), tr("Zoom at the cursor")},
          {tr("Drag, arrow keys"), tr("Move")},
          {tr("Shift+drag"), tr("Zoom into a rectangle")},
          {tr("Click, drag in the overview"), tr("Look at another part")},
          {tr("F, Home"), tr("Fit the whole image")},
          {tr("Backspace, Alt+Left"), tr("Back to the view before")},
          {tr("Shift+Backspace, Alt+Right"), tr("Forward again")},
          {tr("G, Ctrl+G"), tr("Go to a texel")}}},
        {tr("Playback"),
         {{tr("Space"), tr("Play, pause")}, {tr(", and ."), tr("Previous and next access")}}}};
    Section plots{tr("Plots"),
                  {{tr("Wheel"), tr("Zoom along x at the cursor")},
                   {tr("Drag"), tr("Move")},
                   {tr("Double click"), tr("Show all")}}};
    Section window{tr("Window"),
                   {{tr("Ctrl+O, drop a file"),
                     tr("Open a study, profile, trace, store of results or report")},
                    {tr("Ctrl+N"), tr("A second window beside this one")},
                    {tr("Ctrl+S, Ctrl+Shift+S"), tr("Save the study")},
                    {tr("Ctrl+E"), tr("Export the heat map")},
                    {tr("Alt+Home"), tr("Start page")},
                    {tr("Ctrl+0"), tr("Go to the heat map")},
                    {tr("Ctrl+1 to Ctrl+9"), tr("Go to a dock, in the order of View > Go to")},
                    {tr("Ctrl+Q"), tr("Quit, all windows")},
                    {tr("F1"), tr("What the quantities of the dock in use mean")},
                    {tr("?"), tr("This sheet")}}};
    for (const DockRow& row : dock_rows()) {
        if (row.command) {
            Section& section = row.command->menu == DockCommand::Menu::study ? all.front() : window;
            section.keys.push_back({row.command->key, row.command->about});
        }
        if (!row.keys.empty()) {
            all.push_back({row.title, row.keys});
        }
    }
    all.push_back(std::move(plots));
    all.push_back(std::move(window));
    return all;
}

} // namespace

void show_shortcuts(QWidget* window)
{
    auto* sheet = new QDialog(window);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->setObjectName("shortcut_sheet");
    sheet->setWindowTitle(tr("Keyboard and mouse"));
    auto* columns = new QHBoxLayout; // one would be higher than a small screen
    columns->setSpacing(sheet->fontMetrics().height() * 2);
    const std::vector<Section> all = sections();
    std::size_t rows = 0;
    for (const Section& section : all) {
        rows += section.keys.size() + 1;
    }
    std::size_t done = 0;
    QGridLayout* grid = nullptr;
    for (const Section& section : all) {
        // The second column begins with the section at which half of the lines are done.
        if (grid == nullptr || (columns->count() == 1 && 2 * done >= rows)) {
            auto* half = new QVBoxLayout;
            grid = new QGridLayout;
            grid->setHorizontalSpacing(sheet->fontMetrics().height());
            grid->setVerticalSpacing(2);
            half->addLayout(grid);
            half->addStretch();
            columns->addLayout(half);
        }
        auto* title = new QLabel(section.title);
        title->setFont(bold(sheet->font()));
        grid->addWidget(title, grid->rowCount(), 0, 1, 2);
        for (const ShortcutText& text : section.keys) {
            const int row = grid->rowCount();
            grid->addWidget(new QLabel(text.keys), row, 0);
            grid->addWidget(new QLabel(text.action), row, 1);
        }
        done += section.keys.size() + 1;
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, sheet, &QDialog::reject);
    auto* layout = new QVBoxLayout(sheet);
    layout->addLayout(columns);
    layout->addWidget(buttons);
    sheet->open();
}

} // namespace texelscope::gui
