#pragma once

#include "base/layers.hpp"

#include <string>

namespace texelscope::workbench::kernel_logs {

/// The text of a file that may be packed with gzip, xz or zstd, which its first bytes tell,
/// whatever it is called. `where`: what messages call the file. Throws bad_input where the packed
/// data is damaged or cut off, or where much more comes out than any log packs to: over 64 MiB and
/// 4,096 times what went in.
[[nodiscard]] std::string unpacked_text(const std::string& bytes, const std::string& where);

/// The same of a file. Throws bad_input where it cannot be read.
[[nodiscard]] std::string read_packed_text(const std::string& path);

} // namespace texelscope::workbench::kernel_logs
