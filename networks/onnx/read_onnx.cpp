#include "networks/onnx/read_onnx.hpp"

#include "base/error.hpp"
#include "networks/onnx/fold_constants.hpp"
#include "networks/onnx/input_shapes.hpp"
#include "networks/onnx/rewrite_node.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace texelscope::networks {
namespace {

/// Operators that make integers of integers which no one knows before a run, as they only move
/// them. Others could leave what fp32 has of whole numbers.
constexpr std::array<std::string_view, 12> moves_integers{
    "Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose",
    "Concat",   "Split",   "Slice",   "Gather",  "Expand",    "Pad"};

/// Up to which fp32 has every whole number.
constexpr std::int64_t most_whole = 1 << 24;

/// Makes a graph of a file, node by node, in one pass: a file lists nodes in the order of use. What
/// depends on shapes and constants alone is computed on the way, so nodes that compute shapes never
/// get into the graph.
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
        for (const OnnxNode& node : file_.nodes) {
            read_.insert(node.inputs.begin(), node.inputs.end());
        }
        for (const OnnxValue& output : file_.outputs) {
            read_.insert(output.name);
        }
        for (const auto& [name, array] : file_.constants) {
            known_[name] = Constant(Constant(), &array); // the file's own, which outlives this
        }
        const InputShapes shapes(file_, options_);
        for (const OnnxValue& input : file_.inputs) {
            try {
                read_input(input, shapes);
            } catch (const Error& error) {
                throw bad_input(error.what(), "input '" + input.name + "'");
            }
        }
        for (const OnnxNode& node : file_.nodes) {
            try {
                read_node(node);
            } catch (const Error& error) {
                throw bad_input(error.what(), fmt::format("node '{}' ({}, operator set {})",
                                                          name_of(node), node.op, opset_of(node)));
            }
        }
        for (const OnnxValue& output : file_.outputs) {
            try {
                add_output(output.name);
            } catch (const Error& error) {
                throw bad_input(error.what(), "output '" + output.name + "'");
            }
        }
        check_graph(graph_);
        return std::move(graph_);
    }

