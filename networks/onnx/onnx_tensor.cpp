#include "networks/onnx/onnx_tensor.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/half.hpp"
#include "networks/onnx/wire_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

// Files are not trusted: sizes are believed only where the bytes are there, and weights in other
// files must lie beside the model.

namespace texelscope::networks {
namespace {

using protozero::pbf_reader;

// Bounds of a shape, far beyond any network, so that the product of extents cannot overflow.
constexpr std::size_t most_dimensions = 16;
constexpr std::int64_t most_elements_of_one = std::int64_t{1} << 40;

/// Elements of a shape in a file; nothing if it is not a valid one.
std::optional<std::int64_t> checked_count(const Shape& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0 || extent > most_elements_of_one ||
            (extent > 0 && count > most_elements_of_one / extent)) {
            return std::nullopt;
        }
        count *= extent;
    }
    return shape.size() > most_dimensions ? std::nullopt : std::optional(count);
}

/// Little-endian numbers.
template <class Number>
std::vector<Number> numbers_of(std::string_view bytes)
{
    static_assert(std::endian::native == std::endian::little);
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) {
        std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    }
    return numbers;
}

/// A TensorProto as it stands in the file. Numbers are in one of the lists, or as bytes in `raw`,
/// or in another file.
struct TensorFields {
    std::string name;
    Shape shape;
    std::int32_t type = 0;
    std::vector<float> floats;          ///< of doubles, too
    std::vector<std::int64_t> integers; ///< bits of fp16 and bf16, too
    std::optional<std::string> raw;     ///< a copy: the view ends with the file
    std::map<std::string, std::string> external;
    bool is_external = false;
};

TensorFields tensor_fields(pbf_reader tensor)
{
    TensorFields fields;
    while (tensor.next()) {
        switch (tensor.tag_and_type()) {
        case bytes_field(1):
        case number_field(1):
            read_integers(tensor, fields.shape);
            break;
        case number_field(2):
            fields.type = tensor.get_int32();
            break;
        case bytes_field(4):
        case float_field(4):
            read_floats(tensor, fields.floats);
            break;
        case bytes_field(5):
        case number_field(5): // int32, and smaller types
        case bytes_field(7):
        case number_field(7): // int64
        case bytes_field(11):
        case number_field(11): // uint32 and uint64
            read_integers(tensor, fields.integers);
            break;
        case bytes_field(8):
            fields.name = name_of(tensor);
            break;
        case bytes_field(9):
            fields.raw = tensor.get_bytes();
            break;
        case bytes_field(10):
        case double_field(10):
            read_doubles(tensor, fields.floats);
            break;
        case bytes_field(13):
            fields.external.insert(entry_of(tensor.get_message()));
            break;
        case number_field(14):
            // data_location: 1 stands for EXTERNAL.
            fields.is_external = tensor.get_enum() == 1;
            break;
        default:
            tensor.skip();
        }
    }
    return fields;
}

/// Throws bad_input unless it is a number of at most 18 digits, which always fits into 64 bits.
std::int64_t whole_number(const std::string& text, const std::string& what)
{
    if (text.empty() || text.size() > 18 ||
        text.find_first_not_of("0123456789") != std::string::npos) {
        throw bad_input(what + " '" + text + "' of external data is not a whole number");
    }
    return std::stoll(text);
}

/// Whether a file, whose path has no links, lies in a folder or below it.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder)
{
    std::error_code none;
    const std::filesystem::path real = std::filesystem::canonical(folder, none);
    return !none && std::ranges::mismatch(real, file).in1 == real.end();
}

/// The bytes of weights in another file. It must lie in the model's folder, also after all links
/// are followed: a model from elsewhere must not make this program read other files.
std::string external_bytes(const TensorFields& fields, const WeightFolders& folders)
{
    const auto of = [&](const char* key) {
        const auto found = fields.external.find(key);
        return found == fields.external.end() ? std::string() : found->second;
    };
    const std::filesystem::path location = of("location");
    const bool inside =
        !location.empty() && location.is_relative() &&
        std::ranges::none_of(location, [](const auto& part) { return part == ".."; });
    if (folders.named.empty() || !inside) {
        throw bad_input("its external data '" + location.string() +
                        "' do not lie beside the model");
    }
    std::error_code none;
    const std::filesystem::path path = folders.named / location;
    const std::filesystem::path real = std::filesystem::canonical(path, none);
    if (!none && !lies_in(real, folders.named) && !lies_in(real, folders.real)) {
        throw bad_input("its external data '" + location.string() +
                        "' are a link out of the model's folder");
    }
    if (!none && !std::filesystem::is_regular_file(real, none)) { // to read a pipe would be to wait
        throw bad_input("its external data '" + location.string() + "' are no file");
    }
    const std::unique_ptr<FileBytes> file = map_file((none ? path : real).string());
    const std::string_view bytes = file->view();
    const std::int64_t offset = of("offset").empty() ? 0 : whole_number(of("offset"), "the offset");
    const std::int64_t rest = static_cast<std::int64_t>(bytes.size()) - offset;
    const std::int64_t length =
        of("length").empty() ? rest : whole_number(of("length"), "the length");
    if (rest < 0 || length > rest) {
        throw bad_input("its external data end beyond " + location.string());
    }
    return std::string(
        bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length)));
}

