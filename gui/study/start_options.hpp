#pragma once

#include "devices/runners/job_runner_options.hpp"
#include "gui/study/study_files.hpp"
#include "gui/study/study_panel.hpp"

#include <QString>
#include <QStringList>
#include <optional>
#include <string>

namespace texelscope::gui {

/// What the program was started with.
struct StartOptions {
    StudyForm form;
    /// Whether anything of the form was given, so that no earlier session goes on.
    bool asks_for_study = false;
    std::string file;             ///< that was given; empty: none
    std::optional<FileKind> kind; ///< of the file; a study or a profile is in the form already
    /// File to write the window to once the first study, or the start page, is there; then the
    /// program ends.
    std::string screenshot;
    JobRunnerOptions devices; ///< how OpenCL devices are opened
    bool settings = true;     ///< read and save the window's layout
    bool help = false;
    bool version = false;
};

/// `arguments`: with the program's name first. A study or a profile among them is read, of another
/// file its kind. Throws bad_input for options that are unknown or lack a value, and for whatever
/// to_request() rejects.
[[nodiscard]] StartOptions parse_start_options(const QStringList& arguments);
[[nodiscard]] QString start_help();

} // namespace texelscope::gui
