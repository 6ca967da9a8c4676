#include "networks/onnx/fold_integers.hpp"

#include "base/error.hpp"
#include "networks/onnx/onnx_file.hpp"
#include "networks/operators/node_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace texelscope::networks {
// Exporters write shapes as little programs: Shape, Gather, Concat and so on, whose result a
// Reshape takes. As shapes are known here when a file is read, these programs are run then, by the
// references of networks/operators in double precision.
namespace {

/// Operators whose reference gives the right integers. A quotient is cut toward zero, as integer
/// division is in ONNX.
constexpr std::array<std::string_view, 19> on_integers{
    "Add",     "Sub",      "Mul",     "Div",       "Max",       "Min",     "Neg",
    "Abs",     "Identity", "Concat",  "Gather",    "Slice",     "Squeeze", "Unsqueeze",
    "Reshape", "Expand",   "Flatten", "Transpose", "ReduceProd"};

constexpr double most = 9007199254740992; // 2^53, up to which doubles have every whole number

Reals reals_of(const Array& array)
{
    Reals reals{array.shape, {}};
    if (array.is_integer()) {
        // Files write the end of a slice as the largest integer of 64 bits, which a double cannot
        // hold.
        for (const std::int64_t number : array.integers()) {
            reals.values.push_back(std::clamp(static_cast<double>(number), -most, most));
        }
    } else {
        reals.values.assign(array.reals().begin(), array.reals().end());
    }
    return reals;
}

Array integers_of(const Reals& reals)
{
    std::vector<std::int64_t> integers;
    for (const double number : reals.values) {
        // 0 / 0; any other quotient by zero is infinite, and is clamped.
        if (std::isnan(number)) {
            throw bad_input("integers are divided by zero");
        }
        integers.push_back(static_cast<std::int64_t>(std::clamp(std::trunc(number), -most, most)));
    }
    return {reals.shape, std::move(integers)};
}

Array cast(const Array& array, std::int64_t to)
{
    const Reals reals = reals_of(array);
    switch (static_cast<OnnxType>(to)) {
    case OnnxType::fp32:
        return {array.shape, std::vector<float>(reals.values.begin(), reals.values.end())};
    case OnnxType::int64:
    case OnnxType::int32:
        return integers_of(reals);
    default:
        throw bad_input("constants become " + onnx_type_name(static_cast<std::int32_t>(to)));
    }
}

} // namespace

std::vector<Array> fold_integers(const std::string& op, const Attributes& attributes,
                                 const std::vector<const Array*>& inputs, std::size_t outputs)
{
    if (op == "Cast") {
        return {cast(*inputs.front(), attributes.integer("to", 0))};
    }
    const NodeOperator* const row = find_node_operator(op);
    if (row == nullptr || std::ranges::find(on_integers, op) == on_integers.end()) {
        throw bad_input("it is not understood of integers");
    }
    Node node{"", op, {}, std::vector<ValueId>(outputs, no_value), attributes};
    // Parameters of the operator become attributes, as read_onnx() does for other nodes; the rest
    // are its inputs.
    std::vector<Reals> reals;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto parameter =
            std::ranges::find(row->parameters, i, &NodeOperator::Parameter::input);
        if (inputs[i] == nullptr) {
            continue;
        }
        if (parameter != row->parameters.end()) {
            node.attributes.set(parameter->attribute, *inputs[i]);
        } else {
            reals.push_back(reals_of(*inputs[i]));
        }
    }
    if (reals.size() < row->least || reals.size() > row->most) {
        throw bad_input(fmt::format("{} inputs are given", reals.size()));
    }
    NodeOperator::Shapes shapes;
    NodeOperator::Operands operands;
    for (const Reals& each : reals) {
        shapes.push_back(&each.shape);
        operands.push_back(&each);
    }
    constexpr std::int64_t enough = 1 << 20; // shapes and indices are short
    std::vector<Array> made;
    for (const Shape& shape : row->infer(node, shapes)) {
        if (element_count(shape) > enough) {
            throw bad_input(fmt::format("{} integers are too many", element_count(shape)));
        }
    }
    for (const Reals& each : row->reference(node, operands)) {
        made.push_back(integers_of(each));
    }
    return made;
}

Array constant_of(const Attributes& attributes)
{
    for (const auto& [name, value] : attributes.all()) {
        if (name == "value" && std::holds_alternative<Array>(value)) {
            return std::get<Array>(value);
        }
        if (name == "value_int") {
            return {{}, std::vector{attributes.integer(name, 0)}};
        }
        if (name == "value_ints") {
            return attributes.integer_array(name);
        }
        if (name == "value_float" || name == "value_floats") {
            const std::vector<double> numbers = attributes.reals(name);
            Shape shape;
            if (name == "value_floats") {
                shape.push_back(static_cast<std::int64_t>(numbers.size()));
            }
            return {shape, std::vector<float>(numbers.begin(), numbers.end())};
        }
    }
    throw bad_input("it has no value that is understood");
}

Array filled(const Shape& shape, const Attributes& attributes)
{
    // A file of a few bytes may ask for any size.
    constexpr std::int64_t enough = std::int64_t{1} << 28;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0 || (extent > 0 && count > enough / extent)) {
            throw bad_input("its shape is none, or too large");
        }
        count *= extent;
    }
    const auto size = static_cast<std::size_t>(count);
    if (!attributes.has("value")) {
        return {shape, std::vector<float>(size, 0.0F)};
    }
    const Array value = constant_of(attributes);
    if (value.is_integer()) {
        return {shape, std::vector<std::int64_t>(size, value.integers().at(0))};
    }
    return {shape, std::vector<float>(size, value.reals().at(0))};
}

/// Negative places count from the end; what is beyond an end is cut (ONNX, Shape-15).
Array part_of_shape(const Shape& shape, const Attributes& attributes)
{
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto place = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t from = place(attributes.integer("start", 0));
    const std::int64_t to = std::max(from, place(attributes.integer("end", rank)));
    return {{to - from}, std::vector<std::int64_t>(shape.begin() + from, shape.begin() + to)};
}

} // namespace texelscope::networks
