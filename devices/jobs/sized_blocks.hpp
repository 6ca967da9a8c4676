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

/// The 64-bit FNV-1a checksum of a sequence of bytes (Fowler, Noll, Vo).
class Checksum {
public:
    void add(std::string_view bytes);
    [[nodiscard]] std::uint64_t value() const { return value_; }
    /// The value as 16 hexadecimal digits.
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
    /// "BYTES\n", after a line that has told their count.
    void bytes(std::string_view bytes);
    /// The whole record, ended by the line "end CHECKSUM\n" with the checksum of everything before
    /// it.
    [[nodiscard]] std::string finished() &&;

private:
    std::string text_;
};

/// The limit to pass to RecordReader::number() where there is none.
constexpr std::int64_t largest_number = std::numeric_limits<std::int64_t>::max();

/// Reads records that RecordText has built. All members throw bad_input, naming `where` and the
/// byte, on input that is cut off or damaged. Memory grows with the bytes read, not with counts
/// that the input claims.
class RecordReader {
public:
    RecordReader(std::istream& in, std::string where);

    /// Whether nothing is left.
    [[nodiscard]] bool at_end();
    /// Bytes read so far.
    [[nodiscard]] std::int64_t position() const { return position_; }
    /// The key of the next line, without consuming it.
    [[nodiscard]] std::string peek_key();
    /// Consumes a line and returns the words after its key; throws if its key is another one.
    [[nodiscard]] std::vector<std::string> words(const std::string& key);
    /// Consumes a line and returns the numbers after its key; throws if one is no number, or if
    /// there are not `count` of them (-1: any count).
    [[nodiscard]] std::vector<std::int64_t> numbers(const std::string& key, int count);
    [[nodiscard]] std::int64_t number(const std::string& key, std::int64_t least,
                                      std::int64_t most);
    [[nodiscard]] std::string block(const std::string& key);
    [[nodiscard]] std::string bytes(std::int64_t count);
    /// Consumes the line "end CHECKSUM"; throws if it is not the checksum of everything since the
    /// last such line.
    void end();
    /// Checksum of everything that was read.
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

/// Parses the whole of `text` as a decimal integer. False if it is none, or is too large.
[[nodiscard]] bool parse_integer(std::string_view text, std::int64_t& value);

[[nodiscard]] std::vector<std::byte> to_bytes(std::string_view text);
[[nodiscard]] std::string_view as_text(const std::vector<std::byte>& bytes);

} // namespace texelscope::devices
