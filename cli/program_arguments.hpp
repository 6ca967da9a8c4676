#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace texelscope::cli {

/// A program of OpenCL C as a compiler takes it.
struct ProgramSource {
    std::string text;    ///< with what it includes
    std::string options; ///< of its build
};

/// `FILE.cl --options "..." -D NAME=VALUE -I FOLDER`: a program as it lies on the disk.
struct ProgramArguments {
    std::string file;
    std::string options;
    std::vector<std::string> definitions, folders;

    /// `about`: of the file. Returns the file's option.
    CLI::Option* add_to(CLI::App& parser, const std::string& about);
    /// Reads it. Without `-cl-std=` among the options it is OpenCL C 1.2, without warnings. Throws
    /// bad_input.
    [[nodiscard]] ProgramSource source() const;
};

} // namespace texelscope::cli
