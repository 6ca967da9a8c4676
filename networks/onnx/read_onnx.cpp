#include "networks/onnx/read_onnx.hpp"

#include "base/error.hpp"
#include "networks/onnx/fold_integers.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::networks {
namespace {

/// Makes a graph of a file, node by node, in one pass: a file lists nodes in the order of use. What
/// depends on shapes alone is computed on the way, so nodes that compute shapes never get into the
/// graph.
class GraphReader {
public:
    GraphReader(const OnnxFile& file, const OnnxOptions& options) : file_(file), options_(options)
    {
        graph_.name = file.graph;
    }

    Graph read()
    {
        if (file_.opset < oldest_opset || file_.opset > newest_opset) {
            throw bad_input(fmt::format("operator set {} is not understood, {} to {} are",
                                        file_.opset, oldest_opset, newest_opset));
        }
        for (const auto& [name, array] : file_.constants) {
            known_[name] = array;
        }
        for (const OnnxValue& input : file_.inputs) {
            read_input(input);
        }
        for (const OnnxNode& node : file_.nodes) {
            try {
                read_node(node);
            } catch (const Error& error) {
                throw bad_input(error.what(), fmt::format("node '{}' ({}, operator set {})",
                                                          name_of(node), node.op, file_.opset));
            }
        }
        for (const OnnxValue& output : file_.outputs) {
            const auto found = known_.find(output.name);
            if (found == known_.end()) {
                throw bad_input("no node makes it", "output '" + output.name + "'");
            }
            graph_.outputs.push_back(value_of(output.name, "output"));
        }
        check_graph(graph_);
        return std::move(graph_);
    }

private:
    /// What a name stands for: a value of the graph, or a constant that is no value yet. A constant
    /// becomes one when a node computes with it; shapes and axes never do.
    using Known = std::variant<ValueId, Array>;

    /// ONNX allows nodes without a name; the name of the first output stands for it.
    static std::string name_of(const OnnxNode& node)
    {
        return !node.name.empty() ? node.name : node.outputs.empty() ? "" : node.outputs.front();
    }

    void read_input(const OnnxValue& input)
    {
        if (known_.contains(input.name)) {
            return; // a constant that older files name once more
        }
        if (const auto given = options_.constants.find(input.name);
            given != options_.constants.end()) {
            known_[input.name] = given->second;
            return;
        }
        const std::string where = "input '" + input.name + "'";
        if (input.type != static_cast<std::int32_t>(OnnxType::fp32)) {
            throw bad_input(
                "its elements are " + onnx_type_name(input.type) + ", fp32 is understood", where);
        }
        if (!input.shape) {
            throw bad_input("its shape is not known", where);
        }
        // Only the first dimension, the batch, may be open: kernels are made for fixed shapes.
        Shape shape;
        for (const OnnxValue::Dimension& dimension : *input.shape) {
            const bool open = dimension.extent <= 0;
            if (open && (!shape.empty() || options_.batch < 1)) {
                throw bad_input(
                    fmt::format("dimension {}{} is open", shape.size(),
                                dimension.name.empty() ? "" : ", '" + dimension.name + "',"),
                    where, shape.empty() ? "say what it is with --batch N" : "");
            }
            shape.push_back(open ? options_.batch : dimension.extent);
        }
        graph_.inputs.push_back(graph_.add_value(input.name, shape));
        known_[input.name] = graph_.inputs.back();
    }

    const Known& known(const std::string& name) const
    {
        if (const auto refused = file_.refused.find(name); refused != file_.refused.end()) {
            throw bad_input("constant '" + name + "' is not understood: " + refused->second);
        }
        const auto found = known_.find(name);
        if (found == known_.end()) {
            throw bad_input("'" + name + "' is used before it is made");
        }
        return found->second;
    }

    /// The value of the graph for that name. Makes a constant a value where it is none yet. Throws
    /// bad_input for integers, which no kernel computes with.
    ValueId value_of(const std::string& name, const char* what)
    {
        const Known& found = known(name);
        if (const auto* id = std::get_if<ValueId>(&found)) {
            return *id;
        }
        const Array& array = std::get<Array>(found);
        if (array.is_integer()) {
            throw bad_input(fmt::format("{} '{}' is of integers, fp32 is understood", what, name));
        }
        const ValueId id = graph_.add_constant(name, array.shape, array.reals());
        known_[name] = id;
        return id;
    }

    /// The constant of that name; null if it is none, or the name is empty.
    [[nodiscard]] const Array* array_of(const std::string& name) const
    {
        return name.empty() ? nullptr : std::get_if<Array>(&known(name));
    }

    /// Sets what a name stands for; an empty name is an output that nobody wants.
    void make(const std::string& name, Known value)
    {
        if (!name.empty() && !known_.emplace(name, std::move(value)).second) {
            throw bad_input("'" + name + "' is made twice");
        }
    }

    void read_node(const OnnxNode& node)
    {
        if (!node.domain.empty()) {
            throw bad_input("operators of '" + node.domain + "' are not understood");
        }
        if (!node.refused.empty()) {
            throw bad_input(node.refused);
        }
        if (node.outputs.empty()) {
            throw bad_input("it makes nothing");
        }
        if (read_constant(node) || read_shape(node) || read_integers(node)) {
            return;
        }
        if (node.op == "Cast" || node.op == "Identity" || node.op == "Dropout") {
            if (pass_through(node)) {
                return;
            }
        }
        add_node(node);
    }

