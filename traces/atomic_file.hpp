#pragma once

#include <string>

namespace texelscope {

/// Replaces the file at `path` by `bytes`: written to a temporary name in the same folder, synced, renamed, and the
/// folder synced. An interrupted or failed write leaves the old file; a failed one leaves no temporary file either.
/// The new file has the permissions of the old one. A symbolic link stays, and the file that it names is replaced.
/// What is no regular file (/dev/stdout, a pipe) cannot be replaced and is written as it is. "-" is not special.
/// Throws bad_input, naming path and reason.
void write_file_atomically(const std::string& path, const std::string& bytes);

/// Throws what write_file_atomically() would where no file can be created in the folder of `path`, before there is
/// something to write.
void check_writable(const std::string& path);

} // namespace texelscope
