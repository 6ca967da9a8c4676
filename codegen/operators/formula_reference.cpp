#include "codegen/operators/formula_reference.hpp"

#include "base/text.hpp"
#include "codegen/nest/number_functions.hpp"
#include "codegen/operators/formula_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace texelscope::codegen {
namespace {

using NodeKind = FormulaNode::Kind;
using Reduction = Formula::Reduction;

/// A number and the size that its rounding error is proportional to.
struct Sized {
    double value = 0;
    double size = 0;
};

/// The number that changes nothing when it is reduced with another; what kernels start from.
double neutral(Reduction reduction)
{
    constexpr double largest = std::numeric_limits<float>::max();
    switch (reduction) {
    case Reduction::product:
        return 1;
    case Reduction::largest:
        return -largest;
    case Reduction::smallest:
        return largest;
    default:
        return 0;
    }
}

class Interpreter {
public:
    Interpreter(const Formula& sized, const std::vector<std::vector<float>>& inputs,
                double tolerance)
        : formula_(sized), inputs_(inputs), variables_(variables_of(sized)),
          at_(variables_.size(), 0), reads_(sized.accesses.size()), inside_(sized.accesses.size()),
          tolerance_(tolerance)
    {
        for (const FormulaAccess& access : formula_.accesses) {
            auto& indices = indices_.emplace_back();
            for (const FormulaIndex& index : access.index) {
                indices.push_back(postfix(index));
            }
        }
    }

    FormulaValues run()
    {
        FormulaValues all;
        do {
            const Sized result = output();
            all.values.push_back(result.value);
            if (tolerance_ > 0) {
                all.magnitudes.push_back(result.size);
            }
        } while (step(0, formula_.outputs.size()));
        return all;
    }

private:
    /// One step of an index that is evaluated from left to right on a stack.
    struct IndexStep {
        FormulaIndex::Kind kind = FormulaIndex::Kind::number;
        std::int64_t number = 0; ///< or the place of a variable
    };
    using IndexSteps = std::vector<IndexStep>;

    [[nodiscard]] IndexSteps postfix(const FormulaIndex& index) const
    {
        IndexSteps steps;
        for (const FormulaIndex& operand : index.operands) {
            const IndexSteps before = postfix(operand);
            steps.insert(steps.end(), before.begin(), before.end());
        }
        const auto variable =
            std::ranges::find(variables_, index.variable, &traces::Variable::name);
        steps.push_back({index.kind, index.kind == FormulaIndex::Kind::variable
                                         ? variable - variables_.begin()
                                         : index.number});
        return steps;
    }

    [[nodiscard]] std::int64_t value(const IndexSteps& steps)
    {
        using IndexKind = FormulaIndex::Kind;
        stack_.clear();
        for (const IndexStep& step : steps) {
            if (step.kind == IndexKind::number) {
                stack_.push_back(step.number);
            } else if (step.kind == IndexKind::variable) {
                stack_.push_back(at_[static_cast<std::size_t>(step.number)]);
            } else {
                const std::int64_t b = stack_.back();
                stack_.pop_back();
                std::int64_t& a = stack_.back();
                a = step.kind == IndexKind::add        ? a + b
                    : step.kind == IndexKind::subtract ? a - b
                    : step.kind == IndexKind::multiply ? a * b
                    : step.kind == IndexKind::divide   ? traces::floor_div(a, b)
                                                       : traces::floor_mod(a, b);
            }
        }
        return stack_.back();
    }

    /// Goes to the next point of the variables from `first` up to `last`, the last one fastest.
    bool step(std::size_t first, std::size_t last)
    {
        for (std::size_t v = last; v-- > first;) {
            if (++at_[v] <= variables_[v].range.max) {
                return true;
            }
            at_[v] = 0;
        }
        return false;
    }

    /// Reads what accesses number `first` up to `last` have at this point.
    void read(std::size_t first, std::size_t last)
    {
        for (std::size_t a = first; a < last; ++a) {
            std::int64_t element = 0;
            inside_[a] = true;
            for (std::size_t d = 0; d < indices_[a].size() && inside_[a]; ++d) {
                const std::int64_t extent = formula_.accesses[a].extents[d].number;
                const std::int64_t index = value(indices_[a][d]);
                inside_[a] = index >= 0 && index < extent;
                element = element * extent + index;
            }
            reads_[a] = inside_[a] ? double{inputs_[a][static_cast<std::size_t>(element)]} : 0.0;
        }
    }

