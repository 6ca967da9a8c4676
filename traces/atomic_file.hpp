#pragma once

#include <string>

namespace texelscope {

/// Replaces the file at `path` by `bytes`: written to a temporary name in the same folder, synced, renamed. An interrupted
/// or failed write leaves the old file. "-" is not special. Throws bad_input, naming path and reason.
void write_file_atomically(const std::string& path, const std::string& bytes);

} // namespace texelscope
