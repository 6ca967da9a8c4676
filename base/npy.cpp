#include "base/npy.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/half.hpp"
#include "base/printable_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace texelscope::base {
namespace {

// The format is NumPy's NEP 1: "\x93NUMPY", two bytes of version, the length of the header (2 bytes
// little-endian in 1.0, 4 in 2.0 and 3.0), the header (a Python dictionary with the keys descr,
// fortran_order and shape), the data.
constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t alignment = 64;

constexpr const char* remedy = "save it with numpy.save(FILE, ARRAY.astype('<f4'))";

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

/// A type of numbers as the header names it: '<f4', '>i8', '|u1'.
struct NumberType {
    bool big_endian = false;
    char kind = 'f'; ///< f: IEEE 754, i: with a sign, u: without one, b: True or False
    std::size_t bytes = 4;
};

NumberType number_type(const std::string& text)
{
    constexpr std::string_view with_order = "f2 f4 f8 i2 i4 i8 u2 u4 u8";
    constexpr std::string_view without_order = "i1 u1 b1"; // of one byte
    const std::string word = text.size() == 3 ? text.substr(1) : "";
    const auto among = [&](std::string_view words) { // each is two characters and a space
        const std::size_t at = words.find(word);
        return !word.empty() && at != std::string_view::npos && at % 3 == 0;
    };
    const char order = text.empty() ? ' ' : text.front();
    const bool has_order = order == '<' || order == '>';
    if (!(has_order && among(with_order)) &&
        !((has_order || order == '|') && among(without_order))) {
        throw fmt::format("its type '{}' is none of {} {}, with < or > for the order of bytes",
                          printable(text), with_order, without_order);
    }
    return {order == '>', word[0], static_cast<std::size_t>(word[1] - '0')};
}

/// The number that has these bytes. Throws where float32 has no number like it: rounding to float32
/// is what numpy.astype does, too, but a whole number that changes, or a number that becomes
/// infinite, would go unnoticed.
float number_of(const NumberType& type, std::uint64_t bits)
{
    if (type.kind == 'f' && type.bytes == 4) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    }
    if (type.kind == 'f' && type.bytes == 2) {
        return from_half_bits(static_cast<std::uint16_t>(bits));
    }
    if (type.kind == 'f') {
        const auto wide = std::bit_cast<double>(bits);
        const auto value = static_cast<float>(wide);
        if (std::isinf(value) && !std::isinf(wide)) {
            throw fmt::format("float32 does not have its number {}", wide);
        }
        return value;
    }
    if (type.kind == 'b') {
        return bits != 0 ? 1.0F : 0.0F;
    }
    const auto unused = static_cast<unsigned>(64 - 8 * type.bytes);
    const bool negative = type.kind == 'i' && (bits << unused >> 63U) != 0;
    const std::uint64_t magnitude = negative ? (0 - bits) << unused >> unused : bits;
    constexpr int exact_bits = 24;
    const auto digits = static_cast<int>(std::bit_width(magnitude));
    if (magnitude != 0 && digits - std::countr_zero(magnitude) > exact_bits) {
        throw fmt::format("float32 does not have its number {}{}", negative ? "-" : "", magnitude);
    }
    const auto value = static_cast<float>(magnitude);
    return negative ? -value : value;
}

/// The place of each number of a file in row-major order. In Fortran order the first index is the
/// one that changes with every number.
class Places {
public:
    Places(std::vector<std::int64_t> shape, bool fortran)
        : shape_(std::move(shape)), index_(shape_.size()), stride_(shape_.size()), fortran_(fortran)
    {
        std::int64_t stride = 1;
        for (std::size_t i = shape_.size(); i-- > 0;) {
            stride_[i] = stride;
            stride *= shape_[i];
        }
    }
    [[nodiscard]] std::size_t place() const { return static_cast<std::size_t>(place_); }
    void next()
    {
        for (std::size_t i = 0; i < shape_.size(); ++i) {
            const std::size_t d = fortran_ ? i : shape_.size() - 1 - i;
            place_ += stride_[d];
            if (++index_[d] < shape_[d]) {
                return;
            }
            place_ -= stride_[d] * shape_[d];
            index_[d] = 0;
        }
    }

private:
    std::vector<std::int64_t> shape_;
    std::vector<std::int64_t> index_;
    std::vector<std::int64_t> stride_;
    bool fortran_;
    std::int64_t place_ = 0;
};

/// Throws the reason as std::string.
NpyArray parse(std::string_view bytes)
{
    const Preamble start = preamble(bytes);
    const HeaderParser::Header header = HeaderParser(start.header).parse();
    if (!header.type || !header.fortran || !header.shape) {
        throw std::string("its header lacks descr, fortran_order or shape");
    }
    const NumberType type = number_type(*header.type);
    const std::optional<std::uint64_t> count = element_count(*header.shape);
    const std::uint64_t present = bytes.size() - start.data;
    if (!count || *count * type.bytes > present) {
        throw fmt::format("it is cut off: {} bytes of data are fewer than its shape needs",
                          present);
    }
    if (*count * type.bytes < present) {
        throw fmt::format("{} bytes follow the data of its shape", present - *count * type.bytes);
    }
    NpyArray array{*header.shape, std::vector<float>(*count)};
    if (*count == 0) {
        return array;
    }
    Places places(array.shape, *header.fortran);
    std::string reversed;
    for (std::size_t at = start.data; at < bytes.size(); at += type.bytes) {
        std::string_view number = bytes.substr(at, type.bytes);
        if (type.big_endian) {
            reversed.assign(number.rbegin(), number.rend());
            number = reversed;
        }
        array.values[places.place()] = number_of(type, little_endian(number));
        places.next();
    }
    return array;
}

} // namespace

NpyArray parse_npy(const std::string& bytes, const std::string& path)
{
    try {
        return parse(bytes);
    } catch (const std::string& reason) {
        throw bad_input(fmt::format("the array cannot be read: {}", reason), path, remedy);
    }
}

NpyArray read_npy(const std::string& path)
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
    return parse_npy(rest_of(in, path), path);
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
