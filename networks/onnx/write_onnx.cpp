#include "networks/onnx/write_onnx.hpp"

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "networks/onnx/onnx_file.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

// Writes ONNX's messages; field numbers are those of onnx.proto (ONNX 1.16), as in onnx_file.cpp.

namespace texelscope::networks {
namespace {

using protozero::pbf_writer;

/// A TensorProto, its numbers as raw bytes. `field`: where it stands in the message around it.
template <class Number>
void add_tensor(pbf_writer& to, protozero::pbf_tag_type field, const std::string& name,
                const Shape& shape, OnnxType type, std::span<const Number> numbers)
{
    pbf_writer tensor(to, field);
    tensor.add_packed_int64(1, shape.begin(), shape.end());
    tensor.add_int32(2, static_cast<std::int32_t>(type));
    tensor.add_string(8, name);
    tensor.add_bytes(9, reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void add_array(pbf_writer& to, protozero::pbf_tag_type field, const std::string& name,
               const Array& array)
{
    if (array.is_integer()) {
        add_tensor<std::int64_t>(to, field, name, array.shape, OnnxType::int64, array.integers());
    } else {
        add_tensor<float>(to, field, name, array.shape, OnnxType::fp32, array.reals());
    }
}

/// An attribute as the constant input that newer versions of ONNX have in its place
/// (NodeOperator::parameters).
Array array_of(const Attribute& attribute)
{
    return std::visit(
        [](const auto& value) -> Array {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, Array>) {
                return value;
            } else if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
                return {{static_cast<std::int64_t>(value.size())}, value};
            } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
                return {{static_cast<std::int64_t>(value.size())},
                        std::vector<float>(value.begin(), value.end())};
            } else if constexpr (std::is_same_v<Value, std::int64_t>) {
                return {{}, std::vector<std::int64_t>{value}};
            } else if constexpr (std::is_same_v<Value, double>) {
                return {{}, std::vector<float>{static_cast<float>(value)}};
            } else {
                throw bad_input("a word is no constant");
            }
        },
        attribute);
}

/// An AttributeProto, with the number of its type in field 20.
void add_attribute(pbf_writer& to, const std::string& name, const Attribute& value)
{
    pbf_writer attribute(to, 5);
    attribute.add_string(1, name);
    const auto type = [&](int kind) { attribute.add_enum(20, kind); };
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        attribute.add_int64(3, *integer);
        type(2);
    } else if (const auto* real = std::get_if<double>(&value)) {
        attribute.add_float(2, static_cast<float>(*real));
        type(1);
    } else if (const auto* word = std::get_if<std::string>(&value)) {
        attribute.add_bytes(4, *word);
        type(3);
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
        for (const std::int64_t each : *integers) {
            attribute.add_int64(8, each);
        }
        type(7);
    } else if (const auto* reals = std::get_if<std::vector<double>>(&value)) {
        for (const double each : *reals) {
            attribute.add_float(7, static_cast<float>(each));
        }
        type(6);
    } else {
        add_array(attribute, 5, name, std::get<Array>(value));
        type(4);
    }
}

/// A ValueInfoProto of an input or output.
void add_value(pbf_writer& to, protozero::pbf_tag_type field, const Value& value)
{
    pbf_writer info(to, field);
    info.add_string(1, value.name);
    pbf_writer type(info, 2);
    pbf_writer tensor(type, 1);
    tensor.add_int32(
        1, static_cast<std::int32_t>(value.is_integer ? OnnxType::int64 : OnnxType::fp32));
    pbf_writer shape(tensor, 2);
    for (const std::int64_t extent : value.shape) {
        pbf_writer dimension(shape, 1);
        dimension.add_int64(1, extent);
    }
}

/// A constant that stands for a node's attribute.
struct ParameterInput {
    std::string name;
    Array array;
};

/// `text`, `entries`: field numbers of doc_string and metadata_props, which differ by message.
void add_note(pbf_writer& to, protozero::pbf_tag_type text, protozero::pbf_tag_type entries,
              const OnnxNote& note)
{
    if (!note.text.empty()) {
        to.add_string(text, note.text);
    }
    for (const auto& [key, value] : note.entries) {
        pbf_writer entry(to, entries);
        entry.add_string(1, key);
        entry.add_string(2, value);
    }
}

/// A NodeProto. Attributes that are inputs in the written version are added to `parameters`, whose
/// constants the caller writes afterwards.
void add_node(pbf_writer& to, const Graph& graph, const Node& from, const OnnxNote& note,
              std::vector<ParameterInput>& parameters)
{
    const NodeOperator& op = *find_node_operator(from.op);
    std::vector<std::string> inputs;
    for (const ValueId id : from.inputs) {
        inputs.push_back(id == no_value ? "" : graph.value(id).name);
    }
    std::vector<std::string> said; // attributes that are inputs
    for (const NodeOperator::Parameter& parameter : op.parameters) {
        if (from.attributes.has(parameter.attribute)) {
            parameters.push_back({fmt::format("{}_{}", from.name, parameter.attribute),
                                  array_of(from.attributes.all().at(parameter.attribute))});
            inputs.resize(std::max(inputs.size(), parameter.input + 1));
            inputs[parameter.input] = parameters.back().name;
            said.push_back(parameter.attribute);
        }
    }
    pbf_writer node(to, 1);
    for (const std::string& input : inputs) {
        node.add_string(1, input);
    }
    for (const ValueId id : from.outputs) {
        node.add_string(2, id == no_value ? "" : graph.value(id).name);
    }
    node.add_string(3, from.name);
    node.add_string(4, from.op);
    for (const auto& [name, value] : from.attributes.all()) {
        if (std::ranges::find(said, name) == said.end()) {
            add_attribute(node, name, value);
        }
    }
    add_note(node, 6, 9, note);
}

} // namespace

std::string onnx_bytes(const Graph& graph, const OnnxNotes& notes)
{
    std::string bytes;
    pbf_writer model(bytes);
    // ir_version, the version of the format: nodes have metadata_props from 10 on.
    model.add_int64(1, notes.nodes.empty() ? 9 : 10);
    model.add_string(2, "texelscope");
    add_note(model, 6, 14, notes.model);
    {
        pbf_writer message(model, 7);
        std::vector<ParameterInput> parameters;
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            add_node(message, graph, graph.nodes[n],
                     notes.nodes.empty() ? OnnxNote{} : notes.nodes.at(n), parameters);
        }
        message.add_string(2, graph.name);
        for (const auto& [id, numbers] : graph.constants) {
            const Value& value = graph.value(id);
            if (value.is_integer) {
                add_array(message, 5, value.name,
                          {value.shape, std::vector<std::int64_t>(numbers.begin(), numbers.end())});
            } else {
                add_tensor<float>(message, 5, value.name, value.shape, OnnxType::fp32, numbers);
            }
        }
        for (const ParameterInput& parameter : parameters) {
            add_array(message, 5, parameter.name, parameter.array);
        }
        for (const ValueId id : graph.inputs) {
            add_value(message, 11, graph.value(id));
        }
        for (const ValueId id : graph.outputs) {
            add_value(message, 12, graph.value(id));
        }
    }
    pbf_writer opset(model, 8);
    opset.add_int64(2, written_opset);
    return bytes;
}

void write_onnx(const Graph& graph, const std::filesystem::path& path, const OnnxNotes& notes)
{
    write_file_atomically(path.string(), onnx_bytes(graph, notes));
}

} // namespace texelscope::networks
