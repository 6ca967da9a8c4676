#include "base/npy.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

namespace texelscope::base {
namespace {

// The format is NumPy's NEP 1: "\x93NUMPY", two bytes of version, the length of the header (2 bytes
// little-endian in 1.0, 4 in 2.0 and 3.0), the header (a Python dictionary with the keys descr,
// fortran_order and shape), the data.
constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;

constexpr const char* remedy =
    "save it with numpy.save(FILE, numpy.ascontiguousarray(ARRAY, dtype='<f4'))";

/// A dictionary of the few kinds of literals that a header has. Throws the reason as std::string.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : text_(text) {}

    struct Header {
        std::optional<std::string> type;
        std::optional<bool> fortran;
        std::optional<std::vector<std::int64_t>> shape;
    };

    Header parse()
    {
        Header header;
        expect('{');
        while (!accept('}')) {
            const std::string key = quoted();
            expect(':');
            if (key == "descr") {
                if (peek() == '[') {
                    throw std::string("it holds records, not plain numbers");
                }
                header.type = quoted();
            } else if (key == "fortran_order") {
                header.fortran = boolean();
            } else if (key == "shape") {
                header.shape = shape();
            } else {
                throw fmt::format("its header has the unknown key '{}'", key);
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_blanks();
        if (at_ != text_.size()) {
            throw std::string("its header goes on after the dictionary");
        }
        return header;
    }

private:
    void skip_blanks()
    {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    char peek()
    {
        skip_blanks();
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c)
    {
        if (peek() != c || at_ == text_.size()) {
            return false;
        }
        ++at_;
        return true;
    }
    void expect(char c)
    {
        if (!accept(c)) {
            throw fmt::format("its header has no '{}' at byte {}", c, at_);
        }
    }
    std::string quoted()
    {
        const char quote = peek();
        if (quote != '\'' && quote != '"') {
            throw fmt::format("its header has no text at byte {}", at_);
        }
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) {
            throw std::string("its header has a text without end");
        }
        std::string text(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return text;
    }
    bool boolean()
    {
        peek();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (text_.substr(at_).starts_with(word)) {
                at_ += word.size();
                return value;
            }
        }
        throw fmt::format("its header has no True or False at byte {}", at_);
    }
    std::vector<std::int64_t> shape()
    {
        std::vector<std::int64_t> sizes;
        expect('(');
        while (!accept(')')) {
            peek();
            std::int64_t size = 0;
            const char* begin = text_.data() + at_;
            const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), size);
            if (error != std::errc{} || size < 0) {
                throw fmt::format("its header has no size at byte {}", at_);
            }
            at_ += static_cast<std::size_t>(end - begin);
            sizes.push_back(size);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return sizes;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Number of values, or nothing where their bytes could not be counted.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 60U;
    std::uint64_t count = 1;
    bool empty = false;
    for (const std::int64_t size : shape) {
        const auto positive = static_cast<std::uint64_t>(size);
        if (size == 0) {
            empty = true;
        } else if (size < 0 || positive > most / count) {
            return std::nullopt;
        } else {
            count *= positive;
        }
    }
    return empty ? 0 : count;
}

std::uint64_t little_endian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return value;
}

/// Where the data begin, and the header's text.
struct Preamble {
    std::string_view header;
    std::size_t data = 0;
};
Preamble preamble(std::string_view bytes)
{
    if (!bytes.starts_with(magic)) {
        throw std::string("it does not begin as a NumPy array file does");
    }
    if (bytes.size() < magic.size() + 2) {
        throw std::string("it is cut off in the header");
    }
    const unsigned version = static_cast<unsigned char>(bytes[magic.size()]);
    if (version < 1 || version > 3) {
        throw fmt::format("its format version {} is not 1, 2 or 3", version);
    }
    const std::size_t length_at = magic.size() + 2;
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    if (bytes.size() < length_at + length_bytes) {
        throw std::string("it is cut off in the header");
    }
    const auto length =
        static_cast<std::size_t>(little_endian(bytes.substr(length_at, length_bytes)));
    const std::size_t header_at = length_at + length_bytes;
    if (bytes.size() - header_at < length) {
        throw std::string("it is cut off in the header");
    }
    return {bytes.substr(header_at, length), header_at + length};
}

/// One number of a type of the format.
float number_of(const std::string& type, std::string_view bytes)
{
    if (type == "<f4") {
        return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes)));
    }
    const auto integer =
        type == "<i4" ? static_cast<std::int32_t>(static_cast<std::uint32_t>(little_endian(bytes)))
                      : static_cast<std::int64_t>(little_endian(bytes));
    // A float32 holds all integers up to 2^24; beyond, rounding would go unnoticed.
    constexpr std::int64_t exact = std::int64_t{1} << 24U;
    if (integer < -exact || integer > exact) {
        throw fmt::format("float32 does not have its number {}", integer);
    }
    return static_cast<float>(integer);
}

