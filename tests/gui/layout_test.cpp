#include "gui/network/network_panel.hpp"
#include "gui/shell/docks.hpp"
#include "gui/start/start_page.hpp"
#include "gui/widgets/controls.hpp"
#include "tests/gui/window_fixture.hpp"

#include <catch2/catch.hpp>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QScrollArea>
#include <QStyle>
#include <QStyleOptionComboBox>

using namespace texelscope;
using namespace texelscope::gui;

// What makes a dock hard to read in a small window, as far as it can be told by code. With
// TEXELSCOPE_PICTURES=FOLDER each dock leaves a picture of the window there, for what cannot.
// tests/gui/CMakeLists.txt runs these at several QT_SCALE_FACTORs.

namespace {

/// That of a small screen; where it is scaled by a quarter, as much less of it. A screen that is
/// scaled by two has the pixels for it.
QSize small_window()
{
    const double scale = qEnvironmentVariable("QT_SCALE_FACTOR", "1").toDouble();
    return scale < 2 ? QSize(1280, 800) / scale : QSize(1280, 800);
}

/// A picture for people; nothing where none were asked for.
void leave_picture(QWidget& window, const QString& name)
{
    const QString folder = qEnvironmentVariable("TEXELSCOPE_PICTURES");
    if (!folder.isEmpty()) {
        QDir().mkpath(folder);
        window.grab().save(folder + "/" + name + ".png");
    }
}

QString about(const QWidget& widget, const QString& text)
{
    return QString::fromLatin1(widget.metaObject()->className()) + " " + widget.objectName() +
           " '" + text + "' " + QStringLiteral("%1x%2").arg(widget.width()).arg(widget.height());
}

/// Whether the widget lies in something that can be scrolled to all of it.
bool scrolls(const QWidget& widget)
{
    for (const QWidget* each = widget.parentWidget(); each != nullptr;
         each = each->parentWidget()) {
        if (qobject_cast<const QScrollArea*>(each) != nullptr) {
            return true;
        }
    }
    return false;
}

int width_of_text(const QComboBox& box)
{
    QStyleOptionComboBox option;
    option.initFrom(&box);
    return box.style()
        ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, &box)
        .width();
}

/// What cannot be read in full, one line each.
QStringList cut_texts(const QWidget& inside)
{
    QStringList cut;
    for (const QLabel* label : inside.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty() ||
            qobject_cast<const EmptyHint*>(label) != nullptr) {
            continue;
        }
        const bool narrow = !label->wordWrap() && label->width() < label->sizeHint().width();
        const bool low =
            label->height() < (label->wordWrap() ? label->heightForWidth(label->width())
                                                 : label->fontMetrics().height());
        if ((narrow || low) && label->toolTip().isEmpty() && !scrolls(*label)) {
            cut << about(*label, label->text()) + (low ? " is low" : " is narrow");
        }
    }
    for (const QAbstractButton* button : inside.findChildren<QAbstractButton*>()) {
        if (button->isVisible() && !button->text().isEmpty() &&
            button->width() < button->minimumSizeHint().width()) {
            cut << about(*button, button->text());
        }
    }
    for (const QComboBox* box : inside.findChildren<QComboBox*>()) {
        const int text = box->fontMetrics().horizontalAdvance(box->currentText());
        if (box->isVisible() && width_of_text(*box) < text &&
            !box->toolTip().contains(box->currentText())) {
            cut << about(*box, box->currentText()) +
                       QStringLiteral(" has %1 for %2").arg(width_of_text(*box)).arg(text);
        }
    }
    return cut;
}

/// Controls of which a part lies outside of what is shown.
QStringList hidden_controls(const QWidget& inside)
{
    QStringList hidden;
    for (const QWidget* control : inside.findChildren<QWidget*>()) {
        const bool is_control = qobject_cast<const QAbstractButton*>(control) != nullptr ||
                                qobject_cast<const QComboBox*>(control) != nullptr;
        if (is_control && control->isVisible() && !scrolls(*control) &&
            control->visibleRegion().boundingRect() != control->rect()) {
            hidden << about(*control, {});
        }
    }
    return hidden;
}

