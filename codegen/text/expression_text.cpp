#include "codegen/text/expression_text.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace texelscope::codegen {
namespace {

using NumberNode = NumberExpr::Node;
using NumberKind = NumberExpr::Kind;

/// How strongly operators bind, from the weakest to the strongest: the order of C's grammar. `list`
/// is an argument list, where only the comma stands.
enum class Binding { list, choice, both, equality, comparison, sum, product, unary, primary };

class ExpressionWriter {
public:
    ExpressionWriter(const NumberExpr& expression, const LoopNest& nest)
        : expression_(expression), nest_(nest)
    {}

    [[nodiscard]] std::string text()
    {
        write(expression_.nodes().size() - 1);
        return std::move(text_);
    }

private:
    /// Whether a choice is made component by component. OpenCL C's ?: of vectors tests sign bits,
    /// so such a choice is written as a call of select().
    [[nodiscard]] bool by_components(const NumberNode& choice) const
    {
        return expression_.nodes()[choice.operands[0]].kind == NumberKind::components_below;
    }
    [[nodiscard]] Binding binding(const NumberNode& node) const
    {
        switch (node.kind) {
        case NumberKind::constant:
            return is_negative(node) ? Binding::unary : Binding::primary;
        case NumberKind::beside:
            return Binding::list;
        case NumberKind::choose:
            return by_components(node) ? Binding::primary : Binding::choice;
        case NumberKind::both:
            return Binding::both;
        case NumberKind::index_is:
            return Binding::equality;
        case NumberKind::less:
        case NumberKind::greater:
        case NumberKind::index_below:
        case NumberKind::components_below:
            return Binding::comparison;
        case NumberKind::add:
        case NumberKind::subtract:
            return Binding::sum;
        case NumberKind::multiply:
        case NumberKind::divide:
            return Binding::product;
        case NumberKind::negate:
        case NumberKind::index:
            return Binding::unary;
        default:
            return Binding::primary;
        }
    }

    /// Writes a node, in parentheses where it binds less than `least`.
    void write(std::size_t number, Binding least = Binding::list)
    {
        const NumberNode& node = expression_.nodes()[number];
        const bool parentheses = binding(node) < least;
        text_ += parentheses ? "(" : "";
        write(node);
        text_ += parentheses ? ")" : "";
    }

    /// Whether the text begins with a minus: behind another minus it would become a decrement.
    [[nodiscard]] bool begins_with_minus(std::size_t number) const
    {
        const NumberNode& node = expression_.nodes()[number];
        return node.kind == NumberKind::negate || is_negative(node);
    }
    [[nodiscard]] static bool is_negative(const NumberNode& node)
    {
        return node.kind == NumberKind::constant && std::signbit(node.constant);
    }

    /// From left to right: what follows an operator of the same strength needs parentheses.
    void write_two(const NumberNode& node, std::string_view between)
    {
        const Binding own = binding(node);
        write(node.operands[0], own);
        text_ += between;
        write(node.operands[1], static_cast<Binding>(static_cast<int>(own) + 1));
    }