/// Throws the reason as std::string.
NpyArray parse(std::string_view bytes, NpyNumbers allowed)
{
    const Preamble start = preamble(bytes);
    const HeaderParser::Header header = HeaderParser(start.header).parse();
    if (!header.type || !header.fortran || !header.shape) {
        throw std::string("its header lacks descr, fortran_order or shape");
    }
    const bool integers = *header.type == "<i4" || *header.type == "<i8";
    if (*header.type != "<f4" && !(integers && allowed == NpyNumbers::floats_or_integers)) {
        throw fmt::format("its type '{}' is not little-endian float32 ('<f4')", *header.type);
    }
    const std::size_t size = *header.type == "<i8" ? sizeof(std::int64_t) : sizeof(float);
    // With one dimension at most the two orders are the same.
    if (*header.fortran && header.shape->size() > 1) {
        throw std::string("it is in Fortran order");
    }
    const std::optional<std::uint64_t> count = element_count(*header.shape);
    const std::uint64_t present = bytes.size() - start.data;
    if (!count || *count * size > present) {
        throw fmt::format("it is cut off: {} bytes of data are fewer than its shape needs",
                          present);
    }
    if (*count * size < present) {
        throw fmt::format("{} bytes follow the data of its shape", present - *count * size);
    }
    NpyArray array{*header.shape, {}};
    array.values.reserve(*count);
    for (std::size_t at = start.data; at < bytes.size(); at += size) {
        array.values.push_back(number_of(*header.type, bytes.substr(at, size)));
    }
    return array;
}

} // namespace

NpyArray parse_npy(const std::string& bytes, const std::string& path, NpyNumbers allowed)
{
    try {
        return parse(bytes, allowed);
    } catch (const std::string& reason) {
        throw bad_input(fmt::format("the array cannot be read: {}", reason), path, remedy);
    }
}

NpyArray read_npy(const std::string& path, NpyNumbers allowed)
{
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        throw bad_input("cannot read the file: it is a folder", path);
    }
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in.is_open()) {
        throw bad_input(
            fmt::format("cannot read the file: {}", std::generic_category().message(errno)), path,
            "check the name, and the permissions of file and folder");
    }
    return parse_npy(rest_of(in, path), path, allowed);
}

std::string npy_header(const std::string& type, const std::vector<std::int64_t>& shape)
{
    std::string sizes;
    for (const std::int64_t size : shape) {
        sizes += fmt::format("{}, ", size);
    }
    if (shape.size() > 1) {
        sizes.resize(sizes.size() - 2); // Python's tuple of one element keeps its comma
    } else if (shape.size() == 1) {
        sizes.resize(sizes.size() - 1);
    }
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
    const std::size_t before = magic.size() + 4;
    const std::size_t unpadded = before + header.size() + 1;
    header.append((alignment - unpadded % alignment) % alignment, ' ');
    header += '\n';
    if (header.size() > 0xFFFF) {
        throw bad_input(fmt::format("a shape of {} dimensions does not fit the array format 1.0",
                                    shape.size()));
    }
    std::string bytes(magic);
    bytes += {'\1', '\0', static_cast<char>(header.size() & 0xFFU),
              static_cast<char>(header.size() >> 8U)};
    return bytes + header;
}

std::string npy_bytes(const NpyArray& array)
{
    if (element_count(array.shape) != array.values.size()) {
        throw bad_input(fmt::format("an array of {} values does not have the shape given",
                                    array.values.size()));
    }
    std::string bytes = npy_header("<f4", array.shape);
    bytes.reserve(bytes.size() + array.values.size() * sizeof(float));
    for (const float value : array.values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (unsigned shift = 0; shift < 32; shift += 8) {
            bytes.push_back(static_cast<char>(bits >> shift & 0xFFU));
        }
    }
    return bytes;
}

} // namespace texelscope::base
