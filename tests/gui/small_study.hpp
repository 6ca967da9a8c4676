#pragma once

#include "gui/study/session.hpp"
#include "gui/study/study_panel.hpp"
#include "workbench/study/study.hpp"

#include <catch2/catch.hpp>

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>
#include <functional>
#include <memory>

namespace texelscope::test {
using namespace gui;

/// matmul 16,16,16 on the Adreno 740.
[[nodiscard]] StudyForm small_form();
/// Its result; run once for all tests.
[[nodiscard]] std::shared_ptr<const StudyResult> small_study();

/// Runs the event loop until `done`; false where that takes minutes, which is a failure and no
/// matter of speed.
[[nodiscard]] bool wait_until(const std::function<bool()>& done);

/// The widget of that object name below another; the test fails where there is none.
template <class Widget>
[[nodiscard]] Widget& find(const QWidget& above, const char* name)
{
    auto* widget = above.findChild<Widget*>(name);
    INFO(name);
    REQUIRE(widget != nullptr);
    return *widget;
}

/// The panel of a dock in a session of its own, with nothing shown.
template <class Panel>
struct PanelFixture {
    Session session;
    Panel panel{session};
    QSignalSpy ended{&panel, &Panel::ended};
    std::shared_ptr<const StudyResult> study = small_study();

    explicit PanelFixture(QSize size = {1000, 400})
    {
        panel.resize(size);
        panel.show();
    }
    template <class Widget>
    [[nodiscard]] Widget& find(const char* name)
    {
        return test::find<Widget>(panel, name);
    }
    void click(const char* name)
    {
        QTest::mouseClick(&find<QAbstractButton>(name), Qt::LeftButton);
    }
    bool wait_for_end(qsizetype ends)
    {
        return wait_until([&] { return ended.count() >= ends; });
    }
};

} // namespace texelscope::test
