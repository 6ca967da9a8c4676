#include "networks/onnx/fold_constants.hpp"

#include "base/error.hpp"
#include "networks/onnx/onnx_tensor.hpp"
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

/// Operators whose reference gives the right integers, of any type.
constexpr std::array<std::string_view, 14> that_move{
    "Identity", "Max",     "Min",    "Clip",      "Concat", "Gather",  "Slice",
    "Squeeze",  "Reshape", "Expand", "Unsqueeze", "Pad",    "Flatten", "Transpose"};
/// The same, where results do not wrap around. A quotient is cut toward zero, as integer division
/// is in ONNX.
constexpr std::array<std::string_view, 8> that_count{"Add", "Sub", "Mul", "Div",
                                                     "Neg", "Abs", "Pow", "ReduceProd"};

/// Functions of two numbers that networks do not have, but programs on shapes do.
struct ShapeFunction {
    std::string_view op;
    bool tells = true; ///< its results are true or false
    double (*of)(double, double, bool fmod) = nullptr;
};

/// By ONNX's Mod: of the sign of the divisor, or, where fmod is set, of the dividend.
double modulo(double a, double b, bool fmod)
{
    const double rest = std::fmod(a, b);
    return !fmod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

constexpr std::array shape_functions{
    ShapeFunction{"Equal", true, [](double a, double b, bool) { return a == b ? 1.0 : 0.0; }},
    ShapeFunction{"Less", true, [](double a, double b, bool) { return a < b ? 1.0 : 0.0; }},
    ShapeFunction{"LessOrEqual", true, [](double a, double b, bool) { return a <= b ? 1.0 : 0.0; }},
    ShapeFunction{"Greater", true, [](double a, double b, bool) { return a > b ? 1.0 : 0.0; }},
    ShapeFunction{"GreaterOrEqual", true,
                  [](double a, double b, bool) { return a >= b ? 1.0 : 0.0; }},
    ShapeFunction{"And", true, [](double a, double b, bool) { return a * b; }},
    ShapeFunction{"Or", true, [](double a, double b, bool) { return std::max(a, b); }},
    ShapeFunction{"Xor", true, [](double a, double b, bool) { return a == b ? 0.0 : 1.0; }},
    ShapeFunction{"Mod", false, modulo},
};

const ShapeFunction* shape_function(std::string_view op)
{
    const auto* const found = std::ranges::find(shape_functions, op, &ShapeFunction::op);
    return found == shape_functions.end() ? nullptr : found;
}

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

Array integers_of(const Reals& reals, const IntegerType& type)
{
    Array array{reals.shape, {}, type};
    std::vector<std::int64_t> integers;
    const auto [least, largest] = range_of(type);
    for (const double number : reals.values) {
        // 0 / 0; any other quotient by zero is infinite, and is clamped.
        if (std::isnan(number)) {
            throw bad_input("integers are divided by zero");
        }
        integers.push_back(static_cast<std::int64_t>(std::clamp(std::trunc(number), -most, most)));
        if (integers.back() < least || integers.back() > largest) {
            throw bad_input(fmt::format("{} is beyond {}", integers.back(), type_name(type)));
        }
    }
    array.values = std::move(integers);
    return array;
}

Array floats_of(const Reals& reals)
{
    return {reals.shape, std::vector<float>(reals.values.begin(), reals.values.end())};
}

Array cast(const Array& array, OnnxType to)
{
    Reals reals = reals_of(array);
    if (is_real(to)) {
        Array made = floats_of(reals);
        std::vector<float> numbers = made.reals();
        std::ranges::transform(numbers, numbers.begin(),
                               [&](float number) { return rounded_to(to, number); });
        made.values = std::move(numbers);
        return made;
    }
    if (to == OnnxType::boolean) {
        std::ranges::transform(reals.values, reals.values.begin(),
                               [](double number) { return number != 0 ? 1.0 : 0.0; });
        return integers_of(reals, integer_type(to));
    }
    if (!is_integer(to)) {
        throw bad_input("constants become " + onnx_type_name(static_cast<std::int32_t>(to)));
    }
    return integers_of(reals, integer_type(to));
}

/// Calls visit(places) for each element of the shape that all inputs broadcast to, with the place
/// of the element in each of them. Returns that shape.
template <class Visit>
Shape for_each_place(const std::vector<const Array*>& inputs, const Visit& visit)
{
    Shape shape;
    for (const Array* each : inputs) {
        shape = broadcast_shape(shape, each->shape);
    }
    const Shape strides = row_major_strides(shape);
    const std::int64_t count = element_count(shape);
    for (std::int64_t at = 0; at < count; ++at) {
        std::vector<std::size_t> places;
        for (const Array* each : inputs) {
            const Shape own = row_major_strides(each->shape);
            std::int64_t place = 0;
            for (std::size_t d = 0; d < own.size(); ++d) {
                const std::size_t there = shape.size() - own.size() + d;
                place += each->shape[d] == 1 ? 0 : at / strides[there] % shape[there] * own[d];
            }
            places.push_back(static_cast<std::size_t>(place));
        }
        visit(places);
    }
    return shape;
}

void require_inputs(const std::vector<const Array*>& inputs, std::size_t count)
{
    if (inputs.size() != count || std::ranges::count(inputs, nullptr) > 0) {
        throw bad_input(fmt::format("it takes {} inputs", count));
    }
}

/// Throws bad_input for more than 2^20 numbers: a file of a few bytes could ask for them.
void check_count(std::int64_t count)
{
    constexpr std::int64_t enough = 1 << 20; // shapes and indices are short
    if (count > enough) {
        throw bad_input(fmt::format("{} numbers are too many", count));
    }
}

Array folded_by(const ShapeFunction& function, const Attributes& attributes,
                const std::vector<const Array*>& inputs)
{
    require_inputs(inputs, 2);
    const Reals a = reals_of(*inputs[0]), b = reals_of(*inputs[1]);
    check_count(element_count(broadcast_shape(a.shape, b.shape)));
    const bool fmod = attributes.integer("fmod", 0) != 0;
    Reals made;
    made.shape = for_each_place(inputs, [&](const std::vector<std::size_t>& places) {
        made.values.push_back(function.of(a.values[places[0]], b.values[places[1]], fmod));
    });
    if (function.tells) {
        return integers_of(made, integer_type(OnnxType::boolean));
    }
    return inputs[0]->is_integer() ? integers_of(made, inputs[0]->type) : floats_of(made);
}

/// Of the second and third input, by the first.
Array chosen(const std::vector<const Array*>& inputs)
{
    require_inputs(inputs, 3);
    if (!inputs[0]->is_integer() || inputs[1]->is_integer() != inputs[2]->is_integer()) {
        throw bad_input("its inputs do not fit each other");
    }
    const Reals a = reals_of(*inputs[1]), b = reals_of(*inputs[2]);
    check_count(
        element_count(broadcast_shape(inputs[0]->shape, broadcast_shape(a.shape, b.shape))));
    Reals made;
    made.shape = for_each_place(inputs, [&](const std::vector<std::size_t>& places) {
        made.values.push_back(inputs[0]->integers()[places[0]] != 0 ? a.values[places[1]]
                                                                    : b.values[places[2]]);
    });
    return inputs[1]->is_integer() ? integers_of(made, inputs[1]->type) : floats_of(made);
}

/// From the first number on, by the third, as long as it is before the second.
Array range(const std::vector<const Array*>& inputs)
{
    require_inputs(inputs, 3);
    std::vector<double> given;
    for (const Array* each : inputs) {
        const Reals numbers = reals_of(*each);
        if (numbers.values.size() != 1) {
            throw bad_input("it takes single numbers");
        }
        given.push_back(numbers.values.front());
    }
    const double count = std::ceil((given[1] - given[0]) / given[2]);
    if (!std::isfinite(count)) {
        throw bad_input("it has no end");
    }
    constexpr double too_many = 1e9;
    check_count(static_cast<std::int64_t>(std::clamp(count, 0.0, too_many)));
    Reals made;
    for (double i = 0; i < count; ++i) {
        made.values.push_back(given[0] + i * given[2]);
    }
    made.shape = {std::ssize(made.values)};
    return inputs[0]->is_integer() ? integers_of(made, inputs[0]->type) : floats_of(made);
}

bool is_one_of(const auto& list, std::string_view op)
{
    return std::ranges::find(list, op) != list.end();
}

/// By the operator's reference.
std::vector<Array> by_reference(const NodeOperator& row, const Attributes& attributes,
                                const std::vector<const Array*>& inputs, std::size_t outputs)
{
    Node node{"", row.name, {}, std::vector<ValueId>(outputs, no_value), attributes};
    // Parameters of the operator become attributes, as read_onnx() does for other nodes; the rest
    // are its inputs.
    std::vector<Reals> reals;
    std::vector<bool> given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto parameter =
            std::ranges::find(row.parameters, i, &NodeOperator::Parameter::input);
        if (parameter == row.parameters.end()) {
            reals.push_back(inputs[i] == nullptr ? Reals{} : reals_of(*inputs[i]));
            given.push_back(inputs[i] != nullptr);
        } else if (inputs[i] != nullptr) {
            node.attributes.set(parameter->attribute, *inputs[i]);
        }
    }
    const std::size_t most_inputs = row.most < 16 ? row.most : reals.size();
    if (reals.size() < row.least || reals.size() > row.most ||
        std::ranges::count(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(row.least),
                           false) > 0) {
        throw bad_input(fmt::format("{} inputs are given", reals.size()));
    }
    NodeOperator::Shapes shapes(most_inputs, nullptr);
    NodeOperator::Operands operands(most_inputs, nullptr);
    for (std::size_t i = 0; i < reals.size(); ++i) {
        shapes[i] = given[i] ? &reals[i].shape : nullptr;
        operands[i] = given[i] ? &reals[i] : nullptr;
    }
    const bool integers = inputs.front()->is_integer();
    // Weights that are stored otherwise are not longer than they were.
    std::int64_t enough = 1 << 20;
    for (const Reals& each : reals) {
        enough = std::max<std::int64_t>(enough, std::ssize(each.values));
    }
    for (const Shape& shape : row.infer(node, shapes)) {
        if (integers) {
            check_count(element_count(shape));
        } else if (element_count(shape) > enough) {
            return {};
        }
    }
    std::vector<Array> made;
    for (const Reals& each : row.reference(node, operands)) {
        made.push_back(integers ? integers_of(each, inputs.front()->type) : floats_of(each));
    }
    return made;
}

} // namespace

