#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::base {

/// The folder of this project's programs: that of the running program, if it is one of them. Where
/// this code was loaded into another one, Python say, the folder "bin" beside the file that it was
/// loaded from.
[[nodiscard]] std::string program_folder();

/// Says which build of this code runs: another text after every new one. The file that it was
/// loaded from, its size and when it was written.
[[nodiscard]] std::string program_stamp();

} // namespace texelscope::base
