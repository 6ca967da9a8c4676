#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace texelscope::traces {

/// The bytes with which some programs begin a text in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Runs `read` on the file's text, decompressed where it begins like gzip, xz or zstd. Throws
/// bad_input where the file cannot be opened, its compressed data are damaged or cut off or unpack
/// to thousands of times their size, or it is a native trace, which cannot be read as a stream.
void read_stream(const std::string& path, const std::function<void(std::istream&)>& read);
/// Runs `read` in the same way on a stream that is open already; `name` stands in messages.
void read_stream(std::istream& in, const std::string& name,
                 const std::function<void(std::istream&)>& read);
/// All of the text that read_stream() gives of a file.
[[nodiscard]] std::string read_text(const std::string& path);

/// Runs `visit` on each line of a text and its number, from 1 on, without line ends (LF, CRLF) and
/// a byte order mark. Returns how many lines there are. Throws bad_input where reading fails;
/// `name` stands in messages.
std::int64_t
for_each_line(std::istream& in, const std::string& name,
              const std::function<void(std::string_view line, std::int64_t number)>& visit);

/// Replaces the file by what `write` writes, as AtomicFile does, compressed where the name ends in
/// .gz, .xz or .zst.
void write_stream(const std::string& path, const std::function<void(std::ostream&)>& write);
/// Passes what `write` writes on to `sink`, piece by piece.
void write_stream(const std::function<void(std::string_view)>& sink,
                  const std::function<void(std::ostream&)>& write);

} // namespace texelscope::traces