    Sized output()
    {
        const std::size_t terms = formula_.term_accesses;
        if (formula_.reduction != Reduction::none) {
            reduced_ = {neutral(formula_.reduction), 0};
            if (formula_.reduction == Reduction::product) {
                reduced_.size = 1;
            }
            do {
                read(0, terms);
                const bool all = std::all_of(inside_.begin(),
                                             inside_.begin() + static_cast<std::ptrdiff_t>(terms),
                                             [](bool inside) { return inside; });
                if (all || formula_.reduction == Reduction::sum) {
                    reduce(of(formula_.term));
                }
            } while (step(formula_.outputs.size(), variables_.size()));
        }
        read(terms, formula_.accesses.size());
        return of(formula_.result);
    }

    void reduce(const Sized& term)
    {
        double& value = reduced_.value;
        switch (formula_.reduction) {
        case Reduction::sum:
            reduced_ = {value + term.value, reduced_.size + term.size};
            break;
        case Reduction::product:
            reduced_ = {value * term.value, reduced_.size * term.size};
            break;
        case Reduction::largest:
            reduced_ = {std::max(value, term.value), std::max(reduced_.size, term.size)};
            break;
        case Reduction::smallest:
            reduced_ = {std::min(value, term.value), std::max(reduced_.size, term.size)};
            break;
        case Reduction::none:
            break;
        }
    }

    [[nodiscard]] Sized of(const FormulaNode& node) const
    {
        if (node.kind == NodeKind::number) {
            return {node.number, std::abs(node.number)};
        }
        if (node.kind == NodeKind::access) {
            return {reads_[node.access], std::abs(reads_[node.access])};
        }
        if (node.kind == NodeKind::reduced) {
            return reduced_;
        }
        const Sized a = of(node.operands[0]);
        if (node.kind == NodeKind::negate) {
            return {-a.value, a.size};
        }
        const Sized b = node.operands.size() > 1 ? of(node.operands[1]) : Sized{};
        switch (node.kind) {
        case NodeKind::add:
            return {a.value + b.value, a.size + b.size};
        case NodeKind::subtract:
            return {a.value - b.value, a.size + b.size};
        case NodeKind::multiply:
            return {a.value * b.value, a.size * b.size};
        case NodeKind::divide:
            return {a.value / b.value, a.size / std::abs(b.value) * (b.size / std::abs(b.value))};
        default:
            return called(function_table[node.function], a, b);
        }
    }

    [[nodiscard]] Sized called(const NumberFunction& function, const Sized& a, const Sized& b) const
    {
        const double value = function.reference(a.value, b.value);
        if (tolerance_ == 0) {
            return {value, 0};
        }
        double moved = 0;
        for (const double sign : {-1.0, 1.0}) {
            const double da = sign * tolerance_ * a.size, db = sign * tolerance_ * b.size;
            moved =
                std::fmax(moved, std::abs(function.reference(a.value + da, b.value) - value) +
                                     std::abs(function.reference(a.value, b.value + db) - value));
        }
        return {value, std::abs(value) + moved / tolerance_};
    }

    const Formula& formula_;
    const std::vector<std::vector<float>>& inputs_;
    std::vector<traces::Variable> variables_;
    std::vector<std::int64_t> at_; ///< value of each variable
    std::vector<std::vector<IndexSteps>> indices_;
    std::vector<std::int64_t> stack_;
    std::vector<double> reads_;
    std::vector<bool> inside_;
    Sized reduced_;
    double tolerance_ = 0; ///< 0: no sizes
};

double roundings(const FormulaNode& node, double reduced)
{
    double first = 0, second = 0;
    if (!node.operands.empty()) {
        first = roundings(node.operands[0], reduced);
        second = node.operands.size() > 1 ? roundings(node.operands[1], reduced) : 0;
    }
    switch (node.kind) {
    case NodeKind::number:
        return 1;
    case NodeKind::access:
        return 0;
    case NodeKind::reduced:
        return reduced;
    case NodeKind::negate:
        return first;
    case NodeKind::add:
    case NodeKind::subtract:
        return std::max(first, second) + 1;
    case NodeKind::multiply:
        return first + second + 1;
    case NodeKind::divide:
        return first + second + 5; // 2.5 units in the last place
    case NodeKind::call:
        break;
    }
    return std::max(first, second) + 32;
}

/// Writes a formula as C, a line for each number.
class CText {
public:
    CText(const Formula& sized, double tolerance)
        : formula_(sized), tolerance_(fmt::format("{:.17g}", tolerance))
    {}

