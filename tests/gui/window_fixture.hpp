#pragma once

#include "gui/shell/main_window.hpp"
#include "gui/study/study_panel.hpp"
#include "tests/gui/small_study.hpp"

#include <QSignalSpy>
#include <QTemporaryDir>

namespace texelscope::test {
using namespace gui;

/// A window that asks for the small study, and a folder for its files.
struct WindowFixture {
    QTemporaryDir folder;
    MainWindow window{small_form(), false};
    QSignalSpy shown{&window.session(), &Session::shown_anew};
    QSignalSpy failed{&window.session(), &Session::failed};
    QSignalSpy cancelled{&window.session(), &Session::cancelled};

    WindowFixture() { window.show(); }
    /// Runs what the form asks for, and waits until it is shown.
    void run()
    {
        const auto before = shown.count();
        window.run();
        REQUIRE(wait_until([&] { return shown.count() > before; }));
    }
    template <class Widget>
    [[nodiscard]] Widget& find(const char* name)
    {
        return test::find<Widget>(window, name);
    }
    [[nodiscard]] QString file(const char* name) const { return folder.filePath(name); }
    [[nodiscard]] std::string path(const char* name) const { return file(name).toStdString(); }
    [[nodiscard]] StudyPanel& panel() { return find<StudyPanel>("study_panel"); }
    [[nodiscard]] QString error() { return panel().error(); }
};

/// With the study in it.
struct StudyWindowFixture : WindowFixture {
    StudyWindowFixture() { run(); }
};

} // namespace texelscope::test
