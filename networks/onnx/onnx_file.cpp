#include "networks/onnx/onnx_file.hpp"

#include "base/control_characters.hpp"
#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "base/printable_text.hpp"

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

// Reads ONNX's messages (onnx.proto, ONNX 1.16, whose field numbers are used here) in the wire
// format of Protocol Buffers. Each function below reads one kind of message and skips the fields
// that nothing here needs. Files are not trusted: sizes are believed only where the bytes are
// there, names must be UTF-8, and weights in other files must lie beside the model.

namespace texelscope::networks {
namespace {

/// Throws bad_input for what is not UTF-8. All text of an ONNX file has to be, and the names go
/// into the files that are written of a network.
std::string text_of(protozero::pbf_reader& message)
{
    std::string text = message.get_string();
    if (!base::is_utf8(text)) {
        throw bad_input("a name is no UTF-8: '" + base::printable(text) + "'");
    }
    return text;
}

/// The text of a name, which must also be a single line: names become file names and are printed.
std::string name_of(protozero::pbf_reader& message)
{
    std::string name = text_of(message);
    if (has_controls(name)) {
        throw bad_input("a name has control characters: '" + base::printable(name) + "'");
    }
    return name;
}

using protozero::pbf_reader;
using protozero::pbf_tag_type;
using protozero::pbf_wire_type;

// A field number together with the type on the wire. A known field of another type is skipped like
// an unknown one.
constexpr std::uint32_t bytes(pbf_tag_type field)
{
    return protozero::tag_and_type(field, pbf_wire_type::length_delimited);
}
constexpr std::uint32_t number(pbf_tag_type field)
{
    return protozero::tag_and_type(field, pbf_wire_type::varint);
}
constexpr std::uint32_t fixed(pbf_tag_type field)
{
    return protozero::tag_and_type(field, pbf_wire_type::fixed32);
}

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
template <class Number, class As>
std::vector<As> numbers_of(std::string_view bytes)
{
    static_assert(std::endian::native == std::endian::little);
    std::vector<As> numbers(bytes.size() / sizeof(Number));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        Number number;
        std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
        numbers[i] = static_cast<As>(number);
    }
    return numbers;
}

template <class Range, class As>
void append(const Range& range, std::vector<As>& to)
{
    for (const auto number : range) {
        to.push_back(static_cast<As>(number));
    }
}

/// Reads a repeated field, which writers may pack into one run of bytes or write one number at a
/// time; both are legal in Protocol Buffers.
template <class As>
void read_integers(pbf_reader& field, std::vector<As>& to)
{
    if (field.wire_type() == protozero::pbf_wire_type::length_delimited) {
        append(field.get_packed_int64(), to);
    } else {
        to.push_back(static_cast<As>(field.get_int64()));
    }
}

template <class As>
void read_floats(pbf_reader& field, std::vector<As>& to)
{
    if (field.wire_type() == protozero::pbf_wire_type::length_delimited) {
        append(field.get_packed_float(), to);
    } else {
        to.push_back(static_cast<As>(field.get_float()));
    }
}

/// A TensorProto as it stands in the file; array_of() makes an Array of it. Numbers are either in
/// `floats` or `integers`, or as bytes in `raw`, or in another file.
struct TensorFields {
    std::string name;
    Shape shape;
    std::int32_t type = 0;
    std::vector<float> floats;
    std::vector<std::int64_t> integers;
    std::optional<std::string> raw; ///< a copy: the view ends with the file
    std::map<std::string, std::string> external;
    bool is_external = false;
};

/// A StringStringEntryProto: key and value.
std::pair<std::string, std::string> entry_of(pbf_reader entry)
{
    std::pair<std::string, std::string> found;
    while (entry.next()) {
        switch (entry.tag_and_type()) {
        case bytes(1):
            found.first = text_of(entry);
            break;
        case bytes(2):
            found.second = text_of(entry);
            break;
        default:
            entry.skip();
        }
    }
    return found;
}

TensorFields tensor_fields(pbf_reader tensor)
{
    TensorFields fields;
    while (tensor.next()) {
        switch (tensor.tag_and_type()) {
        case bytes(1):
        case number(1):
            read_integers(tensor, fields.shape);
            break;
        case number(2):
            fields.type = tensor.get_int32();
            break;
        case bytes(4):
        case fixed(4):
            read_floats(tensor, fields.floats);
            break;
        case bytes(5):
        case number(5): // int32, and smaller types
        case bytes(7):
        case number(7): // int64
            read_integers(tensor, fields.integers);
            break;
        case bytes(8):
            fields.name = name_of(tensor);
            break;
        case bytes(9):
            fields.raw = tensor.get_bytes();
            break;
        case bytes(13):
            fields.external.insert(entry_of(tensor.get_message()));
            break;
        case number(14):
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

/// Where files with weights may lie: in the folder of the model as it is named, or, where that is a
/// link, of the file that it leads to. Empty: nowhere.
struct WeightFolders {
    std::filesystem::path named;
    std::filesystem::path real;
};

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

/// The numbers of a tensor. Throws bad_input, without the tensor's name, for elements of a type
/// that is not understood, or of another count than the shape says.
Array array_of(TensorFields fields, const WeightFolders& folders)
{
    const std::optional<std::int64_t> count = checked_count(fields.shape);
    if (!count) {
        throw bad_input("its shape is not one");
    }
    if (fields.is_external) {
        fields.raw = external_bytes(fields, folders);
    }
    Array array{fields.shape, {}};
    switch (static_cast<OnnxType>(fields.type)) {
    case OnnxType::fp32:
        array.values =
            fields.raw ? numbers_of<float, float>(*fields.raw) : std::move(fields.floats);
        break;
    case OnnxType::int64:
        array.values = fields.raw ? numbers_of<std::int64_t, std::int64_t>(*fields.raw)
                                  : std::move(fields.integers);
        break;
    case OnnxType::int32:
        array.values = fields.raw ? numbers_of<std::int32_t, std::int64_t>(*fields.raw)
                                  : std::move(fields.integers);
        break;
    case OnnxType::boolean:
        array.values = fields.raw ? numbers_of<std::uint8_t, std::int64_t>(*fields.raw)
                                  : std::move(fields.integers);
        break;
    default:
        throw bad_input("its elements are " + onnx_type_name(fields.type));
    }
    const std::size_t there = array.is_integer() ? array.integers().size() : array.reals().size();
    if (there != static_cast<std::size_t>(*count)) {
        throw bad_input(fmt::format("it has {} elements, and its shape {} says {}", there,
                                    to_string(fields.shape), *count));
    }
    return array;
}

/// Reads an AttributeProto into the node. Sets `refused` where its value is of a kind that no
/// operator here takes; whoever uses the node then says so, with the node's name.
void read_attribute(pbf_reader attribute, OnnxNode& node, const WeightFolders& folders)
{
    std::string name;
    std::int64_t type = 0;
    double real = 0;
    std::int64_t integer = 0;
    std::string word;
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::optional<TensorFields> tensor;
    while (attribute.next()) {
        switch (attribute.tag_and_type()) {
        case bytes(1):
            name = name_of(attribute);
            break;
        case fixed(2):
            real = static_cast<double>(attribute.get_float());
            break;
        case number(3):
            integer = attribute.get_int64();
            break;
        case bytes(4):
            word = attribute.get_bytes();
            break;
        case bytes(5):
            tensor = tensor_fields(attribute.get_message());
            break;
        case bytes(7):
        case fixed(7):
            read_floats(attribute, reals);
            break;
        case bytes(8):
        case number(8):
            read_integers(attribute, integers);
            break;
        case number(20):
            type = attribute.get_enum();
            break;
        default:
            attribute.skip();
        }
    }
    // AttributeProto.AttributeType: float, int, string, tensor, floats, ints.
    switch (type) {
    case 1:
        node.attributes.set(name, real);
        break;
    case 2:
        node.attributes.set(name, integer);
        break;
    case 3:
        node.attributes.set(name, word);
        break;
    case 4:
        try {
            node.attributes.set(name, array_of(tensor.value_or(TensorFields{}), folders));
        } catch (const Error& error) {
            node.refused = fmt::format("attribute {}: {}", name, error.what());
        }
        break;
    case 6:
        node.attributes.set(name, reals);
        break;
    case 7:
        node.attributes.set(name, integers);
        break;
    default:
        node.refused =
            fmt::format("attribute {} is of a kind that is not understood ({})", name, type);
    }
}

OnnxNode read_node(pbf_reader message, const WeightFolders& folders)
{
    OnnxNode node;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes(1):
            node.inputs.push_back(name_of(message));
            break;
        case bytes(2):
            node.outputs.push_back(name_of(message));
            break;
        case bytes(3):
            node.name = name_of(message);
            break;
        case bytes(4):
            node.op = name_of(message);
            break;
        case bytes(5):
            read_attribute(message.get_message(), node, folders);
            break;
        case bytes(7):
            node.domain = name_of(message);
            break;
        default:
            message.skip();
        }
    }
    // Both names stand for ONNX's own operators.
    node.domain = node.domain == "ai.onnx" ? "" : node.domain;
    return node;
}

/// A dimension of a TensorShapeProto: a number, or a name where it is open.
OnnxValue::Dimension read_dimension(pbf_reader message)
{
    OnnxValue::Dimension dimension;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case number(1):
            dimension.extent = message.get_int64();
            break;
        case bytes(2):
            dimension.name = name_of(message);
            break;
        default:
            message.skip();
        }
    }
    return dimension;
}