    /// Constant and ConstantOfShape. Returns whether it was one of these.
    bool read_constant(const OnnxNode& node)
    {
        if (node.op == "Constant") {
            make(node.outputs.front(), constant_of(node.attributes));
            return true;
        }
        if (node.op != "ConstantOfShape") {
            return false;
        }
        const Array* const shape = node.inputs.empty() ? nullptr : array_of(node.inputs.front());
        if (shape == nullptr || !shape->is_integer()) {
            throw bad_input("its shape is not constant");
        }
        make(node.outputs.front(), filled(shape->integers(), node.attributes));
        return true;
    }

    /// Shape and Size, whose output is known as soon as the shape of their input is. Returns
    /// whether it was one of these.
    bool read_shape(const OnnxNode& node)
    {
        if (node.op != "Shape" && node.op != "Size") {
            return false;
        }
        if (node.inputs.size() != 1) {
            throw bad_input("it takes one input");
        }
        const Known& of = known(node.inputs.front());
        const Shape shape = std::holds_alternative<ValueId>(of)
                                ? graph_.value(std::get<ValueId>(of)).shape
                                : std::get<Array>(of).shape;
        make(node.outputs.front(), node.op == "Size" ? Array{{}, std::vector{element_count(shape)}}
                                                     : part_of_shape(shape, node.attributes));
        return true;
    }

    /// Whatever is computed of constants only, of integers or by Cast. Returns whether it was.
    bool read_integers(const OnnxNode& node)
    {
        std::vector<const Array*> inputs;
        for (const std::string& name : node.inputs) {
            const Array* const array = array_of(name);
            if (!name.empty() && array == nullptr) {
                return false;
            }
            inputs.push_back(array);
        }
        if (inputs.empty() || inputs.front() == nullptr ||
            (!inputs.front()->is_integer() && node.op != "Cast")) {
            return false;
        }
        std::vector<Array> made =
            fold_integers(node.op, node.attributes, inputs, node.outputs.size());
        if (made.size() < node.outputs.size()) {
            throw bad_input(fmt::format("it has {} outputs, of which it makes {}",
                                        node.outputs.size(), made.size()));
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            make(node.outputs[i], std::move(made[i]));
        }
        return true;
    }

    /// Cast to fp32 and Identity do nothing to numbers in fp32, so their output is their input
    /// under another name. Returns false for Dropout, which add_node() checks first.
    bool pass_through(const OnnxNode& node)
    {
        if (node.op == "Cast" &&
            node.attributes.integer("to", 0) != static_cast<std::int64_t>(OnnxType::fp32)) {
            throw bad_input("numbers become " + onnx_type_name(static_cast<std::int32_t>(
                                                    node.attributes.integer("to", 0))));
        }
        if (node.op == "Dropout") {
            return false; // its attributes are looked at first
        }
        if (node.inputs.size() != 1 || node.outputs.size() != 1) {
            throw bad_input("it takes one input and makes one output");
        }
        make(node.outputs.front(), value_of(node.inputs.front(), "input"));
        return true;
    }

    /// Any other node: looks it up in the table, turns parameters into attributes, works out its
    /// outputs' shapes, and appends it.
    void add_node(const OnnxNode& from)
    {
        const NodeOperator* const op = find_node_operator(from.op);
        if (op == nullptr || !op->onnx) {
            throw bad_input("the operator is not understood");
        }
        if (file_.opset < op->since) {
            throw bad_input(
                fmt::format("the operator is understood from operator set {} on", op->since));
        }
        Node node{name_of(from), from.op, {}, {}, from.attributes};
        // Before version 13 the axis and all behind it were one; see softmax() in
        // networks/operators/axes.cpp.
        if (file_.opset < 13 && (from.op == "Softmax" || from.op == "LogSoftmax")) {
            node.attributes.set("flat", std::int64_t{1});
        }
        for (std::size_t i = 0; i < from.inputs.size(); ++i) {
            const std::string& name = from.inputs[i];
            const auto parameter =
                std::ranges::find(op->parameters, i, &NodeOperator::Parameter::input);
            if (parameter == op->parameters.end()) {
                node.inputs.push_back(name.empty() ? no_value : value_of(name, "input"));
            } else if (const Array* const array = array_of(name)) {
                node.attributes.set(parameter->attribute, *array);
            } else if (!name.empty()) {
                throw bad_input(
                    fmt::format("its {} ('{}') are not constant", parameter->attribute, name));
            }
        }
        // Optional inputs at the end that are not given.
        while (!node.inputs.empty() && node.inputs.back() == no_value) {
            node.inputs.pop_back();
        }
        // Optional outputs at the end that have no name are not wanted.
        std::size_t wanted = from.outputs.size();
        while (wanted > 1 && from.outputs[wanted - 1].empty()) {
            --wanted;
        }
        node.outputs.resize(wanted, no_value);
        const std::vector<Shape> shapes = output_shapes(graph_, node);
        if (shapes.size() < wanted) {
            throw bad_input(
                fmt::format("it makes {} outputs, {} are wanted", shapes.size(), wanted));
        }
        for (std::size_t i = 0; i < wanted; ++i) {
            if (!from.outputs[i].empty()) {
                node.outputs[i] = graph_.add_value(from.outputs[i], shapes[i]);
                make(from.outputs[i], node.outputs[i]);
            }
        }
        graph_.nodes.push_back(std::move(node));
    }

    const OnnxFile& file_;
    const OnnxOptions& options_;
    Graph graph_;
    std::map<std::string, Known> known_;
};

} // namespace

Graph graph_of(const OnnxFile& file, const OnnxOptions& options)
{
    return GraphReader(file, options).read();
}

Graph read_onnx(const std::filesystem::path& path, const OnnxOptions& options)
{
    try {
        return graph_of(read_onnx_file(path), options);
    } catch (const Error& error) {
        const std::string line = error.what();
        throw line.starts_with(path.string()) ? error : bad_input(line, path.string());
    }
}

} // namespace texelscope::networks
