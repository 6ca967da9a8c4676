
#include "codegen/operators/sweep_operator.hpp"

#include "codegen/operators/operator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace texelscope::codegen {
namespace {

std::vector<float> to_floats(const std::vector<double>& values)
{
    std::vector<float> floats(values.size());
    std::transform(values.begin(), values.end(), floats.begin(),
                   [](double v) { return static_cast<float>(v); });
    return floats;
}

Schedule default_schedule(const SweepOperator& own)
{
    // Consecutive work-items take consecutive lines; the pattern puts what they read together next
    // to each other.
    const bool rows = own.lines == SweepLines::rows;
    Schedule schedule;
    schedule.patterns.assign(own.inputs.size(), rows ? AccessPattern::row : AccessPattern::column);
    schedule.tile = {4, 1};
    schedule.group = rows ? Dim3{1, 64, 1} : Dim3{64, 1, 1};
    schedule.warp = {schedule.group[0], schedule.group[1]};
    return schedule;
}

std::string reference_text(const SweepOperator& own)
{
    std::string arguments;
    for (const Tensor& input : own.inputs) {
        arguments += "const float *" + input.name + ", ";
    }
    return fmt::format("static void reference({}double *{}, double *MAGNITUDE)\n{{\n    enum {{ "
                       "ROWS = {}, COLS = {} }};\n",
                       arguments, own.output.name, own.rows, own.cols) +
           own.reference_c + "}\n";
}

} // namespace

Operator sweep_operator(const SweepOperator& own)
{
    check_sizes(own.name, {own.rows, own.cols}, "ROWS,COLS");
    check_tensors(fmt::format("{} {},{}", own.name, own.rows, own.cols), own.inputs);
    Operator op;
    op.name = own.name;
    op.shape = {own.rows, own.cols};
    op.inputs = own.inputs;
    op.output = own.output;
    op.flops = own.operations * static_cast<double>(own.rows) * static_cast<double>(own.cols);
    op.lower = [own, flops = op.flops](const Schedule& schedule, const GivenLayouts& given) {
        const Sweep sweep{.kernel = own.name,
                          .operator_text = fmt::format("{} {},{}", own.name, own.rows, own.cols),
                          .lines = own.lines,
                          .rows = own.rows,
                          .cols = own.cols,
                          .axis = own.axis,
                          .inputs = own.inputs,
                          .output = own.output,
                          .flops = flops};
        return own.build(SweepNest(sweep, schedule, given));
    };
    op.default_schedule = default_schedule(own);
    op.reference = [own](const TensorValues& inputs) {
        return to_floats(own.reference(inputs).value);
    };
    op.magnitude = [own](const TensorValues& inputs) {
        return to_floats(own.reference(inputs).magnitude);
    };
    // n roundings one after the other: (1 + u)^n - 1 <= n u / (1 - n u), while n u < 1.
    const double relative = own.roundings * unit_roundoff;
    op.tolerance = relative / (1 - std::min(relative, 0.5));
    op.reference_c = [text = reference_text(own)] { return text; };
    const bool rows = own.lines == SweepLines::rows;
    op.grid.extents =
        rows ? std::vector<std::int64_t>{1, own.rows} : std::vector<std::int64_t>{own.cols, 1};
    op.grid.tiled = {own.cols, own.rows};
    op.grid.tile_multiple = SweepNest::components;
    return op;
}

} // namespace texelscope::codegen
