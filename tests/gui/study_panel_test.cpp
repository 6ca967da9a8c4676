#include "base/error.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "gui/study/study_panel.hpp"
#include "tests/gui/fake_compiler.hpp"
#include "tests/gui/small_study.hpp"

#include <catch2/catch.hpp>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <optional>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

using test::find;

void type(QLineEdit& edit, const QString& text)
{
    edit.clear();
    QTest::keyClicks(&edit, text);
}

} // namespace

TEST_CASE("the panel gives back the form that it was given")
{
    const StudyForm form{"matmul",     "16,32,64",
                         "",           "A=block2,row;T=4x4;W=8x8;G=8x8x1",
                         "adreno-640", {"l1.ways=4", "occupancy=2"},
                         "7",          false};
    const StudyPanel panel(form);
    CHECK(panel.form() == form);
    CHECK(panel.error().isEmpty());
}

TEST_CASE("what is typed becomes the request")
{
    StudyPanel panel(test::small_form());
    type(find<QLineEdit>(panel, "shape"), "32,16,8");
    type(find<QLineEdit>(panel, "config"), "A=block4,block2;T=4x2;W=4x4;G=8x8x1");
    find<QComboBox>(panel, "device").setCurrentText("adreno-640");
    find<QPlainTextEdit>(panel, "overrides").setPlainText("l1.capacity=4096\n\n  occupancy=2  ");
    std::optional<StudyRequest> asked;
    QObject::connect(&panel, &StudyPanel::run_requested,
                     [&](const StudyRequest& request) { asked = request; });
    QTest::mouseClick(&find<QPushButton>(panel, "run"), Qt::LeftButton);
    REQUIRE(asked);
    CHECK(to_string(asked->op) == "matmul 32,16,8");
    CHECK(to_string(asked->schedule) == "A=block4,block2;T=4x2;W=4x4;G=8x8x1");
    CHECK(asked->device.name == "adreno-640");
    CHECK(asked->device.simulation.machine.l1().geometry.capacity == Bytes{4096});
    CHECK(asked->device.simulation.kernel.occupancy == 2);
    CHECK(asked->rank);
    CHECK(asked->device.compiler == nullptr);
}

TEST_CASE(
    "a formula that is typed is an operator: its tensors get patterns, its sizes are asked for")
{
    StudyPanel panel(test::small_form());
    auto& box = find<QComboBox>(panel, "operator");
    box.lineEdit()->clear();
    QTest::keyClicks(box.lineEdit(), "S[i,j] = sum(d) Q[i,d] * K[j,d]");
    CHECK(find<QLineEdit>(panel, "shape").text() == "i=16,j=16,d=16");
    CHECK(panel.findChild<QComboBox*>("pattern_Q") != nullptr);
    CHECK(panel.findChild<QComboBox*>("pattern_K") != nullptr);
    CHECK(panel.error().isEmpty());
    type(find<QLineEdit>(panel, "shape"), "i=16,j=32");
    CHECK(panel.error().contains("d is missing"));
    type(find<QLineEdit>(panel, "shape"), "i=16,j=32,d=8");
    CHECK(to_string(panel.request().op) == "S[i,j] = sum(d) Q[i,d] * K[j,d] 16,32,8");
    QTest::keyClicks(box.lineEdit(), " + ");
    CHECK(panel.error().contains("column"));
    box.setCurrentText("conv2d");
    CHECK(panel.error().isEmpty());
    CHECK(panel.request().op.name == "conv2d");
}

TEST_CASE("registers are estimated or compiled, as far as there is a compiler")
{
    StudyPanel panel(test::small_form());
    auto& registers = find<QComboBox>(panel, "registers");
    CHECK(registers.currentText() == "estimated");
    {
        const test::FakeCompiler compiler;
        registers.setCurrentText("compiled");
        CHECK(panel.error().isEmpty());
        CHECK(panel.form().registers == "compiled");
        CHECK(panel.request().device.compiler->gpu().name == std::string("adreno-740"));
    }
    const test::NoCompilers none;
    find<QComboBox>(panel, "device").setCurrentText("mali-g76");
    CHECK(panel.error().contains("texelscope compile --setup"));
    find<QComboBox>(panel, "device").setCurrentText("nvidia-h100");
    CHECK(panel.error().contains("no compiler for 'nvidia-h100'"));
    registers.setCurrentText("estimated");
    CHECK(panel.error().isEmpty());
    StudyForm form = test::small_form();
    form.registers = "guessed"; // of a file
    panel.set_form(form);
    CHECK(panel.error().contains("guessed"));
}

TEST_CASE("a bad configuration is reported while it is typed, and does not run")
{
    StudyPanel panel(test::small_form());
    int runs = 0;
    QObject::connect(&panel, &StudyPanel::run_requested, [&] { ++runs; });
    auto& config = find<QLineEdit>(panel, "config");
    const QString good = config.text();
    type(config, "A=block3,row;T=4x4;W=8x8;G=8x8x1");
    CHECK(panel.error().contains("block3"));
    CHECK_FALSE(panel.error().contains('\n'));
    CHECK_FALSE(find<QLabel>(panel, "error").isHidden());
    CHECK_THROWS_AS(panel.request(), Error);
    panel.run();
    QTest::keyClick(&config, Qt::Key_Return);
    CHECK(runs == 0);
    type(config, good);
    CHECK(panel.error().isEmpty());
    CHECK(find<QLabel>(panel, "error").isHidden());
    panel.run();
    CHECK(runs == 1);
}

TEST_CASE("pattern combos and the configuration's text follow each other")
{
    StudyPanel panel(test::small_form());
    auto& a = find<QComboBox>(panel, "pattern_A");
    auto& b = find<QComboBox>(panel, "pattern_B");
    auto& config = find<QLineEdit>(panel, "config");
    type(config, "A=block8,row;T=4x4;W=8x8;G=8x8x1");
    CHECK(a.currentText() == "block8");
    CHECK(b.currentText() == "row");
    QTest::keyClick(&b, Qt::Key_Home); // the first pattern, as a user chooses it
    CHECK(config.text() == "A=block8,column;T=4x4;W=8x8;G=8x8x1");
    config.setText("nonsense");
    CHECK(a.currentText() == "block8");
}

TEST_CASE("every control of the panel has an accessible name")
{
    StudyPanel panel(test::small_form());
    for (const char* name :
         {"operator", "shape", "config", "pattern_A", "pattern_B", "device", "open_profile",
          "overrides", "registers", "seed", "rank", "run", "cancel", "progress"}) {
        CAPTURE(name);
        CHECK_FALSE(find<QWidget>(panel, name).accessibleName().isEmpty());
    }
}
