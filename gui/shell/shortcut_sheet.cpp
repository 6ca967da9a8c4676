#include "gui/shell/shortcut_sheet.hpp"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>

namespace texelscope::gui {

ShortcutSheet::ShortcutSheet(QWidget* parent) : QDialog(parent)
{
    struct Entry {
        QString keys;
        QString action;
    };
    const QList<Entry> entries{
        {{}, tr("Study")},
        {tr("F5, Ctrl+R"), tr("Run the study")},
        {tr("Esc"), tr("Cancel what was started last and still runs: study, trace, kernel, cross-check, "
                       "ranking, simulating, recording, heat map, store")},
        {tr("Enter in a field"), tr("Run the study")},
        {tr("F6"), tr("Run the kernel on the OpenCL device")},
        {tr("F7"), tr("Cross-check model, simulator and device")},
        {tr("Ctrl+B"), tr("Keep what is shown as B, to compare with")},
        {tr("Ctrl+Shift+B"), tr("Swap A and B")},
        {{}, tr("Heat map")},
        {tr("Alt+1, Alt+2, Alt+3"), tr("Show A, B, A − B")},
        {tr("↑ and ↓ on the colour bar"), tr("Upper limit of the colours; with Shift the lower one")},
        {tr("Wheel, + and −"), tr("Zoom at the cursor")},
        {tr("Drag, arrow keys"), tr("Move")},
        {tr("Shift+drag"), tr("Zoom into a rectangle")},
        {tr("F, Home"), tr("Fit the whole image")},
        {tr("Backspace, Alt+Left"), tr("Back to the view before")},
        {tr("Shift+Backspace, Alt+Right"), tr("Forward again")},
        {tr("G, Ctrl+G"), tr("Go to a texel")},
        {{}, tr("Playback")},
        {tr("Space"), tr("Play, pause")},
        {tr(", and ."), tr("Previous and next access")},
        {{}, tr("Ranking")},
        {tr("Double click, Enter"), tr("Run that configuration")},
        {tr("Click on a heading"), tr("Sort by that column")},
        {tr("Shift+click, Ctrl+click, Ctrl+A"), tr("Select several rows, in every view")},
        {tr("Ctrl+C on rows"), tr("Copy them as CSV")},
        {tr("Drag in the plot"), tr("Select the points in a rectangle")},
        {{}, tr("Trace and stored results")},
        {tr("F8"), tr("Simulate the trace again, on the study's device")},
        {tr("Ctrl+L"), tr("Reload the store")},
        {tr("Double click, Enter on a row"), tr("Run the study of that result")},
        {{}, tr("Cross-check")},
        {tr("Click on a point"), tr("Select its row")},
        {tr("← and → in the plot"), tr("Select the next point")},
        {tr("Double click, Enter on a row"), tr("Run that configuration")},
        {{}, tr("Plots")},
        {tr("Wheel"), tr("Zoom along x at the cursor")},
        {tr("Drag"), tr("Move")},
        {tr("Double click"), tr("Show all")},
        {tr("Click on a point of the roofline"), tr("Put its configuration into the study")},
        {{}, tr("Window")},
        {tr("Ctrl+O, drop a file"), tr("Open a study, profile, trace, store of results or report")},
        {tr("Ctrl+N"), tr("A second window beside this one")},
        {tr("Ctrl+S, Ctrl+Shift+S"), tr("Save the study")},
        {tr("Ctrl+E"), tr("Export the heat map")},
        {tr("Ctrl+Shift+E"), tr("Export the ranking")},
        {tr("Ctrl+0"), tr("Go to the heat map")},
        {tr("Ctrl+1 to Ctrl+9"), tr("Go to a dock, in the order of View > Go to")},
        {tr("Ctrl+Q"), tr("Quit, all windows")},
        {tr("F1"), tr("What the quantities of the dock in use mean")},
        {tr("?"), tr("This sheet")},
    };
    setObjectName("shortcut_sheet");
    setWindowTitle(tr("Keyboard and mouse"));
    auto* grid = new QGridLayout(this);
    grid->setHorizontalSpacing(fontMetrics().height() * 2);
    int row = 0;
    for (const Entry& entry : entries) {
        auto* action = new QLabel(entry.action);
        if (entry.keys.isEmpty()) {
            QFont bold = font();
            bold.setBold(true);
            action->setFont(bold);
            grid->addWidget(action, row++, 0, 1, 2);
        } else {
            grid->addWidget(new QLabel(entry.keys), row, 0);
            grid->addWidget(action, row++, 1);
        }
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    grid->addWidget(buttons, row, 0, 1, 2);
}

} // namespace texelscope::gui
