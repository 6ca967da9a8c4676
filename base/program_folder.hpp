#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::base {

/// The folder of this project's programs: that of the running program, if it is one of them. Where
/// this code was loaded into another one, Python say, the folder "bin" beside the file that it was
/// loaded from.
[[nodiscard]] std::string program_folder();

/// A text that says which build of this code runs, and that differs after every new build: the file
/// that the code was loaded from, its size, and when it was written.
[[nodiscard]] std::string program_stamp();

} // namespace texelscope::base
