#include "networks/onnx/rewrite_node.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace texelscope::networks {
namespace {

/// Collects the nodes that stand for one. Values between them are named after its first output.
class Parts {
public:
    explicit Parts(const OnnxNode& node) : node_(node) {}

    /// Adds a node, and returns the name of what it makes: `output`, or else a name for that part.
    std::string add(const std::string& op, std::vector<std::string> inputs,
                    Attributes attributes = {}, std::string output = {})
    {
        const std::string& whole = node_.outputs.front();
        if (output.empty()) {
            output = fmt::format("{}.{}{}", whole, op, nodes_.size());
        }
        nodes_.push_back({.name = node_.name.empty() || output == whole
                                      ? node_.name
                                      : fmt::format("{}.{}{}", node_.name, op, nodes_.size()),
                          .op = op,
                          .domain = {},
                          .inputs = std::move(inputs),
                          .outputs = {output},
                          .attributes = std::move(attributes)});
        return output;
    }
    /// The node itself, with these inputs and attributes.
    std::vector<OnnxNode> ending_with(std::vector<std::string> inputs, Attributes attributes,
                                      const std::string& op)
    {
        OnnxNode last = node_;
        last.op = op;
        last.inputs = std::move(inputs);
        last.attributes = std::move(attributes);
        nodes_.push_back(std::move(last));
        return std::move(nodes_);
    }
    std::vector<OnnxNode> nodes() && { return std::move(nodes_); }

private:
    const OnnxNode& node_;
    std::vector<OnnxNode> nodes_;
};

using Rewritten = std::optional<std::vector<OnnxNode>>;

Attributes without(const Attributes& attributes, std::initializer_list<const char*> names)
{
    Attributes rest;
    for (const auto& [name, value] : attributes.all()) {
        if (std::ranges::find(names, name) == names.end()) {
            rest.set(name, value);
        }
    }
    return rest;
}

Attributes with_shape(Shape shape)
{
    Attributes attributes;
    if (std::ranges::count(shape, 0) > 0) { // which would copy extents
        attributes.set("allowzero", std::int64_t{1});
    }
    attributes.set("shape", std::move(shape));
    return attributes;
}

Attributes cast_to(OnnxType type)
{
    Attributes attributes;
    attributes.set("to", static_cast<std::int64_t>(type));
    return attributes;
}

const std::string& input(const OnnxNode& node, std::size_t number)
{
    static const std::string none;
    return number < node.inputs.size() ? node.inputs[number] : none;
}

void require_inputs(const OnnxNode& node, std::size_t least, std::size_t most)
{
    if (node.inputs.size() < least || node.inputs.size() > most) {
        throw bad_input(fmt::format("{} inputs are given", node.inputs.size()));
    }
    for (std::size_t i = 0; i < least; ++i) {
        if (node.inputs[i].empty()) {
            throw bad_input(fmt::format("input {} is missing", i + 1));
        }
    }
}

/// Before version 7: without the attribute broadcast both shapes are the same; with it the second
/// stands at the dimensions of the first from `axis` on, or at the last ones.
Rewritten old_broadcast(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 2);
    const Shape a = in.shape(node.inputs[0]);
    const Shape b = in.shape(node.inputs[1]);
    if (node.attributes.integer("broadcast", 0) == 0) {
        if (a != b) {
            throw bad_input(fmt::format("{} and {} are not the same, and broadcast is not set",
                                        to_string(a), to_string(b)));
        }
        return std::nullopt;
    }
    const std::size_t axis = node.attributes.has("axis") && !a.empty()
                                 ? axis_in(node.attributes.integer("axis", 0), a.size())
                                 : a.size() - std::min(a.size(), b.size());
    Shape shape = b;
    if (axis + b.size() > a.size()) {
        throw bad_input(fmt::format("{} does not stand in {} from axis {} on", to_string(b),
                                    to_string(a), axis));
    }
    shape.resize(a.size() - axis, 1); // last dimensions, as broadcasting is now
    if (broadcast_shape(a, shape) != a) {
        throw bad_input(fmt::format("{} does not broadcast to {}", to_string(b), to_string(a)));
    }
    Parts parts(node);
    const std::string second =
        shape == b ? node.inputs[1] : parts.add("Reshape", {node.inputs[1]}, with_shape(shape));
    return parts.ending_with({node.inputs[0], second},
                             without(node.attributes, {"broadcast", "axis"}), node.op);
}

