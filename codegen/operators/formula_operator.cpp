#include "codegen/operators/formula_operator.hpp"

#include "codegen/lowering/contraction.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/contraction_operator.hpp"
#include "codegen/operators/formula_gradient.hpp"
#include "codegen/operators/formula_reference.hpp"
#include "codegen/operators/formula_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace texelscope::codegen {
namespace {

using NodeKind = FormulaNode::Kind;
using Reduction = Formula::Reduction;
using ZeroTerm = Contraction::ZeroTerm;

/// The expression of a node: access number a is argument a - `first`, and a reduction is argument
/// 0.
NumberExpr expression(const FormulaNode& node, std::size_t first)
{
    const auto of = [&](std::size_t operand) { return expression(node.operands[operand], first); };
    switch (node.kind) {
    case NodeKind::number:
        return {node.number};
    case NodeKind::access:
        return NumberExpr::argument(static_cast<int>(node.access - first));
    case NodeKind::reduced:
        return NumberExpr::argument(0);
    case NodeKind::add:
        return of(0) + of(1);
    case NodeKind::subtract:
        return of(0) - of(1);
    case NodeKind::multiply:
        return of(0) * of(1);
    case NodeKind::divide:
        return of(0) / of(1);
    case NodeKind::negate:
        return -of(0);
    case NodeKind::call:
        break;
    }
    const FunctionRow row(node.function);
    return node.operands.size() == 1 ? call(row, of(0)) : call(row, of(0), of(1));
}

/// Whether a node is known to be zero where the accesses in `zero` are.
bool is_zero(const FormulaNode& node, const std::set<std::size_t>& zero)
{
    const auto operand = [&](std::size_t i) { return is_zero(node.operands[i], zero); };
    switch (node.kind) {
    case NodeKind::number:
        return node.number == 0;
    case NodeKind::access:
        return zero.contains(node.access);
    case NodeKind::reduced:
        return false;
    case NodeKind::negate:
    case NodeKind::divide: // by what is not zero, or it is no number at all
        return operand(0);
    case NodeKind::multiply:
        return operand(0) || operand(1);
    case NodeKind::add:
    case NodeKind::subtract:
        return operand(0) && operand(1);
    case NodeKind::call:
        break;
    }
    return function_table[node.function].reference(0, 0) == 0 &&
           std::ranges::all_of(node.operands,
                               [&](const FormulaNode& of) { return is_zero(of, zero); });
}

ZeroTerm zero_term(const Formula& formula)
{
    std::set<std::size_t> all;
    bool any = true;
    for (std::size_t a = 0; a < formula.term_accesses; ++a) {
        any = any && is_zero(formula.term, {a});
        all.insert(a);
    }
    return any                          ? ZeroTerm::any_factor
           : is_zero(formula.term, all) ? ZeroTerm::all_factors
                                        : ZeroTerm::never;
}

/// Whether a term of the numbers -1, 0 and 1 is a whole number, which half precision has.
bool is_whole(const FormulaNode& node)
{
    constexpr std::array<std::string_view, 4> whole{"fmax", "fmin", "fabs", "sign"};
    const bool function =
        node.kind == NodeKind::call &&
        std::ranges::find(whole, function_table[node.function].name) != whole.end();
    return (function || node.kind == NodeKind::access || node.kind == NodeKind::add ||
            node.kind == NodeKind::subtract || node.kind == NodeKind::multiply ||
            node.kind == NodeKind::negate ||
            (node.kind == NodeKind::number && node.number == static_cast<int>(node.number))) &&
           std::ranges::all_of(node.operands, is_whole);
}

/// A product of accesses and numbers: the accesses, and the product of the numbers.
struct Product {
    std::vector<std::size_t> accesses;
    double scale = 1;
};

std::optional<Product> product_of(const FormulaNode& node)
{
    if (node.kind == NodeKind::number) {
        return Product{{}, node.number};
    }
    if (node.kind == NodeKind::access) {
        return Product{{node.access}, 1};
    }
    if (node.kind == NodeKind::negate) {
        auto product = product_of(node.operands[0]);
        if (product) {
            product->scale = -product->scale;
        }
        return product;
    }
    if (node.kind != NodeKind::multiply && node.kind != NodeKind::divide) {
        return std::nullopt;
    }
    auto left = product_of(node.operands[0]);
    const auto right = product_of(node.operands[1]);
    if (!left || !right || (node.kind == NodeKind::divide && !right->accesses.empty())) {
        return std::nullopt;
    }
    left->scale =
        node.kind == NodeKind::divide ? left->scale / right->scale : left->scale * right->scale;
    left->accesses.insert(left->accesses.end(), right->accesses.begin(), right->accesses.end());
    return left;
}

Contraction::Combine combine_of(Reduction reduction)
{
    using Combine = Contraction::Combine;
    return reduction == Reduction::product    ? Combine::product
           : reduction == Reduction::largest  ? Combine::largest
           : reduction == Reduction::smallest ? Combine::smallest
                                              : Combine::sum;
}

bool depends(const FormulaIndex& index, const std::string& variable)
{
    return (index.kind == FormulaIndex::Kind::variable && index.variable == variable) ||
           std::ranges::any_of(index.operands, [&](const FormulaIndex& operand) {
               return depends(operand, variable);
           });
}

/// Which of a tensor's dimensions an access pattern takes as its reduction index and as its thread
/// index: the last that is just a variable that is reduced, or else depends on one, or else is the
/// last; of the others one along x, or else along y, or else the last. It goes by the text, so that
/// sizes of 1 change nothing.
void choose_roles(Contraction::Input& input, const FormulaAccess& access, const Formula& sized)
{
    const auto last = [&](const auto& fits) {
        for (auto d = static_cast<int>(access.index.size()); d-- > 0;) {
            if (d != input.reduction && fits(access.index[static_cast<std::size_t>(d)])) {
                return d;
            }
        }
        return -1;
    };
    const auto along = [&](std::size_t from_last) {
        return last([&](const FormulaIndex& index) {
            return from_last < sized.outputs.size() &&
                   depends(index, sized.outputs[sized.outputs.size() - 1 - from_last].name);
        });
    };
    const auto is_reduced = [&](const FormulaIndex& index) {
        return std::ranges::any_of(sized.reductions, [&](const FormulaVariable& variable) {
            return depends(index, variable.name);
        });
    };
    const auto first_found = [](std::initializer_list<int> found) {
        const auto* const one = std::ranges::find_if(found, [](int d) { return d >= 0; });
        return one == found.end() ? -1 : *one;
    };
    const auto anything = [](const FormulaIndex&) { return true; };
    const auto is_plain = [&](const FormulaIndex& index) {
        return index.kind == FormulaIndex::Kind::variable && is_reduced(index);
    };
    input.reduction = first_found({last(is_plain), last(is_reduced), last(anything)});
    input.thread = first_found({along(0), along(1), last(anything)});
}

/// The sum or the element, the rest of the result, and how often one is scaled by a number.
void add_epilogue(Contraction& contraction, const Formula& formula, double scale)
{
    const bool reduces = formula.reduction != Reduction::none;
    // Without a reduction the first access takes the place of the sum.
    const std::size_t first = reduces ? formula.term_accesses : 1;
    NumberExpr value = expression(formula.result, reduces ? formula.term_accesses - 1 : 0);
    if (scale != 1) {
        std::vector<NumberExpr> arguments{NumberExpr::argument(0) * NumberExpr(scale)};
        for (std::size_t a = first; a < formula.accesses.size(); ++a) {
            arguments.push_back(NumberExpr::argument(static_cast<int>(a - first) + 1));
        }
        value = value.with_arguments(arguments);
    }
    if (value.is_argument(0)) {
        return;
    }
    const auto further = static_cast<int>(formula.accesses.size() - first);
    const int input = reduces ? 0 : 1; // the first that is not argument 0
    contraction.epilogue.steps.push_back({value, further > 0 ? input : -1, further});
    constexpr std::array<double, 1> zero{0};
    contraction.epilogue.keeps_zero = further == 0 && evaluate(value, zero) == 0;
}

void add_term(Contraction& contraction, const Formula& formula, double& scale)
{
    contraction.factors = formula.term_accesses;
    contraction.combine = combine_of(formula.reduction);
    if (contraction.combine == Contraction::Combine::sum) {
        const auto product = product_of(formula.term);
        std::set<std::size_t> distinct;
        if (product) {
            distinct.insert(product->accesses.begin(), product->accesses.end());
        }
        if (product && distinct.size() == product->accesses.size()) {
            scale = product->scale;
            NumberExpr term = NumberExpr::argument(0);
            for (int factor = 1; distinct.size() > 2 && factor < std::ssize(distinct); ++factor) {
                term = term * NumberExpr::argument(factor);
            }
            contraction.term = term;
            return;
        }
    }
    contraction.term = expression(formula.term, 0);
    contraction.zero_term = zero_term(formula);
    contraction.half_terms = is_whole(formula.term);
}

/// The dimensions, and which of them lie along the axes of the grid.
void add_dimensions(Contraction& contraction, const Formula& sized)
{
    contraction.dims = variables_of(sized);
    for (std::size_t slot = 0; slot < contraction.dims.size(); ++slot) {
        (slot < sized.outputs.size() ? contraction.outputs : contraction.reductions)
            .push_back(static_cast<int>(slot));
    }
    for (const int slot : contraction.outputs) {
        contraction.output_index.emplace_back(contraction.dim(slot));
    }
    if (contraction.outputs.size() == 1) { // the grid has two axes
        const auto slot = static_cast<int>(contraction.dims.size());
        contraction.dims.push_back({slot, "one", {0, 0}});
        contraction.outputs.insert(contraction.outputs.begin(), slot);
    }
    contraction.x = contraction.outputs.back();
    contraction.y = contraction.outputs[contraction.outputs.size() - 2];
    contraction.z.assign(contraction.outputs.begin(), contraction.outputs.end() - 2);
}

Contraction contraction_of(const Formula& sized)
{
    Contraction contraction;
    contraction.kernel = "formula";
    add_dimensions(contraction, sized);
    std::vector<std::int64_t> shape;
    for (const FormulaVariable& variable : sized.outputs) {
        shape.push_back(variable.size.number);
    }
    contraction.output = {sized.output, shape};
    const std::vector<Variable> variables = variables_of(sized);
    for (const FormulaAccess& access : sized.accesses) {
        Contraction::Input input;
        input.tensor.name = access.tensor;
        for (std::size_t d = 0; d < access.index.size(); ++d) {
            input.tensor.shape.push_back(access.extents[d].number);
            input.index.push_back(index_expression(access.index[d], variables, sized.text));
        }
        choose_roles(input, access, sized);
        contraction.inputs.push_back(std::move(input));
    }
    double scale = 1;
    if (sized.reduction == Reduction::none) {
        contraction.factors = 0;
    } else {
        add_term(contraction, sized, scale);
    }
    add_epilogue(contraction, sized, scale);
    contraction.half_terms = contraction.half_terms && contraction.epilogue.empty();
    return contraction;
}

void check(const Formula& sized)
{
    if (sized.accesses.empty()) {
        refuse_formula(sized.text, 1, "no tensor is read", "read one: O[i] = X[i]");
    }
    if (sized.reduction != Reduction::none && sized.term_accesses == 0) {
        refuse_formula(sized.text, sized.term.column, "no tensor is read in what is reduced",
                       "put the tensor behind the reduction: sum(k) X[k]");
    }
    std::set<std::string> names{sized.output};
    for (const FormulaAccess& access : sized.accesses) {
        if (!names.insert(access.tensor).second) {
            refuse_formula(sized.text, access.column,
                           access.tensor == sized.output ? access.tensor + " is read and written"
                                                         : access.tensor + " is read in two ways",
                           fmt::format("give it another name here, e.g. {}2, and the same numbers",
                                       access.tensor));
        }
    }
    for (std::size_t a = sized.term_accesses; a < sized.accesses.size(); ++a) {
        Formula outside = sized; // of the reduction, whose variables mean nothing there
        outside.reductions.clear();
        for (const FormulaIndex& index : sized.accesses[a].index) {
            (void)index_expression(index, variables_of(outside), sized.text);
        }
    }
}

/// Operations of a node for one number.
double operations(const FormulaNode& node)
{
    double sum = node.kind == NodeKind::number || node.kind == NodeKind::access ||
                         node.kind == NodeKind::reduced
                     ? 0
                     : 1;
    for (const FormulaNode& operand : node.operands) {
        sum += operations(operand);
    }
    return sum;
}

/// Points of a group of variables at which all of `conditions` hold.
struct Condition {
    IndexExpr index;
    std::int64_t extent = 0;
};

/// Terms of which no element is padding. Conditions that share no variable are counted apart.
double terms_inside(const Contraction& contraction)
{
    std::vector<Condition> conditions;
    for (std::size_t a = 0; a < std::max<std::size_t>(contraction.factors, 1); ++a) {
        const Contraction::Input& input = contraction.inputs[a];
        for (std::size_t d = 0; d < input.index.size(); ++d) {
            const Range bounds = input.index[d].bounds();
            if (bounds.min < 0 || bounds.max >= input.tensor.shape[d]) {
                conditions.push_back({input.index[d], input.tensor.shape[d]});
            }
        }
    }
    double count = 1;
    std::vector<bool> done(contraction.dims.size(), false);
    for (std::size_t seed = 0; seed < contraction.dims.size(); ++seed) {
        if (done[seed]) {
            continue;
        }
        std::vector<int> group{static_cast<int>(seed)};
        done[seed] = true;
        for (std::size_t i = 0; i < group.size(); ++i) {
            for (const Condition& condition : conditions) {
                if (!condition.index.uses_slots(group[i], group[i] + 1)) {
                    continue;
                }
                for (std::size_t other = 0; other < done.size(); ++other) {
                    const int slot = static_cast<int>(other);
                    if (!done[other] && condition.index.uses_slots(slot, slot + 1)) {
                        done[other] = true;
                        group.push_back(slot);
                    }
                }
            }
        }
        std::vector<std::int64_t> at(contraction.dims.size(), 0);
        const auto in_group = [&](const Condition& condition) {
            return std::ranges::any_of(
                group, [&](int slot) { return condition.index.uses_slots(slot, slot + 1); });
        };
        std::vector<Condition> own;
        std::ranges::copy_if(conditions, std::back_inserter(own), in_group);
        double points = 1;
        for (const int slot : group) {
            points *= static_cast<double>(contraction.dim(slot).extent());
        }
        constexpr double most = 1 << 24; // of more, padding is not taken away
        if (own.empty() || points > most) {
            count *= points;
            continue;
        }
        std::int64_t inside = 0;
        bool more = true;
        while (more) {
            inside += std::ranges::all_of(own, [&](const Condition& condition) {
                const std::int64_t value = condition.index.evaluate(at);
                return value >= 0 && value < condition.extent;
            });
            more = std::ranges::any_of(group, [&](int slot) {
                std::int64_t& value = at[static_cast<std::size_t>(slot)];
                value = value + 1 < contraction.dim(slot).extent() ? value + 1 : 0;
                return value > 0;
            });
        }
        count *= static_cast<double>(inside);
    }
    return count;
}

std::vector<float> to_floats(const std::vector<double>& values)
{
    return {values.begin(), values.end()};
}

} // namespace

