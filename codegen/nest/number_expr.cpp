#include "codegen/nest/number_expr.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace texelscope::codegen {
namespace {

std::size_t operand_count(const NumberExpr::Node& node)
{
    using Kind = NumberExpr::Kind;
    switch (node.kind) {
    case Kind::constant:
    case Kind::value:
    case Kind::argument:
    case Kind::index:
    case Kind::index_is:
    case Kind::index_below:
    case Kind::components_below:
        return 0;
    case Kind::component:
    case Kind::part:
    case Kind::pick:
    case Kind::negate:
    case Kind::vector:
    case Kind::convert:
    case Kind::keep_first:
    case Kind::grouped:
        return 1;
    case Kind::call:
        return static_cast<std::size_t>(node.function().operands);
    case Kind::choose:
        return 3;
    default:
        return 2;
    }
}

/// The node with its operands renumbered. Operands that its kind does not use keep their value, so
/// that equal nodes compare equal.
void renumber(NumberExpr::Node& node, const std::vector<std::uint16_t>& at)
{
    for (std::size_t i = 0; i < operand_count(node); ++i) {
        node.operands[i] = at[node.operands[i]];
    }
}

} // namespace

NumberExpr::NumberExpr(double constant) : nodes_{Node{.constant = constant}} {}

NumberExpr::NumberExpr(NestValue value) : nodes_{Node{.kind = Kind::value, .which = value.number}}
{}

NumberExpr NumberExpr::exact(double constant)
{
    NumberExpr expression(constant);
    expression.nodes_.back().detail = 1;
    return expression;
}

NumberExpr NumberExpr::argument(int number)
{
    NumberExpr expression;
    expression.nodes_.push_back({.kind = Kind::argument, .which = number});
    return expression;
}

NumberExpr NumberExpr::of_condition(Kind kind, const IndexExpr& index, std::int64_t which)
{
    NumberExpr expression;
    const std::int32_t at = expression.add(index);
    expression.nodes_.push_back(
        {.kind = kind, .which = static_cast<std::int32_t>(which), .index = at});
    return expression;
}

NumberExpr NumberExpr::of_index(IndexExpr index)
{
    return of_condition(Kind::index, index, 0);
}

NumberExpr NumberExpr::index_is(IndexExpr index, std::int64_t number)
{
    return of_condition(Kind::index_is, index, number);
}

NumberExpr NumberExpr::index_below(IndexExpr index, std::int64_t bound)
{
    return of_condition(Kind::index_below, index, bound);
}

NumberExpr NumberExpr::components_below(IndexExpr bound)
{
    return of_condition(Kind::components_below, bound, 0);
}

NumberExpr NumberExpr::pick(IndexExpr component) const
{
    NumberExpr result = of_one(Kind::pick, 0, 0);
    result.nodes_.back().index = result.add(component);
    return result;
}

/// The number of a node. It is added only if no equal node is there, so that no two nodes are
/// equal.
std::uint16_t NumberExpr::add(const Node& node)
{
    const auto found = std::find(nodes_.begin(), nodes_.end(), node);
    const auto number = static_cast<std::uint16_t>(found - nodes_.begin());
    if (found == nodes_.end()) {
        nodes_.push_back(node);
    }
    return number;
}

std::int32_t NumberExpr::add(const IndexExpr& index)
{
    const auto found = std::find(indices_.begin(), indices_.end(), index);
    const auto number = static_cast<std::int32_t>(found - indices_.begin());
    if (found == indices_.end()) {
        indices_.push_back(index);
    }
    return number;
}

std::uint16_t NumberExpr::add(const NumberExpr& other)
{
    if (nodes_.empty() && indices_.empty()) {
        nodes_.reserve(other.nodes_.size() + 2);
        nodes_ = other.nodes_;
        indices_ = other.indices_;
        return static_cast<std::uint16_t>(nodes_.size() - 1);
    }
    std::vector<std::uint16_t> at(other.nodes_.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        Node node = other.nodes_[i];
        renumber(node, at);
        node.index =
            node.index < 0 ? -1 : add(other.indices_[static_cast<std::size_t>(node.index)]);
        at[i] = add(node);
    }
    return at.back();
}

