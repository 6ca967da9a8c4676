#pragma once

#include <string>

namespace texelscope::gui {

/// Where a file lies that comes with the program: beside an installed one under share/texelscope,
/// else in the sources that the program was built from. `name`: "gallery/..." or
/// "measurements/...". Throws missing where it is in neither.
[[nodiscard]] std::string shipped_file(const std::string& name);

/// The same, for a program in that folder and sources in that one.
[[nodiscard]] std::string shipped_file(const std::string& name, const std::string& program_folder,
                                       const std::string& sources);

} // namespace texelscope::gui
