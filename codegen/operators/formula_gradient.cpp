#include "codegen/operators/formula_gradient.hpp"

#include "traces/index/index_expr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace texelscope::codegen {
namespace {

using NodeKind = FormulaNode::Kind;
using IndexKind = FormulaIndex::Kind;

FormulaIndex number_index(std::int64_t number)
{
    FormulaIndex index;
    index.number = number;
    return index;
}

FormulaIndex variable_index(const std::string& name)
{
    FormulaIndex index;
    index.kind = IndexKind::variable;
    index.variable = name;
    return index;
}

FormulaIndex joined(IndexKind kind, FormulaIndex a, FormulaIndex b)
{
    const auto is = [](const FormulaIndex& index, std::int64_t number) {
        return index.kind == IndexKind::number && index.number == number;
    };
    if ((is(b, 0) && (kind == IndexKind::add || kind == IndexKind::subtract)) ||
        (is(b, 1) && (kind == IndexKind::multiply || kind == IndexKind::divide))) {
        return a;
    }
    if (kind == IndexKind::multiply && is(a, 1)) {
        return b;
    }
    FormulaIndex index;
    index.kind = kind;
    index.operands.push_back(std::move(a));
    index.operands.push_back(std::move(b));
    return index;
}

FormulaIndex plus(FormulaIndex a, std::int64_t number)
{
    return number < 0 ? joined(IndexKind::subtract, std::move(a), number_index(-number))
                      : joined(IndexKind::add, std::move(a), number_index(number));
}

/// An index as a sum of variables times numbers, and a number.
struct Affine {
    std::map<std::string, std::int64_t> factors;
    std::int64_t constant = 0;
};

std::optional<Affine> affine_of(const FormulaIndex& index)
{
    if (index.kind == IndexKind::number) {
        return Affine{{}, index.number};
    }
    if (index.kind == IndexKind::variable) {
        return Affine{{{index.variable, 1}}, 0};
    }
    auto a = affine_of(index.operands[0]);
    auto b = affine_of(index.operands[1]);
    if (!a || !b || index.kind == IndexKind::divide || index.kind == IndexKind::remainder) {
        return std::nullopt;
    }
    if (index.kind == IndexKind::multiply) {
        if (!a->factors.empty()) {
            std::swap(a, b); // a is the number now
        }
        for (auto& [name, factor] : b->factors) {
            factor *= a->constant;
        }
        b->constant *= a->constant;
        return b;
    }
    const std::int64_t sign = index.kind == IndexKind::add ? 1 : -1;
    for (const auto& [name, factor] : b->factors) {
        a->factors[name] += sign * factor;
    }
    a->constant += sign * b->constant;
    std::erase_if(a->factors, [](const auto& one) { return one.second == 0; });
    return a;
}

FormulaIndex replaced(const FormulaIndex& index, const std::map<std::string, FormulaIndex>& by)
{
    if (index.kind == IndexKind::variable) {
        const auto found = by.find(index.variable);
        return found == by.end() ? index : found->second;
    }
    FormulaIndex result = index;
    for (FormulaIndex& operand : result.operands) {
        operand = replaced(operand, by);
    }
    return result;
}

class Gradient {
public:
    explicit Gradient(const Formula& forward) : forward_(forward)
    {
        for (const auto* const some : {&forward.outputs, &forward.reductions}) {
            variables_.insert(variables_.end(), some->begin(), some->end());
        }
    }

    Formula formula()
    {
        const std::vector<FormulaNode> factors = factors_of_product();
        const FormulaAccess& by = differentiated();
        for (std::size_t d = 0; d < by.index.size(); ++d) {
            express(by, d);
        }
        Formula gradient;
        gradient.output = "d" + by.tensor;
        gradient.outputs = outputs_;
        for (const FormulaVariable& variable : variables_) {
            if (!expressed_.contains(variable.name) && !is_output(variable.name)) {
                gradient.reductions.push_back(variable);
            }
        }
        gradient.reductions.insert(gradient.reductions.end(), taps_.begin(), taps_.end());
        add_factor(gradient, forward_output());
        for (const FormulaNode& factor : factors) {
            if (factor.kind == NodeKind::number) {
                multiply(gradient, factor);
            } else if (forward_.accesses[factor.access].tensor != by.tensor) {
                add_factor(gradient, forward_.accesses[factor.access]);
            }
        }
        finish(gradient);
        return gradient;
    }

private:
    [[noreturn]] void refuse(std::size_t column, const std::string& what,
                             const std::string& remedy) const
    {
        refuse_formula(forward_.text, column, what, remedy);
    }

