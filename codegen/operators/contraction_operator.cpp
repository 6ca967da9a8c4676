#include "codegen/operators/contraction_operator.hpp"

#include "codegen/operators/contraction_reference_c.hpp"
#include "codegen/operators/limits.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace texelscope::codegen {
namespace {

Operator::Grid grid_of(const Contraction& contraction)
{
    Operator::Grid grid{{contraction.dim(contraction.x).extent(), contraction.dim(contraction.y).extent()}};
    if (!contraction.z.empty()) {
        grid.extents.push_back(contraction.dim(contraction.z.back()).extent());
        for (std::size_t i = 0; i + 1 < contraction.z.size(); ++i) {
            grid.planes *= contraction.dim(contraction.z[i]).extent();
        }
    }
    return grid;
}

/// Work-items that are neighbours along x find their elements of an input side by side: where it varies with x, that is
/// column; where it does not, they read the same element, and each of them the next along its row.
Schedule starting_schedule(const Contraction& contraction)
{
    Schedule schedule;
    for (const Contraction::Input& input : contraction.inputs) {
        const bool along_x = input.thread >= 0 && input.index[static_cast<std::size_t>(input.thread)].uses_slots(
                                                      contraction.x, contraction.x + 1);
        schedule.patterns.push_back(along_x ? AccessPattern::column : AccessPattern::row);
    }
    schedule.tile = contraction.z.empty() ? std::vector<std::int32_t>{4, 4} : std::vector<std::int32_t>{4, 2, 1};
    schedule.warp = {8, 8};
    schedule.group = {8, 8, 1};
    return schedule;
}

TensorValues absolute(TensorValues tensors)
{
    for (std::vector<float>& values : tensors) {
        for (float& value : values) {
            value = std::abs(value);
        }
    }
    return tensors;
}

} // namespace

double sum_tolerance(double terms)
{
    // A product is rounded once and takes part in at most terms - 1 additions; one more rounding is the reference's.
    // With K roundings |error| <= gamma_K sum |a||b|, gamma_K = K u / (1 - K u), u = 2^-24 (Higham, Accuracy and
    // Stability of Numerical Algorithms, 2002, section 3.1). That ends at K u = 1; from where it doubles K u, twice K
    // u goes on, which bounds inner products of any length (Jeannerod and Rump, Improved Error Bounds for Inner
    // Products in Floating-Point Arithmetic, 2013, prove K u).
    const double roundings = terms + 1;
    const double u = std::numeric_limits<float>::epsilon() / 2.0;
    return roundings * u < 0.5 ? roundings * u / (1 - roundings * u) : 2 * roundings * u;
}

Operator contraction_operator(ContractionOperator parts)
{
    const auto contraction = std::make_shared<const Contraction>(std::move(parts.contraction));
    Operator op;
    op.name = contraction->kernel;
    op.shape = std::move(parts.shape);
    op.padding = std::move(parts.padding);
    for (const Contraction::Input& input : contraction->inputs) {
        op.inputs.push_back(input.tensor);
    }
    op.output = contraction->output;
    const std::string text = to_string(op);
    check_tensors(text, op.inputs);
    check_tensors(text, {op.output});

    op.flops = 2 * parts.products;
    op.nest = [contraction, text, flops = op.flops](const Schedule& schedule) {
        LoopNest nest = lower(*contraction, schedule, text);
        nest.flops = flops;
        return nest;
    };
    op.default_schedule = starting_schedule(*contraction);
    op.reference = std::move(parts.reference);
    op.magnitude = [reference = op.reference](const TensorValues& inputs) { return reference(absolute(inputs)); };
    op.reference_c = [contraction] { return reference_c(*contraction); };
    op.grid = grid_of(*contraction);
    double terms = 1;
    for (const int slot : contraction->reductions) {
        op.reduction_loops.push_back(contraction->dim(slot).name);
        constexpr std::int64_t components = 4; // sums may run over whole texels
        const std::int64_t texels = ceil_div(contraction->dim(slot).extent(), components);
        terms *= static_cast<double>(texels * components);
    }
    op.tolerance = sum_tolerance(terms);
    return op;
}

} // namespace texelscope::codegen
