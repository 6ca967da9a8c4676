#pragma once

#include "base/layers.hpp"

#include <span>
#include <string>
#include <vector>

namespace texelscope::devices {

/// The text of a file of OpenCL C, with the files that it includes written in where they are
/// included. `#line` says of each part which file and line it is from, so that a compiler names
/// the user's own. Compilers that see no file but the text they are given (in a root of their own,
/// on a phone) compile it so.
///
/// Included files are looked for beside the file that includes them, then in `folders`, in their
/// order. What is not found, or named by a macro, is left for the compiler, which knows whether it
/// is needed. A file that includes itself is written in once more only if nothing guards it. Throws
/// bad_input where a file cannot be read, or holds nothing, or includes have no end.
[[nodiscard]] std::string program_text(const std::string& path,
                                       std::span<const std::string> folders);

/// Build options of an OpenCL program without those that name folders for includes.
struct ProgramOptions {
    std::string options;
    std::vector<std::string> folders; ///< in the order of the options
};
/// Takes "-I FOLDER" and "-IFOLDER" out of options that are parted by blanks; quotes keep blanks.
/// Throws bad_input where a quote is not closed or -I has no folder.
[[nodiscard]] ProgramOptions program_options(const std::string& options);

} // namespace texelscope::devices