    std::string function()
    {
        std::vector<std::string> parameters;
        for (const FormulaAccess& access : formula_.accesses) {
            parameters.push_back("const float *t_" + access.tensor); // as what names nothing else
        }
        c_.line(fmt::format("static void reference({}, double *VALUE, double *MAGNITUDE)",
                            fmt::join(parameters, ", ")));
        c_.open("{");
        c_.line("long long next = 0;");
        loops(formula_.outputs);
        if (formula_.reduction != Reduction::none) {
            reduce();
        }
        read(formula_.term_accesses, formula_.accesses.size());
        const int result = number(formula_.result);
        c_.line(fmt::format("VALUE[next] = v{};", result));
        c_.line(fmt::format("MAGNITUDE[next++] = s{};", result));
        close(formula_.outputs.size() + 1);
        return c_.text();
    }

private:
    void loops(const std::vector<FormulaVariable>& variables)
    {
        for (const FormulaVariable& variable : variables) {
            c_.open(fmt::format("for (int i_{0} = 0; i_{0} < {1}; ++i_{0}) {{", variable.name,
                                variable.size.number));
        }
    }
    void close(std::size_t count)
    {
        for (; count > 0; --count) {
            c_.close();
        }
    }

    static std::string index_text(const FormulaIndex& index)
    {
        using IndexKind = FormulaIndex::Kind;
        if (index.kind == IndexKind::number) {
            return std::to_string(index.number);
        }
        if (index.kind == IndexKind::variable) {
            return "i_" + index.variable;
        }
        const std::string a = index_text(index.operands[0]), b = index_text(index.operands[1]);
        if (index.kind == IndexKind::divide || index.kind == IndexKind::remainder) {
            // the remainder that is not negative, and the quotient that rounds down
            const std::string rest = fmt::format("(({0} % {1} + {1}) % {1})", a, b);
            return index.kind == IndexKind::remainder ? rest
                                                      : fmt::format("(({} - {}) / {})", a, rest, b);
        }
        const char sign = index.kind == IndexKind::add        ? '+'
                          : index.kind == IndexKind::subtract ? '-'
                                                              : '*';
        return fmt::format("({} {} {})", a, sign, b);
    }

    /// Declares x0, x1, .. as what the accesses have, and in0, in1, .. as whether that lies inside.
    void read(std::size_t first, std::size_t last)
    {
        for (std::size_t a = first; a < last; ++a) {
            const FormulaAccess& access = formula_.accesses[a];
            std::string offset;
            std::vector<std::string> inside;
            for (std::size_t d = 0; d < access.index.size(); ++d) {
                const std::string index = index_text(access.index[d]);
                const std::int64_t extent = access.extents[d].number;
                inside.push_back(fmt::format("{0} >= 0 && {0} < {1}", index, extent));
                offset = d == 0 ? fmt::format("(long long){}", index)
                                : fmt::format("({}) * {} + {}", offset, extent, index);
            }
            c_.line(fmt::format("const int in{} = {};", a, fmt::join(inside, " && ")));
            c_.line(fmt::format("const double x{0} = in{0} ? t_{1}[{2}] : 0.0;", a, access.tensor,
                                offset));
        }
    }

    void reduce()
    {
        c_.line(fmt::format("double reduced = {:.9g}, size = {};", neutral(formula_.reduction),
                            formula_.reduction == Reduction::product ? 1 : 0));
        loops(formula_.reductions);
        read(0, formula_.term_accesses);
        const bool sum = formula_.reduction == Reduction::sum;
        if (!sum) {
            std::vector<std::string> inside;
            for (std::size_t a = 0; a < formula_.term_accesses; ++a) {
                inside.push_back(fmt::format("in{}", a));
            }
            c_.open(fmt::format("if ({}) {{", fmt::join(inside, " && ")));
        }
        const int term = number(formula_.term);
        switch (formula_.reduction) {
        case Reduction::sum:
            c_.line(fmt::format("reduced += v{0}, size += s{0};", term));
            break;
        case Reduction::product:
            c_.line(fmt::format("reduced *= v{0}, size *= s{0};", term));
            break;
        default:
            c_.line(fmt::format("reduced = {1}(reduced, v{0}), size = fmax(size, s{0});", term,
                                formula_.reduction == Reduction::largest ? "fmax" : "fmin"));
        }
        close(formula_.reductions.size() + (sum ? 0 : 1));
    }

