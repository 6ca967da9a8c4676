#include "base/atomic_file.hpp"
#include "gui/study/study_files.hpp"
#include "gui/widgets/theme.hpp"
#include "tests/gui/window_fixture.hpp"

#include <catch2/catch.hpp>

#include <QApplication>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

/// Files of a window that shows the small study.
struct StudyFilesFixture : test::WindowFixture {
    StudyFiles& files() { return *window.findChild<StudyFiles*>(); }
};

} // namespace

TEST_CASE("a study is saved, opened again and run")
{
    StudyFilesFixture f;
    QMenu menu;
    f.files().add_to(menu);
    const StudyForm saved = f.panel().form();
    f.files().save(f.file("a.xml"));
    CHECK(f.files().path() == f.file("a.xml"));
    CHECK(read_study_form(f.file("a.xml").toStdString()) == saved);

    StudyForm other = saved;
    other.op = "conv2d";
    other.shape = "1,6,6,4,4,3,3,1";
    other.padding = "valid";
    other.config.clear();
    other.device = "mali-g76";
    other.overrides = {"l1.capacity=4096"};
    f.panel().set_form(other);
    CHECK(f.panel().form().padding == "valid");
    f.files().save(f.file("b.xml"));

    f.window.open(f.file("a.xml"));
    CHECK(f.panel().form() == saved);
    CHECK(test::wait_until([&] { return f.shown.count() == 1; }));
    f.window.open(f.file("b.xml"));
    CHECK(f.panel().form().padding == "valid");
    CHECK(f.panel().form().overrides == other.overrides);
    CHECK(test::wait_until([&] { return f.shown.count() == 2; }));
    CHECK(to_string(f.window.session().study()->request.op) ==
          "conv2d 1,6,6,4,4,3,3,1 --padding valid");

    const QStringList recent{f.file("b.xml"), f.file("a.xml")};
    CHECK(f.files().recent() == recent);
    auto* entries = menu.findChild<QMenu*>("recent_menu");
    REQUIRE(entries != nullptr);
    CHECK(entries->actions().size() == 2);
    CHECK(entries->actions().front()->text() == f.file("b.xml"));
}

TEST_CASE(
    "a profile goes to the study that is there; what is neither is refused, and the study stays")
{
    StudyFilesFixture f;
    const StudyForm before = f.panel().form();
    DeviceProfile profile = find_profile("mali-g76");
    write_file_atomically(f.file("mine.xml").toStdString(), to_xml(profile));
    f.window.open(f.file("mine.xml"));
    CHECK(f.panel().form().device == f.file("mine.xml").toStdString());
    CHECK(f.panel().form().config == before.config);
    CHECK(f.files().path().isEmpty());
    CHECK(test::wait_until([&] { return f.shown.count() == 1; }));

    const StudyForm now = f.panel().form();
    for (const auto& [name, text] :
         {std::pair{"broken.xml", "<study><operator"}, std::pair{"empty.xml", ""},
          std::pair{"picture.png", "no XML"}, std::pair{"other.xml", "<html/>"}}) {
        CAPTURE(name);
        write_file_atomically(f.file(name).toStdString(), text);
        f.window.open(f.file(name));
        CHECK(f.panel().error().contains(name));
        CHECK_FALSE(f.panel().error().contains('\n'));
        CHECK(f.panel().form() == now);
    }
    f.files().save(f.file("no/such/folder.xml"));
    CHECK(f.panel().error().contains("folder.xml"));
}

TEST_CASE("a file that is dropped on the window is opened")
{
    StudyFilesFixture f;
    StudyForm form = test::small_form();
    form.seed = "77";
    write_file_atomically(f.file("dropped.xml").toStdString(), to_xml(form));
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(f.file("dropped.xml"))});
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &enter);
    CHECK(enter.isAccepted());
    QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &drop);
    CHECK(f.panel().form().seed == "77");
    CHECK(test::wait_until([&] { return f.shown.count() == 1; }));

    QMimeData text;
    text.setText("words");
    QDragEnterEvent refused(QPoint(5, 5), Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
    refused.ignore();
    QApplication::sendEvent(&f.window, &refused);
    CHECK_FALSE(refused.isAccepted());
}

TEST_CASE("the themes are light and dark, and texts have contrast on both")
{
    const auto luminance = [](const QColor& colour) { // WCAG 2.1, relative luminance
        const auto linear = [](double c) {
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
               0.0722 * linear(colour.blueF());
    };
    for (const Theme theme : {Theme::light, Theme::dark}) {
        apply(theme);
        const QPalette palette = QApplication::palette();
        CHECK(is_dark(palette) == (theme == Theme::dark));
        for (const auto& [text, ground] :
             {std::pair{QPalette::WindowText, QPalette::Window},
              std::pair{QPalette::Text, QPalette::Base},
              std::pair{QPalette::PlaceholderText, QPalette::Base},
              std::pair{QPalette::ButtonText, QPalette::Button},
              std::pair{QPalette::HighlightedText, QPalette::Highlight}}) {
            const double a = luminance(palette.color(text)), b = luminance(palette.color(ground));
            CAPTURE(text, ground, palette.color(text).name().toStdString(),
                    palette.color(ground).name().toStdString());
            CHECK((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05) >=
                  (ground == QPalette::Highlight ? 4.0 : 4.5));
        }
    }
    apply(Theme::system);
}
