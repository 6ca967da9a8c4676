#pragma once

#include "base/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::devices {

/// FNV-1a of 64 bits (Fowler, Noll, Vo), byte by byte.
class Checksum {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::uint64_t value() const { return value_; }
    /// 16 hexadecimal digits.
    [[nodiscard]] std::string text() const;

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Builds one record of a job or result file: lines of a key and integers, blocks of bytes, a
/// checksum at the end.
class RecordText {
public:
    /// "KEY NUMBER NUMBER...\n"
    void line(const std::string& key, const std::vector<std::int64_t>& numbers = {});
    /// "KEY WORD\n"; the word has no blanks.
    void word_line(const std::string& key, const std::string& word);
    /// "KEY COUNT\nBYTES\n"
    void block(const std::string& key, std::string_view bytes);
    void block(const std::string& key, const std::vector<std::byte>& bytes);
    /// BYTES\n after a line that gave their count.
    void bytes(std::string_view bytes);
    /// The record with "end CHECKSUM\n" of all before it.
    [[nodiscard]] std::string finished() &&;

private:
    std::string text_;
};

/// No limit, where RecordReader::number() asks for one.
constexpr std::int64_t largest_number = std::numeric_limits<std::int64_t>::max();

/// Reads such records. Everything throws bad_input, naming `where` and the byte, on what is cut off
/// or damaged; a count that lies takes no memory.
class RecordReader {
public:
    RecordReader(std::istream& in, std::string where);

    /// Whether nothing is left.
    [[nodiscard]] bool at_end();
    /// Bytes read so far.
    [[nodiscard]] std::int64_t position() const { return position_; }
    /// The key of the next line, which stays the next one.
    [[nodiscard]] std::string peek_key();
    /// The words after `key`; throws where the next line has another one.
    [[nodiscard]] std::vector<std::string> words(const std::string& key);
    /// The numbers after `key`; throws where one is none, or there are not `count` (-1: any
    /// number).
    [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& key, int count);
    [[nodiscard]] std::int64_t number(const std::string& key, std::int64_t least,
                                      std::int64_t most);
    [[nodiscard]] std::string block(const std::string& key);
    [[nodiscard]] std::string bytes(std::int64_t count);
    /// "end CHECKSUM": throws where it is not that of everything since the last one.
    void end();
    /// All that was read.
    [[nodiscard]] std::uint64_t fingerprint() const { return whole_.value(); }

    [[noreturn]] void fail(const std::string& what) const;

private:
    const std::string& line();
    void take(std::string_view bytes);

    std::istream& in_;
    std::string where_;
    std::string line_;
    bool has_line_ = false;
    std::int64_t position_ = 0;
    Checksum record_, whole_;
};

/// The whole of `text` as a decimal integer; false where it is none or too large.
[[nodiscard]] bool parse_integer(std::string_view text, std::int64_t& value);

[[nodiscard]] std::vector<std::byte> to_bytes(std::string_view text);
[[nodiscard]] std::string_view as_text(const std::vector<std::byte>& bytes);

} // namespace texelscope::devices
