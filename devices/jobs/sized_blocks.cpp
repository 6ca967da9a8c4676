// Records of job and result files: lines of a key and numbers, and blocks of bytes whose size is
// told in front of them, so that bytes need no escaping.

#include "devices/jobs/sized_blocks.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <utility>

namespace texelscope::devices {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 20;
constexpr std::int64_t piece = std::int64_t{1} << 20; ///< a block is read piece by piece

} // namespace

void Checksum::add(std::string_view bytes)
{
    for (const char c : bytes) {
        value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
}

std::string Checksum::text() const
{
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[value_ >> shift & 15];
    }
    return digits;
}

void RecordText::line(const std::string& key, const std::vector<std::int64_t>& numbers)
{
    text_ += key;
    for (const std::int64_t number : numbers) {
        text_ += ' ' + std::to_string(number);
    }
    text_ += '\n';
}

void RecordText::word_line(const std::string& key, const std::string& word)
{
    text_ += key + ' ' + word + '\n';
}

void RecordText::block(const std::string& key, std::string_view content)
{
    line(key, {static_cast<std::int64_t>(content.size())});
    bytes(content);
}

void RecordText::block(const std::string& key, const std::vector<std::byte>& content)
{
    block(key, as_text(content));
}

void RecordText::bytes(std::string_view content)
{
    text_ += content;
    text_ += '\n';
}

std::string RecordText::finished() &&
{
    Checksum checksum;
    checksum.add(text_);
    word_line("end", checksum.text());
    return std::move(text_);
}

RecordReader::RecordReader(std::istream& in, std::string where) : in_(in), where_(std::move(where))
{}

void RecordReader::fail(const std::string& what) const
{
    throw bad_input(what, where_ + ", byte " + std::to_string(position_),
                    "write or copy the file again");
}

// Every byte counts in two checksums: that of its record and that of the whole file.
void RecordReader::take(std::string_view bytes)
{
    position_ += static_cast<std::int64_t>(bytes.size());
    record_.add(bytes);
    whole_.add(bytes);
}

bool RecordReader::at_end()
{
    return !has_line_ && in_.peek() == std::istream::traits_type::eof();
}

// The next line. It stays until words() takes it, so that peek_key() can look ahead.
const std::string& RecordReader::line()
{
    if (has_line_) {
        return line_;
    }
    line_.clear();
    while (true) {
        const int c = in_.get();
        if (c == std::istream::traits_type::eof()) {
            fail("the file ends in the middle of a record");
        }
        if (c == '\n') {
            break;
        }
        if (line_.size() == longest_line) {
            fail("a line is too long");
        }
        line_ += static_cast<char>(c);
    }
    has_line_ = true;
    return line_;
}

std::string RecordReader::peek_key()
{
    return line().substr(0, line().find(' '));
}

std::vector<std::string> RecordReader::words(const std::string& key)
{
    if (const std::string found = peek_key(); found != key) {
        // What is shown goes to a terminal: bytes of a damaged file are replaced.
        std::string shown = found.substr(0, 40);
        std::replace_if(
            shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
        fail("'" + key + "' is expected here, not '" + shown + "'");
    }
    std::vector<std::string> found;
    for (std::size_t at = line_.find(' '); at != std::string::npos;) {
        const std::size_t next = line_.find(' ', at + 1);
        found.push_back(line_.substr(at + 1, next == std::string::npos ? next : next - at - 1));
        at = next;
    }
    has_line_ = false;
    take(line_);
    take("\n");
    return found;
}

std::vector<std::int64_t> RecordReader::numbers(const std::string& key, int count)
{
    const std::vector<std::string> texts = words(key);
    if (count >= 0 && static_cast<int>(texts.size()) != count) {
        fail("'" + key + "' takes " + std::to_string(count) + " numbers, not " +
             std::to_string(texts.size()));
    }
    std::vector<std::int64_t> found(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!parse_integer(texts[i], found[i])) {
            fail("'" + key + "' takes whole numbers");
        }
    }
    return found;
}

std::int64_t RecordReader::number(const std::string& key, std::int64_t least, std::int64_t most)
{
    const std::int64_t found = numbers(key, 1)[0];
    if (found < least || found > most) {
        fail("'" + key + "' is " + std::to_string(found) + ", not between " +
             std::to_string(least) + " and " + std::to_string(most));
    }
    return found;
}

std::string RecordReader::bytes(std::int64_t count)
{
    if (count < 0) {
        fail("a block has a negative size");
    }
    std::string content;
    // Piece by piece: a size that is told wrongly takes no more memory than there are bytes.
    while (static_cast<std::int64_t>(content.size()) < count) {
        const std::size_t before = content.size();
        const std::int64_t wanted = std::min(piece, count - static_cast<std::int64_t>(before));
        content.resize(before + static_cast<std::size_t>(wanted));
        in_.read(&content[before], static_cast<std::streamsize>(wanted));
        if (in_.gcount() != wanted) {
            fail("the file ends in the middle of a block of " + std::to_string(count) + " bytes");
        }
    }
    take(content);
    if (const int c = in_.get(); c != '\n') {
        fail(c == std::istream::traits_type::eof()
                 ? "the file ends in the middle of a record"
                 : "a block is not followed by the end of a line");
    }
    take("\n");
    return content;
}

std::string RecordReader::block(const std::string& key)
{
    return bytes(numbers(key, 1)[0]);
}

void RecordReader::end()
{
    // The checksum is that of everything before the line "end", so it is taken before that line is
    // read.
    const std::string expected = record_.text();
    const std::vector<std::string> found = words("end");
    if (found.size() != 1 || found[0] != expected) {
        fail("the record is damaged: its checksum is " + expected);
    }
    record_ = Checksum();
}

bool parse_integer(std::string_view text, std::int64_t& value)
{
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && stop == text.data() + text.size();
}

std::vector<std::byte> to_bytes(std::string_view text)
{
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
}

std::string_view as_text(const std::vector<std::byte>& bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace texelscope::devices