NumberExpr NumberExpr::of_one(Kind kind, std::uint8_t detail, std::int32_t which) const
{
    NumberExpr result;
    const std::uint16_t operand = result.add(*this);
    result.add(Node{.kind = kind, .detail = detail, .operands = {operand, 0, 0}, .which = which});
    return result;
}

NumberExpr NumberExpr::of_two(Kind kind, const NumberExpr& other) const
{
    NumberExpr result;
    const std::uint16_t a = result.add(*this);
    const std::uint16_t b = result.add(other);
    result.add(Node{.kind = kind, .operands = {a, b, 0}});
    return result;
}

NumberExpr choose(const NumberExpr& condition, const NumberExpr& then, const NumberExpr& otherwise)
{
    NumberExpr result;
    const std::uint16_t c = result.add(condition);
    const std::uint16_t a = result.add(then);
    const std::uint16_t b = result.add(otherwise);
    result.add(NumberExpr::Node{.kind = NumberExpr::Kind::choose, .operands = {c, a, b}});
    return result;
}

NumberExpr call(FunctionRow function, const NumberExpr& a)
{
    return a.of_one(NumberExpr::Kind::call, function.row(), 0);
}

NumberExpr call(FunctionRow function, const NumberExpr& a, const NumberExpr& b)
{
    NumberExpr result = a.of_two(NumberExpr::Kind::call, b);
    result.nodes_.back().detail = function.row();
    return result;
}

NumberExpr NumberExpr::with_arguments(std::span<const NumberExpr> arguments) const
{
    NumberExpr result;
    std::vector<std::uint16_t> at(nodes_.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        Node node = nodes_[i];
        if (node.kind == Kind::argument) {
            at[i] = result.add(arguments[static_cast<std::size_t>(node.which)]);
            continue;
        }
        renumber(node, at);
        node.index =
            node.index < 0 ? -1 : result.add(indices_[static_cast<std::size_t>(node.index)]);
        at[i] = result.add(node);
    }
    return result;
}

bool NumberExpr::is_argument(int number) const
{
    return nodes_.size() == 1 && takes_argument(number);
}

bool NumberExpr::takes_argument(int number) const
{
    return std::any_of(nodes_.begin(), nodes_.end(), [number](const Node& node) {
        return node.kind == Kind::argument && node.which == number;
    });
}

double evaluate(const NumberExpr& expression, std::span<const double> arguments)
{
    using Kind = NumberExpr::Kind;
    std::vector<double> results;
    for (const NumberExpr::Node& node : expression.nodes()) {
        const auto of = [&](std::size_t operand) { return results[node.operands[operand]]; };
        const auto result = [&]() -> double {
            switch (node.kind) {
            case Kind::constant:
                return node.constant;
            case Kind::argument:
                return arguments[static_cast<std::size_t>(node.which)];
            case Kind::negate:
                return -of(0);
            case Kind::add:
                return of(0) + of(1);
            case Kind::subtract:
                return of(0) - of(1);
            case Kind::multiply:
                return of(0) * of(1);
            case Kind::divide:
                return of(0) / of(1);
            case Kind::call:
                return node.function().reference(of(0), of(1));
            case Kind::less:
                return of(0) < of(1) ? 1 : 0;
            case Kind::greater:
                return of(0) > of(1) ? 1 : 0;
            case Kind::both:
                return of(0) * of(1);
            case Kind::choose:
                return of(0) != 0 ? of(1) : of(2);
            case Kind::vector:
            case Kind::convert:
            case Kind::grouped:
                return of(0);
            default:
                throw std::logic_error("an expression that only a nest gives a value");
            }
        };
        results.push_back(result());
    }
    return results.back();
}

} // namespace texelscope::codegen
