#include "tests/gui/window_fixture.hpp"

#include <catch2/catch.hpp>

#include <QApplication>
#include <QLabel>
#include <QMessageBox>
#include <QToolTip>
#include <algorithm>

using namespace texelscope;
using namespace texelscope::gui;

TEST_CASE("names from files are shown as they are written, not as HTML")
{
    test::WindowFixture f;
    const QString name =
        QStringLiteral("<b>conv</b><img src='/tmp/x.png'><a href='https://example.org'>1</a>");
    REQUIRE(Qt::mightBeRichText(name));

    QLabel label(name, &f.window);
    label.show();
    CHECK(label.textFormat() == Qt::PlainText);

    QMessageBox message(QMessageBox::Warning, "title", name, QMessageBox::Close, &f.window);
    message.show();
    const auto* const text = message.findChild<QLabel*>("qt_msgbox_label");
    REQUIRE(text != nullptr);
    CHECK(text->text() == name);
    CHECK(text->textFormat() == Qt::PlainText);

    QToolTip::showText(f.window.pos(), name, &f.window);
    const QWidgetList all = QApplication::topLevelWidgets();
    const auto tip = std::find_if(all.begin(), all.end(), [](const QWidget* widget) {
        return widget->inherits("QTipLabel");
    });
    REQUIRE(tip != all.end());
    CHECK(qobject_cast<QLabel*>(*tip)->text() == name);
    CHECK(qobject_cast<QLabel*>(*tip)->textFormat() == Qt::PlainText);
    QToolTip::hideText();

    // What is meant as HTML stays so.
    CHECK(f.find<QLabel>("device_legend").textFormat() == Qt::RichText);
    CHECK(f.find<QLabel>("identification_summary").textFormat() == Qt::RichText);
}