/// The number whose upper half of bits in fp32 these are.
float from_bf16_bits(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class Number, class From>
std::vector<Number> converted(const std::vector<From>& from)
{
    return {from.begin(), from.end()};
}

/// Real numbers, each rounded to the nearest of fp32.
std::vector<float> reals_of(TensorFields& fields)
{
    const auto type = static_cast<OnnxType>(fields.type);
    if (type == OnnxType::fp32) {
        return fields.raw ? numbers_of<float>(*fields.raw) : std::move(fields.floats);
    }
    if (type == OnnxType::fp64) {
        return fields.raw ? converted<float>(numbers_of<double>(*fields.raw))
                          : std::move(fields.floats);
    }
    std::vector<std::uint16_t> bits = fields.raw ? numbers_of<std::uint16_t>(*fields.raw)
                                                 : converted<std::uint16_t>(fields.integers);
    std::vector<float> numbers(bits.size());
    std::ranges::transform(bits, numbers.begin(),
                           type == OnnxType::fp16 ? base::from_half_bits : from_bf16_bits);
    return numbers;
}

/// Two numbers of four bits in each byte, the first in the lower half. The last byte may hold one.
std::vector<std::int64_t> halves_of(const std::vector<std::int64_t>& bytes, std::int64_t count,
                                    bool is_signed)
{
    std::vector<std::int64_t> numbers;
    for (const std::int64_t byte : bytes) {
        for (const int shift : {0, 4}) {
            const std::int64_t number = byte >> shift & 15;
            if (std::ssize(numbers) < count || shift == 0) {
                numbers.push_back(is_signed && number > 7 ? number - 16 : number);
            }
        }
    }
    return numbers;
}

template <class Signed, class Unsigned>
std::vector<std::int64_t> raw_integers(const std::string& raw, bool is_signed)
{
    return is_signed ? converted<std::int64_t>(numbers_of<Signed>(raw))
                     : converted<std::int64_t>(numbers_of<Unsigned>(raw));
}

std::vector<std::int64_t> integers_of(TensorFields& fields, const IntegerType& type,
                                      std::int64_t count)
{
    const bool is_signed = type.is_signed;
    if (type.bits == 4) {
        return halves_of(fields.raw ? raw_integers<std::uint8_t, std::uint8_t>(*fields.raw, true)
                                    : fields.integers,
                         count, is_signed);
    }
    if (!fields.raw) {
        return std::move(fields.integers);
    }
    switch (type.bits) {
    case 64:
        return raw_integers<std::int64_t, std::uint64_t>(*fields.raw, is_signed);
    case 32:
        return raw_integers<std::int32_t, std::uint32_t>(*fields.raw, is_signed);
    case 16:
        return raw_integers<std::int16_t, std::uint16_t>(*fields.raw, is_signed);
    default: // booleans have a byte, too
        return raw_integers<std::int8_t, std::uint8_t>(*fields.raw, is_signed);
    }
}

/// The numbers of a tensor. Throws bad_input, without the tensor's name, for elements of a type
/// that is not understood, or of another count than the shape says.
Array array_of(TensorFields fields, const WeightFolders& folders)
{
    const std::optional<std::int64_t> count = checked_count(fields.shape);
    if (!count) {
        throw bad_input("its shape is not one");
    }
    const auto type = static_cast<OnnxType>(fields.type);
    if (!is_real(type) && !is_integer(type) && type != OnnxType::boolean) {
        throw bad_input("its elements are " + onnx_type_name(fields.type));
    }
    if (fields.is_external) {
        fields.raw = external_bytes(fields, folders);
    }
    Array array{fields.shape, {}};
    if (is_real(type)) {
        array.values = reals_of(fields);
    } else {
        array.type = integer_type(type);
        std::vector<std::int64_t> integers = integers_of(fields, array.type, *count);
        if (type == OnnxType::boolean) {
            std::ranges::transform(integers, integers.begin(),
                                   [](std::int64_t number) { return number != 0 ? 1 : 0; });
        }
        array.values = std::move(integers);
        const auto [least, most] = range_of(array.type);
        for (const std::int64_t number : array.integers()) {
            if (number < least || number > most) {
                throw bad_input(fmt::format("it has {}, which is beyond {}", number,
                                            onnx_type_name(fields.type)));
            }
        }
    }
    const std::size_t there = array.is_integer() ? array.integers().size() : array.reals().size();
    if (there != static_cast<std::size_t>(*count)) {
        throw bad_input(fmt::format("it has {} elements, and its shape {} says {}", there,
                                    to_string(fields.shape), *count));
    }
    return array;
}

/// A row for each type that is understood: its number, what messages call it, and of integers how
/// many bits they have.
struct TypeRow {
    OnnxType type;
    const char* name;
    IntegerType integer = {0, false}; ///< no bits: real numbers
};
constexpr std::array type_rows{
    TypeRow{OnnxType::fp32, "fp32"},
    TypeRow{OnnxType::fp64, "double"},
    TypeRow{OnnxType::fp16, "fp16"},
    TypeRow{OnnxType::bf16, "bfloat16"},
    TypeRow{OnnxType::boolean, "booleans", {1, false}},
    TypeRow{OnnxType::uint4, "uint4", {4, false}},
    TypeRow{OnnxType::int4, "int4", {4, true}},
    TypeRow{OnnxType::uint8, "uint8", {8, false}},
    TypeRow{OnnxType::int8, "int8", {8, true}},
    TypeRow{OnnxType::uint16, "uint16", {16, false}},
    TypeRow{OnnxType::int16, "int16", {16, true}},
    TypeRow{OnnxType::uint32, "uint32", {32, false}},
    TypeRow{OnnxType::int32, "int32", {32, true}},
    TypeRow{OnnxType::uint64, "uint64", {64, false}},
    TypeRow{OnnxType::int64, "int64", {64, true}},
};

const TypeRow* row_of(OnnxType type)
{
    const auto* const found = std::ranges::find(type_rows, type, &TypeRow::type);
    return found == type_rows.end() ? nullptr : found;
}

} // namespace