bool is_folded(const std::string& op, const std::vector<const Array*>& inputs)
{
    if (inputs.empty() || inputs.front() == nullptr) {
        return false;
    }
    const NodeOperator* const row = find_node_operator(op);
    return inputs.front()->is_integer() || op == "Cast" || op == "Range" ||
           shape_function(op) != nullptr || (row != nullptr && row->onnx && !row->multiply_adds);
}

std::vector<Array> fold_constants(const std::string& op, const Attributes& attributes,
                                  const std::vector<const Array*>& inputs, std::size_t outputs)
{
    if (op == "Cast") {
        return {cast(*inputs.front(), static_cast<OnnxType>(attributes.integer("to", 0)))};
    }
    if (op == "Where") {
        return {chosen(inputs)};
    }
    if (op == "Range") {
        return {range(inputs)};
    }
    if (op == "Not") {
        const Array no{{}, std::vector<std::int64_t>{1}};
        return {folded_by(*shape_function("Xor"), attributes, {inputs.front(), &no})};
    }
    if (const ShapeFunction* const function = shape_function(op)) {
        return {folded_by(*function, attributes, inputs)};
    }
    const NodeOperator* const row = find_node_operator(op);
    if (row == nullptr) {
        throw bad_input("the operator is not understood");
    }
    if (inputs.front()->is_integer() && !is_one_of(that_move, op)) {
        const IntegerType& type = inputs.front()->type;
        if (!is_one_of(that_count, op) || !type.is_signed || type.bits < 32) {
            throw bad_input("it is not understood of " + type_name(type));
        }
    }
    return by_reference(*row, attributes, inputs, outputs);
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
    if (value.shape.size() > 1 || element_count(value.shape) != 1) {
        throw bad_input("its value is not one number");
    }
    if (value.is_integer()) {
        return {shape, std::vector<std::int64_t>(size, value.integers().at(0)), value.type};
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