/// A TypeProto.Tensor: element type and shape. A type without a shape leaves it unknown.
void read_tensor_type(pbf_reader tensor, OnnxValue& value)
{
    while (tensor.next()) {
        switch (tensor.tag_and_type()) {
        case number(1):
            value.type = tensor.get_int32();
            break;
        case bytes(2): {
            value.shape.emplace();
            pbf_reader shape = tensor.get_message();
            while (shape.next()) {
                if (shape.tag_and_type() == bytes(1)) {
                    value.shape->push_back(read_dimension(shape.get_message()));
                } else {
                    shape.skip();
                }
            }
            break;
        }
        default:
            tensor.skip();
        }
    }
}

/// A ValueInfoProto: an input or output of the graph.
OnnxValue read_value(pbf_reader message)
{
    OnnxValue value;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes(1):
            value.name = name_of(message);
            break;
        case bytes(2): {
            pbf_reader type = message.get_message();
            while (type.next()) {
                if (type.tag_and_type() == bytes(1)) { // no sequence, map or optional value
                    read_tensor_type(type.get_message(), value);
                } else {
                    type.skip();
                }
            }
            break;
        }
        default:
            message.skip();
        }
    }
    return value;
}

/// A GraphProto. A constant that is not understood does no harm until a node reads it, so the
/// reason is kept in `refused`.
void read_graph(pbf_reader message, OnnxFile& file, const WeightFolders& folders)
{
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes(1):
            file.nodes.push_back(read_node(message.get_message(), folders));
            break;
        case bytes(2):
            file.graph = name_of(message);
            break;
        case bytes(5): {
            TensorFields fields = tensor_fields(message.get_message());
            const std::string name = fields.name;
            try {
                file.constants[name] = array_of(std::move(fields), folders);
            } catch (const Error& error) {
                file.refused[name] = error.what();
            }
            break;
        }
        case bytes(11):
            file.inputs.push_back(read_value(message.get_message()));
            break;
        case bytes(12):
            file.outputs.push_back(read_value(message.get_message()));
            break;
        default:
            message.skip();
        }
    }
}

