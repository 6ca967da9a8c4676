#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace texelscope {

/// Runs `read` on the file's text, decompressed where it begins like gzip or zstd. Throws bad_input where the file cannot
/// be opened or its compressed data are damaged.
void read_stream(const std::string& path, const std::function<void(std::istream&)>& read);
/// The same for what is open already.
void read_stream(std::istream& in, const std::string& name, const std::function<void(std::istream&)>& read);

/// Replaces the file by what `write` writes, as AtomicFile does, compressed where the name ends in .gz or .zst.
void write_stream(const std::string& path, const std::function<void(std::ostream&)>& write);

} // namespace texelscope