/// Before version 8 these had no broadcasting.
Rewritten old_fold(const OnnxNode& node, const NodeSurroundings& in)
{
    for (const std::string& each : node.inputs) {
        if (in.shape(each) != in.shape(node.inputs.front())) {
            throw bad_input(fmt::format("{} and {} are not the same",
                                        to_string(in.shape(node.inputs.front())),
                                        to_string(in.shape(each))));
        }
    }
    return std::nullopt;
}

/// Before version 7 slopes were one number for each channel.
Rewritten old_prelu(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 2);
    const Shape x = in.shape(node.inputs[0]);
    Shape slope = in.shape(node.inputs[1]);
    if (x.size() < 3 || slope.size() != 1 || slope[0] == 1) {
        return std::nullopt;
    }
    slope.resize(x.size() - 1, 1);
    Parts parts(node);
    const std::string reshaped = parts.add("Reshape", {node.inputs[1]}, with_shape(slope));
    return parts.ending_with({node.inputs[0], reshaped}, node.attributes, node.op);
}

/// Before version 7 an attribute said that a network is not trained.
Rewritten old_training(const OnnxNode& node, const NodeSurroundings&)
{
    if (node.attributes.integer("is_test", 0) == 0) {
        throw bad_input("it trains (is_test is 0)");
    }
    return Parts(node).ending_with(
        node.inputs, without(node.attributes, {"is_test", "consumed_inputs"}), node.op);
}

Rewritten old_concat(const OnnxNode& node, const NodeSurroundings&)
{
    if (node.attributes.has("axis")) {
        return std::nullopt;
    }
    Attributes attributes = node.attributes;
    attributes.set("axis", std::int64_t{1});
    return Parts(node).ending_with(node.inputs, std::move(attributes), node.op);
}

Rewritten old_pad(const OnnxNode& node, const NodeSurroundings&)
{
    Attributes attributes = without(node.attributes, {"paddings"});
    attributes.set("pads", node.attributes.integers("paddings"));
    return Parts(node).ending_with(node.inputs, std::move(attributes), node.op);
}

/// Before version 6 the type was a word.
Rewritten old_cast(const OnnxNode& node, const NodeSurroundings&)
{
    static const std::map<std::string, OnnxType> types{
        {"FLOAT", OnnxType::fp32},    {"FLOAT16", OnnxType::fp16},  {"DOUBLE", OnnxType::fp64},
        {"INT8", OnnxType::int8},     {"UINT8", OnnxType::uint8},   {"INT16", OnnxType::int16},
        {"UINT16", OnnxType::uint16}, {"INT32", OnnxType::int32},   {"UINT32", OnnxType::uint32},
        {"INT64", OnnxType::int64},   {"UINT64", OnnxType::uint64}, {"BOOL", OnnxType::boolean}};
    const std::string word = node.attributes.word("to", "");
    const auto found = types.find(word);
    if (found == types.end()) {
        throw bad_input("numbers become '" + word + "'");
    }
    return Parts(node).ending_with(node.inputs, cast_to(found->second), node.op);
}

/// The defaults had fewer digits.
Rewritten old_selu(const OnnxNode& node, const NodeSurroundings&)
{
    constexpr double alpha = 1.6732, gamma = 1.0507;
    Attributes attributes;
    attributes.set("alpha", node.attributes.real("alpha", alpha));
    attributes.set("gamma", node.attributes.real("gamma", gamma));
    return Parts(node).ending_with(node.inputs, std::move(attributes), node.op);
}

Rewritten old_gemm(const OnnxNode& node, const NodeSurroundings&)
{
    return Parts(node).ending_with(node.inputs, without(node.attributes, {"broadcast"}), node.op);
}