    /// The factors of the formula, which must be a product, or a sum of products.
    [[nodiscard]] std::vector<FormulaNode> factors_of_product() const
    {
        std::vector<FormulaNode> factors;
        if (forward_.reduction != Formula::Reduction::none &&
            forward_.reduction != Formula::Reduction::sum) {
            refuse(forward_.result.column, "the gradient of what is no sum of products",
                   "gradients are of sums of products");
        }
        collect(forward_.result, factors);
        return factors;
    }
    void collect(const FormulaNode& node, std::vector<FormulaNode>& factors) const
    {
        FormulaNode number;
        if (node.kind == NodeKind::multiply) {
            collect(node.operands[0], factors);
            collect(node.operands[1], factors);
        } else if (node.kind == NodeKind::divide && node.operands[1].kind == NodeKind::number) {
            collect(node.operands[0], factors);
            number.number = 1 / node.operands[1].number;
            factors.push_back(number);
        } else if (node.kind == NodeKind::negate) {
            collect(node.operands[0], factors);
            number.number = -1;
            factors.push_back(number);
        } else if (node.kind == NodeKind::reduced) {
            collect(forward_.term, factors);
        } else if (node.kind == NodeKind::number || node.kind == NodeKind::access) {
            factors.push_back(node);
        } else {
            refuse(node.column, "the gradient of what is no sum of products",
                   "state what stands around the products as an operator of its own");
        }
    }

    [[nodiscard]] const FormulaAccess& differentiated() const
    {
        const auto found =
            std::ranges::find(forward_.accesses, forward_.gradient, &FormulaAccess::tensor);
        if (found == forward_.accesses.end()) {
            refuse(3, "the formula does not read " + forward_.gradient,
                   "name one of its tensors: d X of O[..] = ..");
        }
        if (std::ranges::count(forward_.accesses, forward_.gradient, &FormulaAccess::tensor) > 1) {
            refuse(found->column, forward_.gradient + " is read in several ways",
                   "give each its own name, and add their gradients");
        }
        return *found;
    }

    [[nodiscard]] bool is_output(const std::string& name) const
    {
        return std::ranges::find(outputs_, name, &FormulaVariable::name) != outputs_.end();
    }
    [[nodiscard]] const FormulaVariable& variable(const std::string& name) const
    {
        return *std::ranges::find(variables_, name, &FormulaVariable::name);
    }
    /// Whether the output or another factor is indexed by just that variable, so that it counts for
    /// nothing outside of its range.
    [[nodiscard]] bool is_bound(const std::string& name) const
    {
        return std::ranges::find(forward_.outputs, name, &FormulaVariable::name) !=
                   forward_.outputs.end() ||
               std::ranges::any_of(forward_.accesses, [&](const FormulaAccess& access) {
                   return access.tensor != forward_.gradient &&
                          std::ranges::any_of(access.index, [&](const FormulaIndex& index) {
                              return index.kind == IndexKind::variable && index.variable == name;
                          });
               });
    }
    /// A name that no variable has yet.
    [[nodiscard]] std::string fresh(std::string name) const
    {
        const auto taken = [&] {
            return is_output(name) ||
                   std::ranges::find(variables_, name, &FormulaVariable::name) != variables_.end();
        };
        while (taken()) {
            name += "_";
        }
        return name;
    }

    /// Makes index d of the tensor an index of the gradient, and expresses a variable by it.
    void express(const FormulaAccess& by, std::size_t d)
    {
        const std::int64_t extent = by.extents[d].number;
        const std::size_t column = by.index[d].column;
        const auto affine = affine_of(by.index[d]);
        if (!affine) {
            refuse(column, "an index with / or % cannot be turned around",
                   "gradients take indices that are sums of variables times numbers");
        }
        if (affine->factors.size() == 1 && affine->factors.begin()->second == 1 &&
            affine->constant == 0 && !expressed_.contains(affine->factors.begin()->first) &&
            !is_output(affine->factors.begin()->first)) { // the variable itself
            const std::string& name = affine->factors.begin()->first;
            if (extent > variable(name).size.number && !is_bound(name)) {
                refuse(column, by.tensor + " is larger than " + name + " reaches",
                       "the gradient is zero there; leave the size out");
            }
            outputs_.push_back({name, {{}, extent}, column});
            return;
        }
        const std::string y = fresh("y" + std::to_string(d));
        outputs_.push_back({y, {{}, extent}, column});
        if (affine->factors.empty()) {
            if (extent > 1) {
                refuse(column, "an index that is a number",
                       "the gradient is zero elsewhere; leave the index out");
            }
            return;
        }
        if (express_strided(*affine, y)) {
            return;
        }
        for (const bool output : {true, false}) { // rather a variable of the output
            for (const auto& [name, factor] : affine->factors) {
                const bool of_output =
                    std::ranges::find(forward_.outputs, name, &FormulaVariable::name) !=
                    forward_.outputs.end();
                if (of_output == output && (factor == 1 || factor == -1) && is_free(name)) {
                    expressed_[name] = turned(*affine, name, factor, y);
                    return;
                }
            }
        }
        refuse(column, "no variable of this index can be expressed by it",
               "one needs the factor 1, and to be an index of the output or of another factor");
    }
    [[nodiscard]] bool is_free(const std::string& name) const
    {
        return is_bound(name) && !expressed_.contains(name) && !is_output(name);
    }

