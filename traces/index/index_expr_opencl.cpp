#include "traces/index/index_expr.hpp"

namespace texelscope::traces {

std::string IndexExpr::to_opencl() const
{
    std::string text;
    append_opencl(text);
    return text;
}

void IndexExpr::append_opencl(std::string& text) const
{
    // Products and quotients bind tighter than sums; an operand of a division is put in parentheses
    // unless it is a single name. Where the operand may be negative, floor(e / d) = (e + n*d) / d -
    // n with n*d >= -min(e), because C rounds towards zero.
    const auto append_atom = [&](const IndexAtom& atom) {
        if (atom.kind == IndexAtom::Kind::variable) {
            text += atom.variable.name;
            return;
        }
        const std::int64_t lowest = atom.operand->bounds().min;
        const std::int64_t lift = lowest < 0 ? -floor_div(lowest, atom.divisor) : 0;
        const IndexExpr lifted = *atom.operand + lift * atom.divisor;
        const bool quotient = atom.kind == IndexAtom::Kind::floor_div;
        const bool alone = lifted.as_variable() != nullptr;
        text += quotient && lift != 0 ? "((" : "(";
        text += alone ? "" : "(";
        lifted.append_opencl(text);
        text += alone ? "" : ")";
        text += quotient ? " / " : " % ";
        text += std::to_string(atom.divisor) + ")";
        if (quotient && lift != 0) {
            text += " - " + std::to_string(lift) + ")";
        }
    };
    if (is_constant()) {
        text += std::to_string(constant_);
        return;
    }
    bool first = true;
    for (const Term& t : terms()) {
        const std::int64_t magnitude = t.factor < 0 ? -t.factor : t.factor;
        if (first) {
            text += t.factor < 0 ? "-" : "";
        } else {
            text += t.factor < 0 ? " - " : " + ";
        }
        first = false;
        if (magnitude != 1) {
            text += std::to_string(magnitude) + " * ";
        }
        append_atom(t.atom);
    }
    if (constant_ != 0) {
        text += constant_ < 0 ? " - " : " + ";
        text += std::to_string(constant_ < 0 ? -constant_ : constant_);
    }
}

} // namespace texelscope::traces
