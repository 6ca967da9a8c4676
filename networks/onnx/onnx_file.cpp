#include "networks/onnx/onnx_file.hpp"

#include "base/error.hpp"
#include "base/file_bytes.hpp"
#include "networks/onnx/functions.hpp"
#include "networks/onnx/wire_fields.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <system_error>
#include <utility>

// Each function below reads one kind of message and skips the fields that nothing here needs. Files
// are not trusted (wire_fields.hpp, onnx_tensor.hpp).

namespace texelscope::networks {
namespace {

using protozero::pbf_reader;

/// Reads an AttributeProto into the node. Sets `refused` where its value is of a kind that no
/// operator here takes; whoever uses the node then says so, with the node's name.
void read_attribute(pbf_reader attribute, OnnxNode& node, const WeightFolders& folders)
{
    std::string name;
    std::int64_t type = 0;
    double real = 0;
    std::int64_t integer = 0;
    std::string word;
    std::string reference;
    std::vector<float> reals;
    std::vector<std::int64_t> integers;
    OnnxTensor tensor;
    while (attribute.next()) {
        switch (attribute.tag_and_type()) {
        case bytes_field(1):
            name = name_of(attribute);
            break;
        case float_field(2):
            real = static_cast<double>(attribute.get_float());
            break;
        case number_field(3):
            integer = attribute.get_int64();
            break;
        case bytes_field(4):
            word = attribute.get_bytes();
            break;
        case bytes_field(5):
            tensor = read_tensor(attribute.get_message(), folders);
            break;
        case bytes_field(7):
        case float_field(7):
            read_floats(attribute, reals);
            break;
        case bytes_field(8):
        case number_field(8):
            read_integers(attribute, integers);
            break;
        case number_field(20):
            type = attribute.get_enum();
            break;
        case bytes_field(21):
            reference = name_of(attribute);
            break;
        default:
            attribute.skip();
        }
    }
    if (!reference.empty()) {
        node.references[name] = reference;
        return;
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
        node.attributes.set(name, std::move(tensor.array));
        if (!tensor.refused.empty()) {
            node.refused = fmt::format("attribute {}: {}", name, tensor.refused);
        }
        break;
    case 6:
        node.attributes.set(name, std::vector<double>(reals.begin(), reals.end()));
        break;
    case 7:
        node.attributes.set(name, integers);
        break;
    default:
        node.refused =
            fmt::format("attribute {} is of a kind that is not understood ({})", name, type);
    }
}

/// Both names stand for ONNX's own operators.
std::string domain_of(std::string domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

OnnxNode read_node(pbf_reader message, const WeightFolders& folders)
{
    OnnxNode node;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes_field(1):
            node.inputs.push_back(name_of(message));
            break;
        case bytes_field(2):
            node.outputs.push_back(name_of(message));
            break;
        case bytes_field(3):
            node.name = name_of(message);
            break;
        case bytes_field(4):
            node.op = name_of(message);
            break;
        case bytes_field(5):
            read_attribute(message.get_message(), node, folders);
            break;
        case bytes_field(7):
            node.domain = name_of(message);
            break;
        case bytes_field(8):
            node.overload = name_of(message);
            break;
        default:
            message.skip();
        }
    }
    node.domain = domain_of(std::move(node.domain));
    return node;
}

/// A dimension of a TensorShapeProto: a number, or a name where it is open.
OnnxValue::Dimension read_dimension(pbf_reader message)
{
    OnnxValue::Dimension dimension;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case number_field(1):
            dimension.extent = message.get_int64();
            break;
        case bytes_field(2):
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
        case number_field(1):
            value.type = tensor.get_int32();
            break;
        case bytes_field(2): {
            value.shape.emplace();
            pbf_reader shape = tensor.get_message();
            while (shape.next()) {
                if (shape.tag_and_type() == bytes_field(1)) {
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
        case bytes_field(1):
            value.name = name_of(message);
            break;
        case bytes_field(2): {
            pbf_reader type = message.get_message();
            while (type.next()) {
                if (type.tag_and_type() == bytes_field(1)) { // no sequence, map or optional value
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
        case bytes_field(1):
            file.nodes.push_back(read_node(message.get_message(), folders));
            break;
        case bytes_field(2):
            file.graph = name_of(message);
            break;
        case bytes_field(5): {
            OnnxTensor tensor = read_tensor(message.get_message(), folders);
            if (tensor.refused.empty()) {
                file.constants[tensor.name] = std::move(tensor.array);
            } else {
                file.refused[tensor.name] = tensor.refused;
            }
            break;
        }
        case bytes_field(11):
            file.inputs.push_back(read_value(message.get_message()));
            break;
        case bytes_field(12):
            file.outputs.push_back(read_value(message.get_message()));
            break;
        default:
            message.skip();
        }
    }
}

/// An OperatorSetIdProto. Sets the version of ONNX's own operators; those of other domains do not
/// matter, as their operators are refused.
void read_opset(pbf_reader message, std::int64_t& opset)
{
    std::string domain;
    std::int64_t version = 0;
    while (message.next()) {
        if (message.tag_and_type() == bytes_field(1)) {
            domain = name_of(message);
        } else if (message.tag_and_type() == number_field(2)) {
            version = message.get_int64();
        } else {
            message.skip();
        }
    }
    opset = domain_of(std::move(domain)).empty() ? version : opset;
}

/// A FunctionProto.
OnnxFunction read_function(pbf_reader message, const WeightFolders& folders)
{
    OnnxFunction function;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes_field(1):
            function.name = name_of(message);
            break;
        case bytes_field(4):
            function.inputs.push_back(name_of(message));
            break;
        case bytes_field(5):
            function.outputs.push_back(name_of(message));
            break;
        case bytes_field(7):
            function.nodes.push_back(read_node(message.get_message(), folders));
            break;
        case bytes_field(9):
            read_opset(message.get_message(), function.opset);
            break;
        case bytes_field(10):
            function.domain = domain_of(name_of(message));
            break;
        case bytes_field(11):
            read_attribute(message.get_message(), function.defaults, folders);
            break;
        case bytes_field(13):
            function.overload = name_of(message);
            break;
        default:
            message.skip();
        }
    }
    return function;
}

/// A ModelProto.
OnnxFile read_model(pbf_reader message, const WeightFolders& folders)
{
    OnnxFile file;
    std::vector<OnnxFunction> functions;
    bool has_graph = false;
    while (message.next()) {
        switch (message.tag_and_type()) {
        case bytes_field(7):
            has_graph = true;
            read_graph(message.get_message(), file, folders);
            break;
        case bytes_field(8):
            read_opset(message.get_message(), file.opset);
            break;
        case bytes_field(14):
            file.metadata.insert(entry_of(message.get_message()));
            break;
        case bytes_field(25):
            functions.push_back(read_function(message.get_message(), folders));
            break;
        default:
            message.skip();
        }
    }
    if (!has_graph) {
        throw bad_input("it has no graph");
    }
    if (!functions.empty()) {
        write_out_functions(file, functions);
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

} // namespace texelscope::networks
