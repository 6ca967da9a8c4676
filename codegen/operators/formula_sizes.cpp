#include "codegen/operators/formula_sizes.hpp"

#include "base/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace texelscope::codegen {

using traces::IndexExpr;
using traces::Range;
using traces::Variable;

namespace {

std::string where_of(const Formula& formula, const std::string& shape)
{
    return fmt::format("--op \"{}\" --shape {}", formula.text, shape);
}

std::int64_t number_of(std::string_view text, const std::string& where, const std::string& usage)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw bad_input(fmt::format("'{}' is not a whole number", text), where, usage);
    }
    return number;
}

[[noreturn]] void refuse_unknown(const FormulaIndex& index, const std::vector<Variable>& variables,
                                 const std::string& text)
{
    std::vector<std::string> names;
    names.reserve(variables.size());
    for (const Variable& variable : variables) {
        names.push_back(variable.name);
    }
    refuse_formula(text, index.column,
                   index.variable + " is neither an index of the output nor reduced over",
                   fmt::format("variables are {}", fmt::join(names, ", ")));
}

bool has_variable(const FormulaIndex& index)
{
    return index.kind == FormulaIndex::Kind::variable ||
           std::ranges::any_of(index.operands, has_variable);
}

/// The extent of a tensor that follows from an index.
std::int64_t implied(const Range& bounds, const FormulaAccess& access, std::size_t dimension,
                     const std::string& text)
{
    const std::int64_t padding = std::max<std::int64_t>(0, -bounds.min);
    const std::int64_t extent = bounds.max + 1 - padding;
    if (extent < 1) {
        refuse_formula(text, access.column,
                       fmt::format("index {} of {} is from {} to {}", dimension + 1, access.tensor,
                                   bounds.min, bounds.max),
                       "say the tensor's size behind the index: X[i-3 : 8]");
    }
    return extent;
}

} // namespace

std::vector<std::string> size_names(const Formula& formula)
{
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    };
    for (const auto* const variables : {&formula.outputs, &formula.reductions}) {
        for (const FormulaVariable& variable : *variables) {
            if (variable.size.number == 0) {
                add(variable.size.name.empty() ? variable.name : variable.size.name);
            }
        }
    }
    for (const FormulaAccess& access : formula.accesses) {
        for (const FormulaSize& extent : access.extents) {
            if (!extent.name.empty()) {
                add(extent.name);
            }
        }
    }
    return names;
}

std::vector<std::int64_t> formula_sizes(const Formula& formula, const std::string& shape)
{
    const std::vector<std::string> names = size_names(formula);
    const std::string where = where_of(formula, shape);
    const std::string usage = fmt::format("give {}=..", fmt::join(names, "=..,"));
    std::vector<std::optional<std::int64_t>> given(names.size());
    std::string_view rest = shape;
    for (std::size_t place = 0; !rest.empty(); ++place) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view field = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const std::size_t equals = field.find('=');
        std::size_t at = place;
        if (equals != std::string_view::npos) {
            const auto found = std::ranges::find(names, field.substr(0, equals));
            if (found == names.end()) {
                throw bad_input(fmt::format("the formula has no size {}", field.substr(0, equals)),
                                where, usage);
            }
            at = static_cast<std::size_t>(found - names.begin());
        }
        if (at >= given.size() || given[at]) {
            throw bad_input(at < given.size() ? names[at] + " is given twice" : "too many sizes",
                            where, usage);
        }
        given[at] = number_of(field.substr(equals == std::string_view::npos ? 0 : equals + 1),
                              where, usage);
    }
    std::vector<std::int64_t> sizes;
    for (const std::optional<std::int64_t>& size : given) {
        if (!size) {
            throw bad_input(names[sizes.size()] + " is missing", where, usage);
        }
        sizes.push_back(*size);
    }
    return sizes;
}

Formula with_sizes(const Formula& formula, const std::vector<std::int64_t>& sizes)
{
    Formula sized = formula;
    const std::vector<std::string> names = size_names(formula);
    const auto value = [&](const FormulaSize& size, const std::string& own) {
        const std::string& name = size.name.empty() ? own : size.name;
        return size.number > 0 ? size.number
                               : sizes[static_cast<std::size_t>(std::ranges::find(names, name) -
                                                                names.begin())];
    };
    std::set<std::string> known;
    for (auto* const variables : {&sized.outputs, &sized.reductions}) {
        for (FormulaVariable& variable : *variables) {
            variable.size = {{}, value(variable.size, variable.name)};
            if (!known.insert(variable.name).second) {
                refuse_formula(formula.text, variable.column,
                               variable.name + " is a variable twice", "give it another name");
            }
        }
    }
    const std::vector<Variable> variables = variables_of(sized);
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (FormulaAccess& access : sized.accesses) {
        auto& shape = shapes[access.tensor];
        shape.resize(std::max(shape.size(), access.index.size()), 0);
        if (shape.size() != access.index.size()) {
            refuse_formula(formula.text, access.column,
                           access.tensor + " has another number of indices here than elsewhere",
                           "give one of them another name");
        }
        for (std::size_t d = 0; d < access.index.size(); ++d) {
            const Range bounds =
                index_expression(access.index[d], variables, formula.text).bounds();
            const FormulaSize& said = access.extents[d];
            const std::int64_t extent =
                said.said() ? value(said, {}) : implied(bounds, access, d, formula.text);
            access.extents[d] = {{}, extent};
            shape[d] = std::max(shape[d], extent);
        }
    }
    for (FormulaAccess& access : sized.accesses) {
        for (std::size_t d = 0; d < access.extents.size(); ++d) {
            access.extents[d].number = shapes[access.tensor][d];
        }
    }
    return sized;
}

std::vector<Variable> variables_of(const Formula& sized)
{
    std::vector<Variable> variables;
    for (const auto* const some : {&sized.outputs, &sized.reductions}) {
        for (const FormulaVariable& variable : *some) {
            variables.push_back(
                {static_cast<int>(variables.size()), variable.name, {0, variable.size.number - 1}});
        }
    }
    return variables;
}

IndexExpr index_expression(const FormulaIndex& index, const std::vector<Variable>& variables,
                           const std::string& text)
{
    using Kind = FormulaIndex::Kind;
    if (index.kind == Kind::number) {
        return index.number;
    }
    if (index.kind == Kind::variable) {
        const auto found = std::ranges::find(variables, index.variable, &Variable::name);
        if (found == variables.end()) {
            refuse_unknown(index, variables, text);
        }
        return IndexExpr(*found);
    }
    const IndexExpr a = index_expression(index.operands[0], variables, text);
    const IndexExpr b = index_expression(index.operands[1], variables, text);
    switch (index.kind) {
    case Kind::add:
        return a + b;
    case Kind::subtract:
        return a - b;
    case Kind::divide:
        return floor_div(a, b.constant());
    case Kind::remainder:
        return mod(a, b.constant());
    default:
        break;
    }
    if (has_variable(index.operands[0]) && has_variable(index.operands[1])) {
        refuse_formula(text, index.column, "a product of two variables in an index",
                       "indices are sums of variables times whole numbers");
    }
    return a.is_constant() ? b * a.constant() : a * b.constant();
}

} // namespace texelscope::codegen