/// Before version 13 a softmax took the axis, by default 1, and all dimensions behind it as one. Of
/// these only one may have several places; else a Reshape makes one of them.
Rewritten flat_softmax(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 1, 1);
    const Shape shape = in.shape(node.inputs[0]);
    const std::int64_t given = node.attributes.integer("axis", 1);
    // ONNX allows the axis behind the last one: each number is a softmax of its own.
    const std::size_t axis =
        given == std::ssize(shape) ? shape.size() : axis_in(given, shape.size());
    std::size_t several = shape.size();
    std::size_t count = 0;
    for (std::size_t d = axis; d < shape.size(); ++d) {
        if (shape[d] != 1) {
            several = d;
            ++count;
        }
    }
    Parts parts(node);
    Attributes attributes = node.attributes;
    if (count == 1 || (count == 0 && axis < shape.size())) {
        attributes.set("axis", static_cast<std::int64_t>(count == 1 ? several : axis));
        return parts.ending_with(node.inputs, std::move(attributes), node.op);
    }
    attributes.set("axis", std::int64_t{1});
    const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const std::string matrix = parts.add(
        "Reshape", {node.inputs[0]},
        with_shape({element_count({shape.begin(), middle}), element_count({middle, shape.end()})}));
    const std::string made = parts.add(node.op, {matrix}, std::move(attributes));
    return parts.ending_with({made}, with_shape(shape), "Reshape");
}

/// Resize as Upsample, and version 10 of Resize, had it: output o is made of place o / scale, where
/// the nearest is the one before, or the one behind where the output is smaller.
Rewritten old_resize(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 1, 2);
    std::vector<double> scales = node.attributes.reals("scales");
    if (node.attributes.has("height_scale")) { // Upsample-1
        scales = {1, 1, node.attributes.real("height_scale", 1),
                  node.attributes.real("width_scale", 1)};
    }
    if (node.inputs.size() == 2) {
        const Array* const array = in.constant(node.inputs[1]);
        if (array == nullptr || array->is_integer()) {
            throw bad_input("its scales ('" + node.inputs[1] + "') are not constant");
        }
        scales.assign(array->reals().begin(), array->reals().end());
    }
    const std::string mode = node.attributes.word("mode", "nearest");
    Parts parts(node);
    std::string from = node.inputs[0];
    // Those that grow, then those that shrink.
    for (const bool grows : {true, false}) {
        std::vector<double> some(scales.size(), 1);
        for (std::size_t d = 0; d < scales.size(); ++d) {
            some[d] = (scales[d] >= 1) == grows ? scales[d] : 1;
        }
        if (!grows && std::ranges::all_of(some, [](double scale) { return scale == 1; })) {
            break;
        }
        Attributes attributes;
        attributes.set("scales",
                       Array{{std::ssize(some)}, std::vector<float>(some.begin(), some.end())});
        attributes.set("mode", mode == "bilinear" ? std::string("linear") : mode);
        attributes.set("coordinate_transformation_mode", std::string("asymmetric"));
        attributes.set("nearest_mode", std::string(grows ? "floor" : "ceil"));
        from = parts.add("Resize", {from}, std::move(attributes));
    }
    std::vector<OnnxNode> nodes = std::move(parts).nodes();
    nodes.back().name = node.name;
    nodes.back().outputs = node.outputs;
    return nodes;
}

Rewritten cast_like(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 2);
    const Array* const like = in.constant(node.inputs[1]);
    if (like != nullptr && like->is_integer()) {
        throw bad_input("it makes integers");
    }
    return Parts(node).ending_with({node.inputs[0]}, cast_to(OnnxType::fp32), "Cast");
}

/// An exponent may be of integers.
Rewritten pow(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 2);
    const Array* const base = in.constant(node.inputs[0]);
    const Array* const exponent = in.constant(node.inputs[1]);
    if (exponent == nullptr || !exponent->is_integer() || (base != nullptr && base->is_integer())) {
        return std::nullopt;
    }
    Parts parts(node);
    const std::string real = parts.add("Cast", {node.inputs[1]}, cast_to(OnnxType::fp32));
    return parts.ending_with({node.inputs[0], real}, node.attributes, node.op);
}

/// A scale or zero point, as broadcasts to the tensor: one number, or one for each place of an
/// axis.
std::string along_axis(Parts& parts, const std::string& name, const OnnxNode& node,
                       const NodeSurroundings& in)
{
    Shape shape = in.shape(name);
    const Shape x = in.shape(node.inputs[0]);
    if (element_count(shape) == 1 && shape.size() <= 1) {
        return name;
    }
    const std::size_t axis = axis_in(node.attributes.integer("axis", 1), x.size());
    if (shape != Shape{x[axis]} || node.attributes.integer("block_size", 0) != 0) {
        throw bad_input(
            fmt::format("scales or zero points of {} are not one number, or one for each "
                        "place of axis {} of {}",
                        to_string(shape), axis, to_string(x)));
    }
    shape.resize(x.size() - axis, 1);
    return shape.size() == 1 ? name : parts.add("Reshape", {name}, with_shape(shape));
}

