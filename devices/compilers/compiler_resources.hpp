#pragma once

#include "base/layers.hpp"

#include <string_view>

namespace texelscope::devices {

// Files of this folder as the program has them within (cmake/embed_text.cmake).
[[nodiscard]] std::string_view setup_compilers_sh();
[[nodiscard]] std::string_view build_kernel_c();

} // namespace texelscope::devices
