#include "traces/index_expr.hpp"

namespace texelscope {

std::string IndexExpr::to_opencl() const
{
    // Products and quotients bind tighter than sums; an operand of a division is put in parentheses unless it is a
    // single name. Where the operand may be negative, floor(e / d) = (e + n*d) / d - n with n*d >= -min(e), because
    // C rounds towards zero.
    const auto atom_text = [](const IndexAtom& atom) -> std::string {
        if (atom.kind == IndexAtom::Kind::variable) {
            return atom.variable.name;
        }
        const std::int64_t lowest = atom.operand->bounds().min;
        const std::int64_t lift = lowest < 0 ? -floor_div(lowest, atom.divisor) : 0;
        const IndexExpr lifted = *atom.operand + lift * atom.divisor;
        const std::string operand =
            lifted.as_variable() != nullptr ? lifted.to_opencl() : "(" + lifted.to_opencl() + ")";
        const std::string divisor = std::to_string(atom.divisor);
        if (atom.kind == IndexAtom::Kind::mod) {
            return "(" + operand + " % " + divisor + ")";
        }
        const std::string quotient = "(" + operand + " / " + divisor + ")";
        return lift == 0 ? quotient : "(" + quotient + " - " + std::to_string(lift) + ")";
    };
    std::string text;
    for (const Term& t : terms()) {
        const std::int64_t magnitude = t.factor < 0 ? -t.factor : t.factor;
        if (text.empty()) {
            text = t.factor < 0 ? "-" : "";
        } else {
            text += t.factor < 0 ? " - " : " + ";
        }
        text += (magnitude == 1 ? "" : std::to_string(magnitude) + " * ") + atom_text(t.atom);
    }
    if (text.empty()) {
        return std::to_string(constant_);
    }
    if (constant_ != 0) {
        text += (constant_ < 0 ? " - " : " + ") + std::to_string(constant_ < 0 ? -constant_ : constant_);
    }
    return text;
}

} // namespace texelscope