Operator formula_operator(const std::string& text, const std::string& shape)
{
    const Formula formula = parse_formula(text);
    ContractionOperator parts;
    parts.shape = formula_sizes(formula, shape);
    check_sizes(formula.text, parts.shape, fmt::format("{}", fmt::join(size_names(formula), ",")));
    Formula sized = with_sizes(formula, parts.shape);
    if (!formula.gradient.empty()) {
        sized = formula_gradient(sized);
    }
    check(sized);
    parts.contraction = contraction_of(sized);
    const double terms = terms_inside(parts.contraction);
    const auto outputs = static_cast<double>(parts.contraction.output.size());
    const bool reduces = sized.reduction != Reduction::none;
    const double flops =
        (reduces ? terms * (operations(sized.term) + 1) : 0) + outputs * operations(sized.result);
    parts.products = flops / 2;
    Operator op = contraction_operator(std::move(parts));
    const auto shared = std::make_shared<const Formula>(std::move(sized));
    op.tolerance = sum_tolerance(formula_roundings(*shared));
    op.name = formula.text;
    const std::string where = to_string(op);
    op.lower = [lower = std::move(op.lower), where](const Schedule& schedule,
                                                    const GivenLayouts& given) {
        LoopNest nest = lower(schedule, given);
        nest.operator_text = where;
        return nest;
    };
    op.reference = [shared](const TensorValues& inputs) {
        return to_floats(formula_values(*shared, inputs, 0).values);
    };
    op.magnitude = [shared, tolerance = op.tolerance](const TensorValues& inputs) {
        return to_floats(formula_values(*shared, inputs, tolerance).magnitudes);
    };
    op.reference_c = [shared, tolerance = op.tolerance] {
        return formula_reference_c(*shared, tolerance);
    };
    return op;
}

OperatorInfo formula_info(const std::string& text)
{
    const std::vector<std::string> names = size_names(parse_formula(text));
    OperatorInfo info{text, fmt::format("{}", fmt::join(names, ",")), {}, false};
    if (!names.empty()) {
        info.example = fmt::format("{}=16", fmt::join(names, "=16,"));
    }
    return info;
}

} // namespace texelscope::codegen