std::string onnx_type_name(std::int32_t type)
{
    if (const TypeRow* const row = row_of(static_cast<OnnxType>(type))) {
        return row->name;
    }
    switch (type) {
    case 0:
        return "no numbers";
    case 8:
        return "strings";
    case 14:
        return "complex64";
    case 15:
        return "complex128";
    default:
        return fmt::format("of type {}", type);
    }
}

std::string type_name(const IntegerType& type)
{
    const auto* const found = std::ranges::find(type_rows, type, &TypeRow::integer);
    return found == type_rows.end() ? "integers" : found->name;
}

bool is_real(OnnxType type)
{
    const TypeRow* const row = row_of(type);
    return row != nullptr && row->integer.bits == 0;
}

bool is_integer(OnnxType type)
{
    const TypeRow* const row = row_of(type);
    return row != nullptr && row->integer.bits > 1;
}

std::pair<std::int64_t, std::int64_t> range_of(const IntegerType& type)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (type.bits == 64) { // the upper half of uint64 is beyond what is kept
        return {type.is_signed ? -most - 1 : 0, most};
    }
    const std::int64_t numbers = std::int64_t{1} << type.bits;
    return type.is_signed ? std::pair(-numbers / 2, numbers / 2 - 1)
                          : std::pair(std::int64_t{0}, numbers - 1);
}

IntegerType integer_type(OnnxType type)
{
    const TypeRow* const row = row_of(type);
    return row == nullptr ? IntegerType{} : row->integer;
}

float rounded_to(OnnxType type, float number)
{
    if (type == OnnxType::fp16) {
        return base::rounded_to_half(number);
    }
    if (type != OnnxType::bf16 || std::isnan(number)) {
        return number;
    }
    // Half of the last place that stays is added, less one where that makes ties go to odd numbers.
    const auto bits = std::bit_cast<std::uint32_t>(number);
    const std::uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1);
    return std::bit_cast<float>(rounded & 0xFFFF0000);
}

OnnxTensor read_tensor(pbf_reader message, const WeightFolders& folders)
{
    TensorFields fields = tensor_fields(message);
    OnnxTensor tensor{fields.name, {}};
    try {
        tensor.array = array_of(std::move(fields), folders);
    } catch (const Error& error) {
        tensor.refused = error.what();
    }
    return tensor;
}

std::pair<std::string, Array> parse_onnx_tensor(std::string_view bytes)
{
    try {
        TensorFields fields = tensor_fields(pbf_reader(bytes.data(), bytes.size()));
        std::string name = fields.name;
        return {std::move(name), array_of(std::move(fields), {})};
    } catch (const protozero::exception&) {
        throw bad_input("it is no ONNX tensor, or a damaged or cut off one");
    }
}

} // namespace texelscope::networks