private:
    /// What a name stands for: a value of the graph, or a constant. A constant becomes a value as
    /// well when a node computes with it; shapes and axes never do.
    using Constant = std::shared_ptr<const Array>;
    using Known = std::variant<ValueId, Constant>;

    /// ONNX allows nodes without a name; the name of the first output stands for it.
    static std::string name_of(const OnnxNode& node)
    {
        return !node.name.empty() ? node.name : node.outputs.empty() ? "" : node.outputs.front();
    }

    [[nodiscard]] std::int64_t opset_of(const OnnxNode& node) const
    {
        return node.opset != 0 ? node.opset : file_.opset;
    }

    void read_input(const OnnxValue& input, const InputShapes& shapes)
    {
        if (known_.contains(input.name)) {
            return; // a constant that older files name once more
        }
        if (const auto given = options_.constants.find(input.name);
            given != options_.constants.end()) {
            known_[input.name] = Constant(Constant(), &given->second);
            return;
        }
        const auto type = static_cast<OnnxType>(input.type);
        if (!is_real(type) && !is_integer(type)) {
            throw bad_input("its elements are " + onnx_type_name(input.type) +
                            ", real numbers and integers are understood");
        }
        const ValueId id = graph_.add_value(input.name, shapes.of(input));
        graph_.values.back().is_integer = is_integer(type);
        graph_.inputs.push_back(id);
        known_[input.name] = id;
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

    /// The value of the graph for that name; a constant becomes one. Throws bad_input for whole
    /// numbers that fp32 does not have.
    ValueId value_of(const std::string& name)
    {
        const Known& found = known(name);
        if (const auto* id = std::get_if<ValueId>(&found)) {
            return *id;
        }
        const auto [made, fresh] = constants_.try_emplace(name, no_value);
        if (fresh) {
            const Array& array = *std::get<Constant>(found);
            std::vector<float> numbers;
            if (array.is_integer()) {
                for (const std::int64_t number : array.integers()) {
                    if (number > most_whole || number < -most_whole) {
                        throw bad_input(
                            fmt::format("'{}' has {}, and fp32 has whole numbers up to {} alone",
                                        name, number, most_whole));
                    }
                    numbers.push_back(static_cast<float>(number));
                }
            } else {
                numbers = array.reals();
            }
            made->second = graph_.add_constant(name, array.shape, std::move(numbers));
            graph_.values.back().is_integer = array.is_integer();
        }
        return made->second;
    }

    [[nodiscard]] bool is_integer_value(ValueId id) const
    {
        return id != no_value && graph_.value(id).is_integer;
    }

    /// The constant of that name; null if it is none, or the name is empty.
    [[nodiscard]] const Array* array_of(const std::string& name) const
    {
        const Constant* const found = name.empty() ? nullptr : std::get_if<Constant>(&known(name));
        return found == nullptr ? nullptr : found->get();
    }

    /// Sets what a name stands for; an empty name is an output that nobody wants.
    void make(const std::string& name, Known value)
    {
        if (!name.empty() && !known_.emplace(name, std::move(value)).second) {
            throw bad_input("'" + name + "' is made twice");
        }
    }
    void make_constant(const std::string& name, Array array)
    {
        make(name, std::make_shared<const Array>(std::move(array)));
    }

    void read_node(const OnnxNode& node)
    {
        if (!node.domain.empty()) {
            throw bad_input("operators of '" + node.domain + "' are not understood");
        }
        if (!node.refused.empty()) {
            throw bad_input(node.refused);
        }
        if (std::ranges::all_of(node.outputs, &std::string::empty)) {
            if (node.outputs.empty()) {
                throw bad_input("it makes nothing");
            }
            return; // nobody can read what has no name
        }
        if (read_constant(node) || read_shape(node) || rewrite(node) || fold(node) ||
            pass_through(node)) {
            return;
        }
        add_node(node);
    }

    /// Reads other nodes in place of one that is made of them. Returns whether it did.
    bool rewrite(const OnnxNode& node)
    {
        const NodeSurroundings in{
            .opset = opset_of(node),
            .shape = [this](const std::string& name) { return shape_of(name); },
            .constant = [this](const std::string& name) { return array_of(name); }};
        std::optional<std::vector<OnnxNode>> nodes = rewritten(node, in);
        if (!nodes) {
            return false;
        }
        for (OnnxNode& each : *nodes) {
            each.opset = newest_opset;
            read_.insert(each.inputs.begin(), each.inputs.end());
            read_node(each);
        }
        return true;
    }

    /// Constant and ConstantOfShape. Returns whether it was one of these.
    bool read_constant(const OnnxNode& node)
    {
        if (node.op == "Constant") {
            make_constant(node.outputs.front(), constant_of(node.attributes));
            return true;
        }
        if (node.op != "ConstantOfShape") {
            return false;
        }
        const Array* const shape = node.inputs.empty() ? nullptr : array_of(node.inputs.front());
        if (shape == nullptr || !shape->is_integer()) {
            throw bad_input("its shape is not constant");
        }
        make_constant(node.outputs.front(), filled(shape->integers(), node.attributes));
        return true;
    }

    Shape shape_of(const std::string& name) const
    {
        const Known& found = known(name);
        return std::holds_alternative<ValueId>(found) ? graph_.value(std::get<ValueId>(found)).shape
                                                      : std::get<Constant>(found)->shape;
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
        const Shape shape = shape_of(node.inputs.front());
        make_constant(node.outputs.front(), node.op == "Size"
                                                ? Array{{}, std::vector{element_count(shape)}}
                                                : part_of_shape(shape, node.attributes));
        return true;
    }

    /// Whatever is computed of constants only. Returns whether it was.
    bool fold(const OnnxNode& node)
    {
        std::vector<const Array*> inputs;
        for (const std::string& name : node.inputs) {
            const Array* const array = array_of(name);
            if (!name.empty() && array == nullptr) {
                return false;
            }
            inputs.push_back(array);
        }
        if (!is_folded(node.op, inputs)) {
            return false;
        }
        require_version(node);
        const std::size_t wanted = wanted_outputs(node);
        std::vector<Array> made = fold_constants(node.op, node.attributes, inputs, wanted);
        if (made.empty()) {
            return false;
        }
        require_outputs(node, made.size(), wanted);
        for (std::size_t i = 0; i < wanted; ++i) {
            if (!node.outputs[i].empty()) {
                make_constant(node.outputs[i], std::move(made[i]));
            }
        }
        return true;
    }

    /// Identity, and Cast among types that are all fp32 here, do nothing to numbers, so their
    /// output is their input under another name. A Cast of integers to real numbers remains, so
    /// that what reads it does not take it for integers. Returns whether it was one of these.
    bool pass_through(const OnnxNode& node)
    {
        if (node.op != "Cast" && node.op != "Identity") {
            return false;
        }
        if (node.inputs.size() != 1 || node.outputs.size() != 1) {
            throw bad_input("it takes one input and makes one output");
        }
        const ValueId from = value_of(node.inputs.front());
        if (node.op == "Cast") {
            const auto to = static_cast<OnnxType>(node.attributes.integer("to", 0));
            const bool integers = is_integer_value(from);
            constexpr int least_bits = 32; // fewer might not hold them
            if (!is_real(to) && !(integers && is_integer(to) && integer_type(to).is_signed &&
                                  integer_type(to).bits >= least_bits)) {
                throw bad_input(fmt::format("{} become {}", integers ? "integers" : "real numbers",
                                            onnx_type_name(static_cast<std::int32_t>(to))));
            }
            if (integers && is_real(to)) {
                add_node(node);
                return true;
            }
        }
        make(node.outputs.front(), from);
        return true;
    }

    void require_version(const OnnxNode& node) const
    {
        const NodeOperator* const op = find_node_operator(node.op);
        if (op != nullptr && opset_of(node) < op->since) {
            throw bad_input(
                fmt::format("the operator is understood from operator set {} on", op->since));
        }
    }

    /// How many outputs have to be made: all up to the last one but the first that someone reads.
    /// Of a Split, whose parts are as many as its outputs, all.
    [[nodiscard]] std::size_t wanted_outputs(const OnnxNode& node) const
    {
        std::size_t wanted = node.outputs.size();
        while (node.op != "Split" && wanted > 1 &&
               (node.outputs[wanted - 1].empty() || !read_.contains(node.outputs[wanted - 1]))) {
            --wanted;
        }
        return wanted;
    }

    static void require_outputs(const OnnxNode& node, std::size_t made, std::size_t wanted)
    {
        if (made < wanted) {
            throw bad_input(fmt::format("output '{}' is not computed, only the first {}",
                                        node.outputs[wanted - 1],
                                        made == 1 ? "is" : fmt::format("{} are", made)));
        }
    }

    /// An input of a node: a value, in which integers may stand only where the operator moves them,
    /// or takes numbers by them.
    ValueId input_of(const OnnxNode& node, std::size_t number)
    {
        const ValueId id = value_of(node.inputs[number]);
        const bool indices = node.op == "Gather" && number == 1;
        const bool may_be = indices || node.op == "Cast" ||
                            std::ranges::find(moves_integers, node.op) != moves_integers.end();
        if (is_integer_value(id) && !may_be) {
            throw bad_input(fmt::format("input '{}' is of integers, real numbers are understood",
                                        node.inputs[number]));
        }
        if (indices && !is_integer_value(id)) {
            throw bad_input(fmt::format("input '{}' is not of integers", node.inputs[number]));
        }
        return id;
    }

    /// Any other node: looks it up in the table, turns parameters into attributes, works out its
    /// outputs' shapes, and appends it.
    void add_node(const OnnxNode& from)
    {
        const NodeOperator* const op = find_node_operator(from.op);
        if (op == nullptr || !op->onnx) {
            throw bad_input("the operator is not understood");
        }
        require_version(from);
        Node node{name_of(from), from.op, {}, {}, from.attributes};
        node.attributes.erase("consumed_inputs"); // of operator sets before 6, which say nothing
        if (node.op == "Cast") {
            node.attributes.set("to", static_cast<std::int64_t>(OnnxType::fp32)); // as all are here
        }
        for (std::size_t i = 0; i < from.inputs.size(); ++i) {
            const std::string& name = from.inputs[i];
            const auto parameter =
                std::ranges::find(op->parameters, i, &NodeOperator::Parameter::input);
            const bool is_parameter = parameter != op->parameters.end();
            if (const Array* const array = is_parameter ? array_of(name) : nullptr) {
                node.attributes.set(parameter->attribute, *array);
            } else if (!is_parameter || (parameter->may_vary && !name.empty())) {
                node.inputs.push_back(name.empty() ? no_value : input_of(from, i));
            } else if (!name.empty()) {
                throw bad_input(
                    fmt::format("input '{}' ({}) is not constant", name, parameter->attribute));
            }
        }
        // Optional inputs at the end that are not given.
        while (!node.inputs.empty() && node.inputs.back() == no_value) {
            node.inputs.pop_back();
        }
        const std::size_t wanted = wanted_outputs(from);
        node.outputs.resize(wanted, no_value);
        const std::vector<Shape> shapes = inferred_shapes(graph_, node);
        require_outputs(from, shapes.size(), wanted);
        const bool integers =
            from.op != "Cast" && !node.inputs.empty() && is_integer_value(node.inputs.front());
        for (std::size_t i = 0; i < wanted; ++i) {
            // The first is made even if nobody wants it.
            if (i == 0 || !from.outputs[i].empty()) {
                const std::string name =
                    from.outputs[i].empty() ? name_of(from) + ".unread" : from.outputs[i];
                node.outputs[i] = graph_.add_value(name, shapes[i]);
                graph_.values.back().is_integer = integers;
                make(from.outputs[i], node.outputs[i]);
            }
        }
        graph_.nodes.push_back(std::move(node));
    }

    /// An output of the network keeps its name: where what it stands for has another one, or is an
    /// output under another name already, an Identity makes it.
    void add_output(const std::string& name)
    {
        if (!outputs_.insert(name).second) {
            throw bad_input("it is named twice");
        }
        if (!known_.contains(name) && !file_.refused.contains(name)) {
            throw bad_input("no node makes it");
        }
        ValueId id = value_of(name);
        if (graph_.value(id).name != name) {
            const bool integers = is_integer_value(id);
            const ValueId same = graph_.add_value(name, graph_.value(id).shape);
            graph_.values.back().is_integer = integers;
            graph_.nodes.push_back({name, "Identity", {id}, {same}, {}});
            id = same;
        }
        graph_.outputs.push_back(id);
    }

    const OnnxFile& file_;
    const OnnxOptions& options_;
    Graph graph_;
    std::map<std::string, Known> known_;
    std::map<std::string, ValueId> constants_; ///< those that are values as well
    std::set<std::string> read_;               ///< what nodes read, and outputs
    std::set<std::string> outputs_;
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
