#pragma once

#include <catch2/catch.hpp>

#include <QWidget>

namespace texelscope::test {

/// The widget of that object name below another; the test fails where there is none.
template <class Widget>
[[nodiscard]] Widget& find(const QWidget& above, const char* name)
{
    auto* widget = above.findChild<Widget*>(name);
    INFO(name);
    REQUIRE(widget != nullptr);
    return *widget;
}

} // namespace texelscope::test
