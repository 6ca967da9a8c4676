#include "gui/kernel/listing_view.hpp"
#include "gui/widgets/controls.hpp"
#include "tests/gui/fake_compiler.hpp"
#include "tests/gui/small_study.hpp"

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <algorithm>

using namespace texelscope;
using namespace texelscope::gui;

namespace {

struct ListingFixture {
    test::FakeCompiler compiler;
    ListingView view;
    QSignalSpy ended{&view, &ListingView::ended};
    QSignalSpy compiled{&view, &ListingView::compiled};

    ListingFixture()
    {
        view.resize(500, 500);
        view.show();
    }
    void compile(const std::string& text, const std::string& profile = "adreno-740")
    {
        const auto before = ended.count();
        view.show_kernel(text, profile);
        REQUIRE(test::wait_until([&] { return ended.count() > before; }));
    }
    template <class Widget>
    Widget& find(const char* name)
    {
        return test::find<Widget>(view, name);
    }
    QString hint()
    {
        return view.findChild<EmptyHint*>()->isHidden() ? QString()
                                                        : find<EmptyHint>("empty_hint").text();
    }
    QStringList lines() { return find<QPlainTextEdit>("listing").toPlainText().split(u'\n'); }
};

QStringList marked(const QStringList& lines, int column, QChar mark)
{
    QStringList found;
    std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
                 [&](const QString& line) { return line.size() > column && line[column] == mark; });
    return found;
}

} // namespace

TEST_CASE("a listing has its reads and waits marked, and says what the compiler says")
{
    ListingFixture f;
    CHECK(f.hint().contains("F5"));
    f.compile("kernel void k() {}");
    CHECK(f.compiled.count() == 1);
    CHECK(f.find<QLabel>("listing_summary").text() ==
          "adreno-740: 64 registers; 12 warps of 64 work-items on a core, limited by registers; "
          "171 instructions; 8 "
          "reads in flight; no spills.");
    CHECK(f.find<QLabel>("listing_summary").toolTip().contains("64 multiply-add"));
    CHECK(f.find<QLabel>("listing_spills").isHidden());
    CHECK(f.hint().isEmpty());
    const QStringList reads = marked(f.lines(), 0, u'T'), waits = marked(f.lines(), 1, u'w');
    CHECK(reads.size() == 8);
    CHECK(std::all_of(reads.begin(), reads.end(),
                      [](const QString& line) { return line.contains("saml"); }));
    CHECK_FALSE(waits.isEmpty());
    CHECK(std::all_of(waits.begin(), waits.end(),
                      [](const QString& line) { return line.contains("(sy)"); }));
    CHECK(marked(f.lines(), 0, u's').isEmpty());
    const auto grounds = f.find<QPlainTextEdit>("listing").extraSelections();
    CHECK(grounds.size() == reads.size() + waits.size());
    CHECK(std::all_of(grounds.begin(), grounds.end(), [](const QTextEdit::ExtraSelection& ground) {
        const QString line = ground.cursor.block().text();
        return line.startsWith('T') || line.startsWith(" w");
    }));
    CHECK(f.find<QLabel>("listing_legend").text().contains("waits"));
    CHECK_FALSE(f.find<QLabel>("listing_legend").text().contains("spills"));
    CHECK(f.find<QPushButton>("listing_cancel").isHidden());
    CHECK_FALSE(f.view.grab().isNull());

    f.view.show_kernel("kernel void k() {}", "adreno-740"); // the same: there already
    CHECK_FALSE(f.view.running());
    CHECK(f.lines().size() > 100);
}

TEST_CASE("a kernel that spills says so in plain words")
{
    ListingFixture f;
    f.compiler.print("softmax_dx-adreno-740");
    f.compile("kernel void k() {}");
    CHECK_FALSE(f.find<QLabel>("listing_spills").isHidden());
    CHECK(f.find<QLabel>("listing_spills").text().contains("memory, in 108 stores and 108 loads"));
    CHECK(f.find<QLabel>("listing_summary").text().contains("216 spills"));
    const QStringList spills = marked(f.lines(), 0, u's');
    CHECK_FALSE(spills.isEmpty());
    CHECK(std::all_of(spills.begin(), spills.end(), [](const QString& line) {
        return line.contains("stp") || line.contains("ldp");
    }));
    CHECK(f.find<QLabel>("listing_legend").text().contains("spills"));
}

TEST_CASE("what is not compiled says why, in one line")
{
    ListingFixture f;
    f.compile("kernel void k() {}", "nvidia-h100");
    CHECK(f.hint().contains("no compiler for nvidia-h100"));
    CHECK_FALSE(f.hint().contains('\n'));
    f.compile("kernel void k() {}", "mali-g76");
    CHECK(f.hint().contains("mali-g76"));
    CHECK(f.hint().contains("texelscope compile --setup"));
    CHECK_FALSE(f.hint().contains('\n'));
    CHECK(f.compiled.isEmpty());
    CHECK(f.lines() == QStringList{""});
    f.compiler.print("softmax_dx-adreno-740"); // nothing that its compiler would print about a Mali

    SECTION("and can be compiled once the compiler is there")
    {
        f.compiler.hang();
        f.view.show_kernel("kernel void k() {}", "adreno-740");
        f.view.cancel();
        REQUIRE(test::wait_until([&] { return !f.view.running(); }));
        f.compiler.print("matmul-adreno-740");
        QTest::mouseClick(&f.find<QPushButton>("listing_compile"), Qt::LeftButton);
        REQUIRE(test::wait_until([&] { return f.compiled.count() == 1; }));
        CHECK(f.hint().isEmpty());
    }
    SECTION("and gives way to a kernel that is")
    {
        f.compile("kernel void k() {}");
        CHECK(f.compiled.count() == 1);
    }
}

TEST_CASE("compiling is cancelled at once, and the compiler is gone")
{
    ListingFixture f;
    f.compiler.hang();
    f.view.show_kernel("kernel void k() {}", "adreno-740");
    CHECK(f.hint().contains("adreno-740"));
    REQUIRE(test::wait_until([&] { return f.compiler.hangs(); }));
    CHECK_FALSE(f.find<QPushButton>("listing_cancel").isHidden());
    QTest::mouseClick(&f.find<QPushButton>("listing_cancel"), Qt::LeftButton);
    REQUIRE(test::wait_until([&] { return f.ended.count() == 1; }));
    CHECK(f.hint() == "Cancelled.");
    CHECK_FALSE(f.view.running());
    CHECK(test::wait_until([&] { return !f.compiler.hangs(); }));
    CHECK(f.compiled.isEmpty());
}

TEST_CASE("a listing that nobody sees is not compiled")
{
    ListingFixture f;
    f.view.hide();
    f.view.show_kernel("kernel void k() {}", "adreno-740");
    CHECK_FALSE(f.view.running());
    f.view.show();
    CHECK(f.view.running());
    REQUIRE(test::wait_until([&] { return f.compiled.count() == 1; }));
    f.view.hide();
    f.view.show();
    CHECK_FALSE(f.view.running());
}

TEST_CASE("every control of the listing has an accessible name")
{
    ListingFixture f;
    for (const char* name : {"listing", "listing_summary", "listing_spills", "listing_legend",
                             "listing_progress", "listing_cancel", "listing_compile"}) {
        CAPTURE(name);
        CHECK_FALSE(f.find<QWidget>(name).accessibleName().isEmpty());
    }
}
