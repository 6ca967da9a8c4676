#include "codegen/operators/contraction_operator.hpp"

#include "base/text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/operators/operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace texelscope::codegen {
namespace {

// x and y are tiled by T; of the fused dimensions z, the last one is, too, and the others repeat.
Operator::Grid grid_of(const Contraction& contraction)
{
    Operator::Grid grid{
        {contraction.dim(contraction.x).extent(), contraction.dim(contraction.y).extent()}};
    if (!contraction.z.empty()) {
        grid.extents.push_back(contraction.dim(contraction.z.back()).extent());
        for (std::size_t i = 0; i + 1 < contraction.z.size(); ++i) {
            grid.planes *= contraction.dim(contraction.z[i]).extent();
        }
    }
    return grid;
}

/// Work-items that are neighbours along x find their elements of an input side by side: where it
/// varies with x, that is column; where it does not, they read the same element, and each of them
/// the next along its row.
Schedule starting_schedule(const Contraction& contraction)
{
    Schedule schedule;
    for (const Contraction::Input& input : contraction.inputs) {
        const bool along_x =
            input.thread >= 0 && input.index[static_cast<std::size_t>(input.thread)].uses_slots(
                                     contraction.x, contraction.x + 1);
        schedule.patterns.push_back(along_x ? AccessPattern::column : AccessPattern::row);
    }
    schedule.tile = contraction.z.empty() ? std::vector<std::int32_t>{4, 4}
                                          : std::vector<std::int32_t>{4, 2, 1};
    schedule.warp = {8, 8};
    schedule.group = {8, 8, 1};
    return schedule;
}

// The magnitude of a sum of products is the reference of the absolute inputs.
TensorValues absolute(TensorValues tensors)
{
    for (std::vector<float>& values : tensors) {
        for (float& value : values) {
            value = std::abs(value);
        }
    }
    return tensors;
}

void open_loops(IndentedText& c, const Contraction& contraction, const std::vector<int>& slots)
{
    for (const int slot : slots) {
        const Variable& dim = contraction.dim(slot);
        c.open(fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", dim.name, dim.extent()));
    }
}

void close_loops(IndentedText& c, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        c.close();
    }
}

/// Declares TENSOR_0, TENSOR_1, ... as the index along each dimension; returns the conditions under
/// which they lie inside of the tensor, those that always hold left out.
std::vector<std::string> declare_index(IndentedText& c, const Tensor& tensor,
                                       const std::vector<IndexExpr>& index)
{
    std::vector<std::string> inside;
    for (std::size_t d = 0; d < index.size(); ++d) {
        const std::string name = fmt::format("{}_{}", tensor.name, d);
        c.line(fmt::format("const int {} = {};", name, index[d].to_opencl()));
        const Range bounds = index[d].bounds();
        if (bounds.min < 0) {
            inside.push_back(fmt::format("{} >= 0", name));
        }
        if (bounds.max >= tensor.shape[d]) {
            inside.push_back(fmt::format("{} < {}", name, tensor.shape[d]));
        }
    }
    return inside;
}

/// The element at the declared index: "((long long)X_0 * 5 + X_1) * 3 + X_2".
std::string element(const Tensor& tensor)
{
    std::string offset = fmt::format("(long long){}_0", tensor.name);
    for (std::size_t d = 1; d < tensor.shape.size(); ++d) {
        const std::string factor = d == 1 ? offset : fmt::format("({})", offset);
        offset = fmt::format("{} * {} + {}_{}", factor, tensor.shape[d], tensor.name, d);
    }
    return offset;
}

} // namespace

double sum_tolerance(double terms)
{
    // A product is rounded once and takes part in at most terms - 1 additions; one more rounding is
    // the reference's. With K roundings |error| <= gamma_K sum |a||b|, gamma_K = K u / (1 - K u), u
    // = 2^-24 (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). That
    // ends at K u = 1; from where it doubles K u, twice K u goes on, which bounds inner products of
    // any length (Jeannerod and Rump, Improved Error Bounds for Inner Products in Floating-Point
    // Arithmetic, 2013, prove K u).
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
    op.lower = [contraction, text, flops = op.flops](const Schedule& schedule,
                                                     const GivenLayouts& given) {
        LoopNest nest = lower(*contraction, schedule, text, given);
        nest.flops = flops;
        return nest;
    };
    op.default_schedule = starting_schedule(*contraction);
    op.reference = std::move(parts.reference);
    op.magnitude = [reference = op.reference](const TensorValues& inputs) {
        return reference(absolute(inputs));
    };
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

std::string reference_c(const Contraction& contraction)
{
    std::vector<std::string> parameters;
    std::vector<std::string> factors;
    for (const Contraction::Input& input : contraction.inputs) {
        parameters.push_back("const float *" + input.tensor.name);
        factors.push_back(fmt::format("(double){}[{}]", input.tensor.name, element(input.tensor)));
    }
    parameters.push_back("double *" + contraction.output.name);

    IndentedText c;
    c.line(
        fmt::format("static void reference({}, double *MAGNITUDE)", fmt::join(parameters, ", ")));
    c.open("{");
    open_loops(c, contraction, contraction.outputs);
    const std::vector<std::string> is_output =
        declare_index(c, contraction.output, contraction.output_index);
    if (!is_output.empty()) {
        c.open(fmt::format("if (!({})) {{", fmt::join(is_output, " && ")));
        c.line("continue;");
        c.close();
    }
    c.line("double sum = 0.0;");
    c.line("double magnitude = 0.0;");
    open_loops(c, contraction, contraction.reductions);
    std::vector<std::string> inside;
    for (const Contraction::Input& input : contraction.inputs) {
        const std::vector<std::string> conditions = declare_index(c, input.tensor, input.index);
        inside.insert(inside.end(), conditions.begin(), conditions.end());
    }
    if (!inside.empty()) {
        c.open(fmt::format("if ({}) {{", fmt::join(inside, " && ")));
    }
    c.line(fmt::format("const double product = {};", fmt::join(factors, " * ")));
    c.line("sum += product;");
    c.line("magnitude += product < 0.0 ? -product : product;");
    close_loops(c, contraction.reductions.size() + (inside.empty() ? 0 : 1));
    c.line(fmt::format("{}[{}] = sum;", contraction.output.name, element(contraction.output)));
    c.line(fmt::format("MAGNITUDE[{}] = magnitude;", element(contraction.output)));
    close_loops(c, contraction.outputs.size() + 1);
    return c.text();
}

} // namespace texelscope::codegen