/// Controls of one parent that lie over each other.
QStringList overlaps(const QWidget& inside)
{
    QStringList found;
    for (const QWidget* parent : inside.findChildren<QWidget*>()) {
        if (parent->layout() == nullptr || !parent->isVisible()) {
            continue;
        }
        const auto children = parent->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
        for (qsizetype i = 0; i < children.size(); ++i) {
            for (qsizetype j = i + 1; j < children.size(); ++j) {
                const bool laid_out = parent->layout()->indexOf(children[i]) >= 0 &&
                                      parent->layout()->indexOf(children[j]) >= 0;
                if (laid_out && children[i]->isVisible() && children[j]->isVisible() &&
                    children[i]->geometry().intersects(children[j]->geometry())) {
                    found << about(*children[i], {}) + " and " + about(*children[j], {});
                }
            }
        }
    }
    return found;
}

} // namespace

TEST_CASE("every dock can be read in a small window", "[layout]")
{
    test::WindowFixture f;
    f.window.resize(small_window());
    f.run();
    REQUIRE(test::wait_until(
        [&] { return f.find<QAbstractItemView>("ranking_table").model()->rowCount() > 0; }));
    CAPTURE(f.window.minimumSizeHint().width(), f.window.minimumSizeHint().height());
    CHECK(f.window.minimumSizeHint().boundedTo(small_window()) == f.window.minimumSizeHint());
    CHECK(f.window.size() == small_window());
    for (const DockRow& row : dock_rows()) {
        CAPTURE(row.id);
        auto& dock = f.find<QDockWidget>(row.id);
        raise_dock(dock);
        QTest::qWait(50); // for what is laid out anew
        leave_picture(f.window, row.id);
        CHECK(cut_texts(*dock.widget()).join("\n").toStdString() == "");
        CHECK(hidden_controls(*dock.widget()).join("\n").toStdString() == "");
        CHECK(overlaps(*dock.widget()).join("\n").toStdString() == "");
        CHECK(f.window.size() == small_window());
    }
    CHECK(cut_texts(*f.window.centralWidget()).join("\n").toStdString() == "");
    CHECK(hidden_controls(*f.window.centralWidget()).join("\n").toStdString() == "");
}

TEST_CASE("a network can be read in a small window", "[layout]")
{
    test::WindowFixture f;
    f.window.resize(small_window());
    auto& panel = f.find<NetworkPanel>("network_panel");
    auto& dock = f.find<QDockWidget>("network_dock");
    raise_dock(dock);
    dock.resize(dock.size().boundedTo(small_window())); // as the screen would
    QSignalSpy ended(&panel, &NetworkPanel::ended);
    f.find<QComboBox>("network_model").setCurrentText("mlp-16-16-16-16");
    f.find<QCheckBox>("network_simulate").setChecked(true);
    panel.run();
    QTest::qWait(0);
    // with progress and Cancel
    CHECK(hidden_controls(*dock.widget()).join("\n").toStdString() == "");
    REQUIRE(test::wait_until([&] { return ended.count() == 1; }));
    f.find<QAbstractItemView>("network_table")
        .setCurrentIndex(f.find<QAbstractItemView>("network_table").model()->index(1, 0));
    QTest::qWait(50);
    leave_picture(dock, "network");
    CHECK(cut_texts(*dock.widget()).join("\n").toStdString() == "");
    CHECK(hidden_controls(*dock.widget()).join("\n").toStdString() == "");
    CHECK(overlaps(*dock.widget()).join("\n").toStdString() == "");
    CHECK(dock.size().boundedTo(small_window()) == dock.size());
}

TEST_CASE("the sheet of shortcuts fits a small window", "[layout]")
{
    test::WindowFixture f;
    show_shortcuts(&f.window);
    auto& sheet = f.find<QDialog>("shortcut_sheet");
    leave_picture(sheet, "shortcuts");
    const QSize size = sheet.size();
    CAPTURE(size.width(), size.height());
    CHECK(size.boundedTo(QSize(1280, 760)) == size);
    CHECK(cut_texts(sheet).join("\n").toStdString() == "");
}

TEST_CASE("the start page can be read in a small window", "[layout]")
{
    test::WindowFixture f;
    f.window.resize(small_window());
    f.window.show_start_page(true);
    auto& page = f.find<StartPage>("start_page");
    REQUIRE(test::wait_until([&] { return page.complete(); }));
    QTest::qWait(50);
    leave_picture(f.window, "start_page");
    CHECK(f.window.size() == small_window());
    CHECK(cut_texts(*f.window.centralWidget()).join("\n").toStdString() == "");
}
