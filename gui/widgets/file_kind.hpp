#pragma once

#include <string>

namespace texelscope::gui {

/// What the window opens.
enum class FileKind {
    study,   ///< XML, <study>
    profile, ///< XML, <device>
    trace,   ///< native, or plain CSV, compressed or not
    store,   ///< SQLite: results of tune, sweep and run
    report,  ///< HTML that texelscope wrote
};

/// The kind of a file by how it begins, whatever its name; whether the rest is whole is not looked at. Throws bad_input
/// where there is no such file, it cannot be read or is empty, or is none of these.
[[nodiscard]] FileKind file_kind(const std::string& path);

} // namespace texelscope::gui