/// The type of a zero point; uint8 where there is none.
IntegerType quantized_type(const OnnxNode& node, const NodeSurroundings& in)
{
    const std::string& zero = input(node, 2);
    const auto dtype = static_cast<OnnxType>(node.attributes.integer("output_dtype", 0));
    IntegerType type = integer_type(OnnxType::uint8);
    if (dtype != OnnxType::none) {
        if (!is_integer(dtype)) {
            throw bad_input("numbers become " + onnx_type_name(static_cast<std::int32_t>(dtype)));
        }
        type = integer_type(dtype);
    }
    if (!zero.empty()) {
        const Array* const array = in.constant(zero);
        if (array == nullptr || !array->is_integer()) {
            throw bad_input("its zero point ('" + zero + "') is no constant of integers");
        }
        type = array->type;
    }
    return type;
}

/// y = clamp(round(x / scale) + zero point), in fp32. Numbers stay in fp32, as whole ones.
Rewritten quantize(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 3);
    const auto precision = static_cast<OnnxType>(node.attributes.integer("precision", 0));
    if (precision != OnnxType::none && precision != OnnxType::fp32) {
        throw bad_input("it divides in " + onnx_type_name(static_cast<std::int32_t>(precision)));
    }
    Parts parts(node);
    const auto [least, most] = range_of(quantized_type(node, in));
    const std::string scale = along_axis(parts, node.inputs[1], node, in);
    std::string y = parts.add("Round", {parts.add("Div", {node.inputs[0], scale})});
    if (const std::string& zero = input(node, 2); !zero.empty()) {
        const std::string along = along_axis(parts, zero, node, in);
        y = parts.add("Add", {y, parts.add("Cast", {along}, cast_to(OnnxType::fp32))});
    }
    Attributes bounds;
    bounds.set("min", static_cast<double>(least));
    bounds.set("max", static_cast<double>(most));
    return parts.ending_with({y}, std::move(bounds), "Clip");
}

/// y = (x - zero point) scale, in fp32.
Rewritten dequantize(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 3);
    Parts parts(node);
    std::string y = parts.add("Cast", {node.inputs[0]}, cast_to(OnnxType::fp32));
    const std::string scale = along_axis(parts, node.inputs[1], node, in);
    if (const std::string& zero = input(node, 2); !zero.empty()) {
        const std::string along = along_axis(parts, zero, node, in);
        y = parts.add("Sub", {y, parts.add("Cast", {along}, cast_to(OnnxType::fp32))});
    }
    return parts.ending_with({y, scale}, {}, "Mul");
}

/// Parts of which some have no name: a Slice for each of the others.
Rewritten split(const OnnxNode& node, const NodeSurroundings& in)
{
    if (std::ranges::count(node.outputs, std::string()) == 0) {
        return std::nullopt;
    }
    require_inputs(node, 1, 2);
    const Shape shape = in.shape(node.inputs[0]);
    const std::size_t axis = axis_in(node.attributes.integer("axis", 0), shape.size());
    std::vector<std::int64_t> parts = node.attributes.integers("split");
    if (!input(node, 1).empty()) {
        const Array* const given = in.constant(node.inputs[1]);
        if (given == nullptr || !given->is_integer()) {
            throw bad_input("its split ('" + node.inputs[1] + "') are not constant");
        }
        parts = given->integers();
    }
    if (parts.empty()) { // alike, rounded up
        const std::int64_t count = std::ssize(node.outputs);
        parts.assign(node.outputs.size(), (shape[axis] + count - 1) / count);
        parts.back() = shape[axis] - parts.front() * (count - 1);
    }
    std::int64_t start = 0;
    Parts slices(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const std::int64_t extent = i < parts.size() ? parts[i] : -1;
        if (parts.size() != node.outputs.size() || extent < 0 || extent > shape[axis] - start ||
            (i + 1 == parts.size() && start + extent != shape[axis])) {
            throw bad_input(fmt::format("{} is not split into these {} parts along axis {}",
                                        to_string(shape), node.outputs.size(), axis));
        }
        if (!node.outputs[i].empty()) {
            Attributes attributes;
            attributes.set("axes", std::vector{static_cast<std::int64_t>(axis)});
            attributes.set("starts", std::vector{start});
            attributes.set("ends", std::vector{start + extent});
            slices.add("Slice", {node.inputs[0]}, std::move(attributes), node.outputs[i]);
        }
        start += extent;
    }
    std::vector<OnnxNode> nodes = std::move(slices).nodes();
    for (OnnxNode& each : nodes) {
        each.name = node.name.empty() ? "" : node.name + "." + each.outputs.front();
    }
    return nodes;
}