    /// factor * name = y - constant - the others.
    [[nodiscard]] static FormulaIndex turned(const Affine& affine, const std::string& name,
                                             std::int64_t factor, const std::string& y)
    {
        FormulaIndex sum = plus(variable_index(y), -affine.constant);
        for (const auto& [other, times] : affine.factors) {
            if (other != name) {
                const IndexKind kind = times > 0 ? IndexKind::subtract : IndexKind::add;
                sum = joined(kind, std::move(sum),
                             joined(IndexKind::multiply, number_index(std::abs(times)),
                                    variable_index(other)));
            }
        }
        return factor > 0 ? sum : joined(IndexKind::subtract, number_index(0), std::move(sum));
    }

    /// y = s * h + kh + c with s > 1, where both are free.
    bool express_strided(const Affine& affine, const std::string& y)
    {
        if (affine.factors.size() != 2) {
            return false;
        }
        auto strided = affine.factors.begin();
        auto tap = std::next(strided);
        if (strided->second == 1) {
            std::swap(strided, tap);
        }
        const std::int64_t s = strided->second;
        if (s < 2 || tap->second != 1 || !is_free(strided->first) || !is_free(tap->first)) {
            return false;
        }
        const FormulaVariable& taps = variable(tap->first);
        const std::string j = fresh("j" + y);
        taps_.push_back({j, {{}, traces::ceil_div(taps.size.number, s)}, taps.column});
        const FormulaIndex shifted = plus(variable_index(y), -affine.constant);
        expressed_[tap->first] =
            joined(IndexKind::add, joined(IndexKind::multiply, number_index(s), variable_index(j)),
                   joined(IndexKind::remainder, shifted, number_index(s)));
        expressed_[strided->first] =
            joined(IndexKind::subtract, joined(IndexKind::divide, shifted, number_index(s)),
                   variable_index(j));
        return true;
    }

    /// The gradient with respect to the output, as a factor.
    [[nodiscard]] FormulaAccess forward_output() const
    {
        FormulaAccess access;
        access.tensor = "d" + forward_.output;
        for (const FormulaVariable& output : forward_.outputs) {
            access.index.push_back(variable_index(output.name));
            access.extents.push_back(output.size);
        }
        return access;
    }

    void multiply(Formula& gradient, FormulaNode factor) const
    {
        if (gradient.accesses.size() == 1 && gradient.term.operands.empty() &&
            gradient.term.kind == NodeKind::number) {
            gradient.term = std::move(factor);
            return;
        }
        FormulaNode product;
        product.kind = NodeKind::multiply;
        product.operands.push_back(std::move(gradient.term));
        product.operands.push_back(std::move(factor));
        gradient.term = std::move(product);
    }
    void add_factor(Formula& gradient, FormulaAccess access) const
    {
        for (FormulaIndex& index : access.index) {
            index = replaced(index, expressed_);
        }
        FormulaNode node;
        node.kind = NodeKind::access;
        node.access = gradient.accesses.size();
        gradient.accesses.push_back(std::move(access));
        multiply(gradient, std::move(node));
    }

    void finish(Formula& gradient) const
    {
        if (gradient.reductions.empty()) { // a product of what is read
            gradient.result = std::move(gradient.term);
            gradient.term = {};
        } else {
            gradient.reduction = Formula::Reduction::sum;
            gradient.result.kind = NodeKind::reduced;
            gradient.term_accesses = gradient.accesses.size();
        }
        gradient.text = forward_.text;
    }

    const Formula& forward_;
    std::vector<FormulaVariable> variables_; ///< of the formula
    std::vector<FormulaVariable> outputs_;   ///< of the gradient
    std::vector<FormulaVariable> taps_;      ///< new variables that are summed over
    std::map<std::string, FormulaIndex> expressed_;
};

} // namespace

Formula formula_gradient(const Formula& sized)
{
    return Gradient(sized).formula();
}

} // namespace texelscope::codegen
