#include "codegen/nest/arithmetic.hpp"

#include "codegen/nest/loop_nest.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>

namespace texelscope::codegen {
namespace {

using NumberNode = NumberExpr::Node;
using NumberKind = NumberExpr::Kind;

constexpr double division =
    12; // Mesa 26.1.6, Adreno 740: a reciprocal and the steps that make it exact
// The result is a mask, and a further operation tests its sign.
constexpr double vector_comparison = 3;
constexpr double choice_of_component = 3;

class Count {
public:
    Count(const NumberExpr& expression, const LoopNest& nest) : expression_(expression), nest_(nest)
    {
        for (const NumberNode& node : expression.nodes()) {
            numbers_.push_back(numbers_of(node));
            add(node);
        }
        const NumberNode& whole = expression.whole();
        if (is_modifier(whole)) { // no other operation takes it in on the way
            sum_.operations += numbers_.back();
        }
        sum_.numbers = numbers_.back();
    }

    [[nodiscard]] const Arithmetic& sum() const { return sum_; }

private:
    [[nodiscard]] static bool is_modifier(const NumberNode& node)
    {
        return node.kind == NumberKind::negate ||
               (node.kind == NumberKind::call && node.function().modifies);
    }
    [[nodiscard]] double of(const NumberNode& node, std::size_t operand) const
    {
        return numbers_[node.operands[operand]];
    }

    [[nodiscard]] double numbers_of(const NumberNode& node) const
    {
        constexpr int texel = 4;
        switch (node.kind) {
        case NumberKind::value:
            return nest_.values[static_cast<std::size_t>(node.which)].registers;
        case NumberKind::add:
        case NumberKind::subtract:
        case NumberKind::multiply:
        case NumberKind::divide:
        case NumberKind::less:
        case NumberKind::greater:
            return std::max(of(node, 0), of(node, 1));
        case NumberKind::call:
            return node.function().sums           ? 1
                   : node.function().operands > 1 ? std::max(of(node, 0), of(node, 1))
                                                  : of(node, 0);
        case NumberKind::choose:
            return std::max(of(node, 1), of(node, 2));
        case NumberKind::beside:
            return of(node, 0) + of(node, 1);
        case NumberKind::vector:
        case NumberKind::convert:
            return node.which;
        case NumberKind::negate:
        case NumberKind::grouped:
            return of(node, 0);
        case NumberKind::part:
        case NumberKind::components_below:
        case NumberKind::keep_first:
            return texel;
        default:
            return 1;
        }
    }

    void add(const NumberNode& node)
    {
        const double numbers = numbers_.back();
        switch (node.kind) {
        case NumberKind::add:
        case NumberKind::subtract:
        case NumberKind::multiply:
        case NumberKind::both:
        case NumberKind::index:
        case NumberKind::index_is:
        case NumberKind::index_below:
            sum_.operations += numbers;
            return;
        case NumberKind::components_below:
            sum_.operations += is_settled(node) ? 0 : numbers;
            return;
        case NumberKind::choose:
            sum_.operations += is_settled(expression_.nodes()[node.operands[0]]) ? 0 : numbers;
            return;
        case NumberKind::divide:
            sum_.operations += numbers * (is_constant(node.operands[1]) ? 1 : division);
            return;
        case NumberKind::less:
        case NumberKind::greater:
            sum_.operations += numbers > 1 ? vector_comparison * numbers : 1;
            return;
        case NumberKind::pick:
            sum_.operations += choice_of_component;
            return;
        case NumberKind::convert:
            sum_.operations += nest_.half_sums ? numbers : 0;
            return;
        case NumberKind::call: {
            const NumberFunction& function = node.function();
            // A dot product with ones needs no products, only the additions: one less than there
            // are numbers.
            const double each = !function.sums                  ? numbers
                                : is_constant(node.operands[1]) ? of(node, 0) - 1
                                                                : of(node, 0);
            sum_.operations += function.operations * each;
            sum_.exponentials += function.exponentials * each;
            return;
        }
        default:
            return;
        }
    }

    /// Whether the compiler knows which components the condition selects, so that the choice costs
    /// nothing when the kernel runs.
    [[nodiscard]] bool is_settled(const NumberNode& condition) const
    {
        return condition.kind == NumberKind::components_below &&
               expression_.indices()[static_cast<std::size_t>(condition.index)].is_constant();
    }

    /// Whether a node is a constant, also where it is repeated as a vector.
    [[nodiscard]] bool is_constant(std::size_t number) const
    {
        const NumberNode& node = expression_.nodes()[number];
        return node.kind == NumberKind::constant ||
               (node.kind == NumberKind::vector && is_constant(node.operands[0]));
    }

    const NumberExpr& expression_;
    const LoopNest& nest_;
    boost::container::small_vector<double, 16> numbers_; ///< how many numbers each node has
    Arithmetic sum_;
};

} // namespace

int Arithmetic::chain() const
{
    return static_cast<int>(
        std::lround((operations + operations_of_exponential * exponentials) / numbers));
}

Arithmetic arithmetic_of(const NumberExpr& expression, const LoopNest& nest)
{
    return Count(expression, nest).sum();
}

Arithmetic arithmetic_of(const NestAssign& assign, const LoopNest& nest)
{
    Arithmetic sum = arithmetic_of(assign.value, nest);
    sum.numbers = nest.values[static_cast<std::size_t>(assign.target)].registers;
    sum.operations += assign.how == NestAssign::How::replace ? 0 : sum.numbers;
    return sum;
}

bool joins_values(const NumberExpr& expression)
{
    int values = 0;
    for (const NumberNode& node : expression.nodes()) {
        switch (node.kind) {
        case NumberKind::value:
            ++values;
            break;
        case NumberKind::constant:
        case NumberKind::component:
        case NumberKind::part:
        case NumberKind::beside:
        case NumberKind::vector:
            break;
        default:
            return false;
        }
    }
    return values > 1;
}

} // namespace texelscope::codegen