/// A ModelProto.
OnnxFile read_model(pbf_reader message, const WeightFolders& folders)
{
    OnnxFile file;
    bool has_graph = false;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes(7):
            has_graph = true;
            read_graph(message.get_message(), file, folders);
            break;
        case bytes(8): {
            pbf_reader opset = message.get_message();
            std::string domain;
            std::int64_t version = 0;
            while (opset.next()) {
                if (opset.tag_and_type() == bytes(1)) {
                    domain = name_of(opset);
                } else if (opset.tag_and_type() == number(2)) {
                    version = opset.get_int64();
                } else {
                    opset.skip();
                }
            }
            // Versions of other domains' operators do not matter: those operators are refused.
            file.opset = domain.empty() || domain == "ai.onnx" ? version : file.opset;
            break;
        }
        case bytes(14):
            file.metadata.insert(entry_of(message.get_message()));
            break;
        default:
            message.skip();
        }
    }
    if (!has_graph) {
        throw bad_input("it has no graph");
    }
    return file;
}

OnnxFile parse_model(std::string_view bytes, const WeightFolders& folders)
{
    try {
        return read_model(pbf_reader(bytes.data(), bytes.size()), folders);
    } catch (const protozero::exception&) {
        throw bad_input("it is no ONNX model, or a damaged or cut off one");
    }
}

} // namespace

/// By the numbers of TensorProto.DataType.
std::string onnx_type_name(std::int32_t type)
{
    constexpr std::array names{"no numbers", "fp32",    "uint8",  "int8",    "uint16",
                               "int16",      "int32",   "int64",  "strings", "booleans",
                               "fp16",       "double",  "uint32", "uint64",  "complex64",
                               "complex128", "bfloat16"};
    return type >= 0 && static_cast<std::size_t>(type) < names.size()
               ? names[static_cast<std::size_t>(type)]
               : fmt::format("of type {}", type);
}

OnnxFile parse_onnx(std::string_view bytes, const std::filesystem::path& folder)
{
    return parse_model(bytes, {folder, folder});
}

OnnxFile read_onnx_file(const std::filesystem::path& path)
{
    try {
        const std::unique_ptr<FileBytes> file = map_file(path.string());
        std::error_code none; // else it has been moved meanwhile
        return parse_model(file->view(), {path.has_parent_path() ? path.parent_path() : ".",
                                          std::filesystem::canonical(path, none).parent_path()});
    } catch (const Error& error) {
        throw bad_input(error.what(), path.string());
    }
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