    static std::string call_text(const NumberFunction& function, const std::string& a,
                                 const std::string& b)
    {
        if (function.name == "sign") {
            return fmt::format("(double)(({0} > 0) - ({0} < 0))", a);
        }
        if (function.name == "rsqrt") {
            return fmt::format("1.0 / sqrt({})", a);
        }
        return function.operands == 1 ? fmt::format("{}({})", function.name, a)
                                      : fmt::format("{}({}, {})", function.name, a, b);
    }

    /// Declares vN and sN, the number of a node and its size; returns N.
    int number(const FormulaNode& node)
    {
        std::vector<int> of;
        for (const FormulaNode& operand : node.operands) {
            of.push_back(number(operand));
        }
        const int n = next_++;
        const auto declare = [&](const std::string& value, const std::string& size) {
            c_.line(fmt::format("const double v{0} = {1}, s{0} = {2};", n, value, size));
        };
        const std::string a = of.empty() ? "" : std::to_string(of[0]);
        const std::string b = of.size() < 2 ? "" : std::to_string(of[1]);
        switch (node.kind) {
        case NodeKind::number:
            declare(fmt::format("{:.17g}", node.number),
                    fmt::format("{:.17g}", std::abs(node.number)));
            break;
        case NodeKind::access:
            declare(fmt::format("x{}", node.access), fmt::format("fabs(x{})", node.access));
            break;
        case NodeKind::reduced:
            declare("reduced", "size");
            break;
        case NodeKind::negate:
            declare("-v" + a, "s" + a);
            break;
        case NodeKind::add:
        case NodeKind::subtract:
            declare(fmt::format("v{} {} v{}", a, node.kind == NodeKind::add ? '+' : '-', b),
                    fmt::format("s{} + s{}", a, b));
            break;
        case NodeKind::multiply:
            declare(fmt::format("v{} * v{}", a, b), fmt::format("s{} * s{}", a, b));
            break;
        case NodeKind::divide:
            declare(fmt::format("v{} / v{}", a, b),
                    fmt::format("s{0} / fabs(v{1}) * (s{1} / fabs(v{1}))", a, b));
            break;
        case NodeKind::call:
            called(function_table[node.function], n, "v" + a, "s" + a, b);
            break;
        }
        return n;
    }

    void called(const NumberFunction& function, int n, const std::string& v, const std::string& s,
                const std::string& b)
    {
        const std::string vb = b.empty() ? "" : "v" + b;
        c_.line(fmt::format("const double v{} = {};", n, call_text(function, v, vb)));
        std::vector<std::string> moved;
        for (const char sign : {'-', '+'}) {
            const std::string da = fmt::format("{} {} {} * {}", v, sign, tolerance_, s);
            std::string distance =
                fmt::format("fabs({} - v{})", call_text(function, "(" + da + ")", vb), n);
            if (!b.empty()) {
                const std::string db = fmt::format("{} {} {} * s{}", vb, sign, tolerance_, b);
                distance += fmt::format(" + fabs({} - v{})", call_text(function, v, db), n);
            }
            moved.push_back(distance);
        }
        c_.line(fmt::format("const double s{0} = fabs(v{0}) + fmax({1}, {2}) / {3};", n, moved[0],
                            moved[1], tolerance_));
    }

    const Formula& formula_;
    std::string tolerance_;
    IndentedText c_;
    int next_ = 0;
};

} // namespace

FormulaValues formula_values(const Formula& sized, const std::vector<std::vector<float>>& inputs,
                             double tolerance)
{
    return Interpreter(sized, inputs, tolerance).run();
}

double formula_roundings(const Formula& sized)
{
    double terms = 1;
    for (const FormulaVariable& variable : sized.reductions) {
        terms *= static_cast<double>(traces::ceil_div(variable.size.number, 4) * 4); // whole texels
    }
    double reduced = sized.reduction == Reduction::none ? 0 : roundings(sized.term, 0);
    if (sized.reduction == Reduction::sum) {
        reduced += terms;
    } else if (sized.reduction == Reduction::product) {
        reduced = (reduced + 1) * terms;
    }
    return roundings(sized.result, reduced);
}

std::string formula_reference_c(const Formula& sized, double tolerance)
{
    return CText(sized, tolerance).function();
}

} // namespace texelscope::codegen