    // In the text of a function, {0}, {1} stand for its arguments.
    void write_call(std::string_view text, const NumberNode& node)
    {
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '{') {
                write(node.operands[static_cast<std::size_t>(text[at + 1] - '0')], Binding::choice);
                at += 2;
            } else {
                text_ += text[at];
            }
        }
    }

    // Integer sums in a product of numbers need parentheses; a single name or number does not.
    [[nodiscard]] std::string index_text(const NumberNode& node, bool in_product = false) const
    {
        const IndexExpr& index = expression_.indices()[static_cast<std::size_t>(node.index)];
        std::string text = index.to_opencl();
        const bool alone = index.is_constant() || index.as_variable() != nullptr;
        return in_product && !alone ? "(" + text + ")" : text;
    }

    void write(const NumberNode& node)
    {
        // -1 has all bits set: the mask keeps the first components and makes the others zero.
        constexpr std::array masks{"(0, 0, 0, 0)", "(-1, 0, 0, 0)", "(-1, -1, 0, 0)",
                                   "(-1, -1, -1, 0)"};
        constexpr std::array parts{".s0123", ".s4567", ".s89ab", ".scdef"};
        switch (node.kind) {
        case NumberKind::constant:
            text_ += literal(node.constant, node.detail != 0);
            return;
        case NumberKind::value:
            text_ += nest_.name_of({node.which});
            return;
        case NumberKind::argument:
            text_ += fmt::format("{{{}}}", node.which);
            return;
        case NumberKind::index:
            text_ += "(float)" + index_text(node, true);
            return;
        case NumberKind::component:
            write(node.operands[0], Binding::primary);
            text_ += component_text(node.which);
            return;
        case NumberKind::part:
            write(node.operands[0], Binding::primary);
            text_ += parts[static_cast<std::size_t>(node.which / 4)];
            return;
        case NumberKind::pick:
            text_ += "PICK(";
            write(node.operands[0], Binding::choice);
            text_ += ", " + index_text(node) + ")";
            return;
        case NumberKind::negate:
            text_ += "-";
            write(node.operands[0],
                  begins_with_minus(node.operands[0]) ? Binding::primary : Binding::unary);
            return;
        case NumberKind::add:
            return write_two(node, " + ");
        case NumberKind::subtract:
            return write_two(node, " - ");
        case NumberKind::multiply:
            return write_two(node, " * ");
        case NumberKind::divide:
            return write_two(node, " / ");
        case NumberKind::less:
            return write_two(node, " < ");
        case NumberKind::greater:
            return write_two(node, " > ");
        case NumberKind::both:
            return write_two(node, " && ");
        case NumberKind::call:
            return write_call(node.function().text, node);
        case NumberKind::index_is:
            text_ += index_text(node) + " == " + std::to_string(node.which);
            return;
        case NumberKind::index_below:
            text_ += "(uint)" + index_text(node, true) + " < " + std::to_string(node.which);
            return;
        case NumberKind::components_below:
            text_ += "(int4)(0, 1, 2, 3) < " + index_text(node);
            return;
        case NumberKind::choose:
            if (by_components(node)) {
                return write_call("select({2}, {1}, {0})", node);
            }
            write(node.operands[0], Binding::both);
            text_ += " ? ";
            write(node.operands[1], Binding::choice);
            text_ += " : ";
            write(node.operands[2], Binding::choice);
            return;
        case NumberKind::beside:
            return write_two_beside(node);
        case NumberKind::vector:
            text_ += "(" + vector_type(nest_, node.type(), node.which) + ")(";
            write(node.operands[0]);
            text_ += ")";
            return;
        case NumberKind::convert:
            text_ += node.type() == NumberType::factor
                         ? "AS_NUMBER("
                         : "convert_" + vector_type(nest_, node.type(), node.which) + "(";
            write(node.operands[0], Binding::choice);
            text_ += ")";
            return;
        case NumberKind::keep_first:
            // A bitwise and keeps the first components whatever the others hold, NaN included; a
            // product with 0 would not.
            text_ += "as_float4(as_int4(";
            write(node.operands[0], Binding::choice);
            text_ += std::string(") & (int4)") + masks[static_cast<std::size_t>(node.which)] + ")";
            return;
        case NumberKind::grouped:
            text_ += "(";
            write(node.operands[0]);
            text_ += ")";
            return;
        }
    }

    void write_two_beside(const NumberNode& node)
    {
        write(node.operands[0]);
        text_ += ", ";
        write(node.operands[1], Binding::choice);
    }

    const NumberExpr& expression_;
    const LoopNest& nest_;
    std::string text_;
};

} // namespace

std::string opencl_text(const NumberExpr& expression, const LoopNest& nest)
{
    return ExpressionWriter(expression, nest).text();
}

std::string vector_type(const LoopNest& nest, NumberType type, int numbers)
{
    // Half sums: the head of the kernel's text defines `number` as half or float.
    const bool by_device = type == NumberType::factor && nest.half_sums;
    return (by_device ? "number" : "float") +
           (numbers == 1 ? std::string() : std::to_string(numbers));
}

std::string literal(double number, bool all_digits)
{
    if (std::abs(number) >= 3.402823466e38) {
        return number < 0 ? "-FLT_MAX" : "FLT_MAX";
    }
    // Nine significant digits tell all float32 numbers apart.
    std::string text = all_digits ? fmt::format("{}", number) : fmt::format("{:.9g}", number);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text + "f";
}

const char* component_text(int component)
{
    constexpr std::array names{".x", ".y", ".z", ".w"};
    return names[static_cast<std::size_t>(component)];
}

} // namespace texelscope::codegen
