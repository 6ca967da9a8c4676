#pragma once

#include "workbench/store/json_result.hpp"

#include <string>

namespace texelscope::cli {

/// Makes the folder where it is not there, parents included. Throws bad_input, naming the option,
/// where that cannot be.
void make_output_folder(const std::string& path, const std::string& option);

/// The bytes of a file. Throws bad_input, with that remedy, where it cannot be read.
[[nodiscard]] std::string read_whole_file(const std::string& path, const std::string& remedy);

/// Throws bad_input where the file cannot be read, is not JSON, or is no result of this program.
[[nodiscard]] JsonResult read_result_file(const std::string& path);

} // namespace texelscope::cli