/// Copies side by side: each dimension that is repeated gets one of copies in front of it.
Rewritten tile(const OnnxNode& node, const NodeSurroundings& in)
{
    require_inputs(node, 2, 2);
    const Shape shape = in.shape(node.inputs[0]);
    const Array* const given = in.constant(node.inputs[1]);
    if (given == nullptr || !given->is_integer()) {
        throw bad_input("its repeats ('" + node.inputs[1] + "') are not constant");
    }
    const std::vector<std::int64_t>& repeats = given->integers();
    constexpr std::int64_t most = std::int64_t{1} << 31;
    if (repeats.size() != shape.size() || std::ranges::any_of(repeats, [](std::int64_t count) {
            return count < 0 || count > most;
        })) {
        throw bad_input(fmt::format("{} is not repeated {} times", to_string(shape),
                                    to_string(Shape(repeats))));
    }
    Shape apart, copied, whole;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (repeats[d] != 1) {
            apart.push_back(1);
            copied.push_back(repeats[d]);
        }
        apart.push_back(shape[d]);
        copied.push_back(shape[d]);
        whole.push_back(repeats[d] * shape[d]);
    }
    Parts parts(node);
    Attributes copies;
    copies.set("shape", std::move(copied));
    const std::string x = parts.add("Reshape", {node.inputs[0]}, with_shape(std::move(apart)));
    const std::string y = parts.add("Expand", {x}, std::move(copies));
    return parts.ending_with({y}, with_shape(std::move(whole)), "Reshape");
}

/// A row for each operator that is rewritten: up to which operator set, and how.
struct RewriteRow {
    const char* op;
    std::int64_t until; ///< 0: always
    Rewritten (*rewrite)(const OnnxNode&, const NodeSurroundings&);
};

constexpr std::array rewrite_rows{
    RewriteRow{"Add", 6, old_broadcast},
    RewriteRow{"Sub", 6, old_broadcast},
    RewriteRow{"Mul", 6, old_broadcast},
    RewriteRow{"Div", 6, old_broadcast},
    RewriteRow{"Pow", 6, old_broadcast},
    RewriteRow{"Max", 7, old_fold},
    RewriteRow{"Min", 7, old_fold},
    RewriteRow{"Sum", 7, old_fold},
    RewriteRow{"Mean", 7, old_fold},
    RewriteRow{"PRelu", 6, old_prelu},
    RewriteRow{"BatchNormalization", 6, old_training},
    RewriteRow{"Dropout", 6, old_training},
    RewriteRow{"Concat", 3, old_concat},
    RewriteRow{"Pad", 1, old_pad},
    RewriteRow{"Cast", 5, old_cast},
    RewriteRow{"Selu", 5, old_selu},
    RewriteRow{"Gemm", 6, old_gemm},
    RewriteRow{"Softmax", 12, flat_softmax},
    RewriteRow{"LogSoftmax", 12, flat_softmax},
    RewriteRow{"Upsample", 0, old_resize},
    RewriteRow{"Resize", 10, old_resize},
    RewriteRow{"CastLike", 0, cast_like},
    RewriteRow{"Pow", 0, pow},
    RewriteRow{"QuantizeLinear", 0, quantize},
    RewriteRow{"DequantizeLinear", 0, dequantize},
    RewriteRow{"Split", 0, split},
    RewriteRow{"Tile", 0, tile},
};

} // namespace

std::optional<std::vector<OnnxNode>> rewritten(const OnnxNode& node, const NodeSurroundings& in)
{
    for (const RewriteRow& row : rewrite_rows) {
        if (node.op == row.op && (row.until == 0 || in.opset <= row.until)) {
            return row.rewrite(node, in);
        }
    }
    return std::nullopt;
}

} // namespace texelscope::networks
