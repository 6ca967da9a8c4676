#include "codegen/lowering/sweep_nest.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/passes/address_elimination.hpp"
#include "codegen/passes/register_footprint.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace texelscope::codegen {
namespace {

void check(const Sweep& sweep, const Schedule& schedule)
{
    const std::string where = fmt::format("configuration '{}' of {}", to_string(schedule), sweep.operator_text);
    std::vector<std::string> names;
    for (const Tensor& input : sweep.inputs) {
        names.push_back(input.name);
    }
    check_schedule(schedule, names, where);
    if (schedule.tile.size() != 2) {
        throw bad_input(fmt::format("a tile with {} sizes", schedule.tile.size()), where,
                        "give columns x rows, for example T=4x1");
    }
    if (schedule.tile[0] % SweepNest::components != 0) {
        throw bad_input(fmt::format("a tile of {} columns", schedule.tile[0]), where,
                        "columns go by texels; give a multiple of four");
    }
    if (!schedule.order.empty() || !schedule.unroll.empty()) {
        throw bad_input("a loop order or loops to write out", where,
                        "no loop of this operator has a name; leave L and U out (T says what is written out)");
    }
    if (schedule.stage > 0) {
        throw bad_input(fmt::format("S={}", schedule.stage), where,
                        "work-items share no texels of this operator; leave S out");
    }
    if (schedule.vector != 4) {
        throw bad_input(fmt::format("V={}", schedule.vector), where, "vectors are texels here; leave V out");
    }
    if (schedule.splat) {
        throw bad_input("B=splat", where, "nothing here multiplies a vector by one component of a texel; leave B out");
    }
}

} // namespace

SweepNest::SweepNest(const Sweep& sweep, const Schedule& schedule) : sweep_(sweep), schedule_(schedule)
{
    check(sweep, schedule);
    const bool rows = sweep.lines == SweepLines::rows;
    const std::int64_t tile_columns = schedule.tile[0] / components;
    columns_ = ceil_div(sweep.cols, components);
    all_lines_ = rows ? sweep.rows : columns_;
    all_places_ = rows ? columns_ : sweep.rows;
    own_ = rows ? schedule.tile[1] : tile_columns;
    step_ = rows ? tile_columns : schedule.tile[1];
    grid_ = linear_grid(schedule, rows ? 1 : 0, ceil_div(all_lines_, own_));
    const std::int64_t whole = rows ? sweep.cols / components : sweep.rows;
    iterations_ = whole / (step_ * schedule.split);
    rest_ = ceil_div(all_places_ - iterations_ * step_ * schedule.split, schedule.split);

    nest_.name = sweep.kernel;
    nest_.operator_text = sweep.operator_text;
    nest_.schedule_text = to_string(schedule);
    nest_.groups = grid_.grid.groups;
    nest_.local = grid_.grid.local;
    nest_.names = grid_.grid.names;
    nest_.guards = grid_.grid.guards;
    nest_.collective = schedule.split > 1;
    nest_.flops = sweep.flops;

    const PackedDim owned{all_lines_, {0, line(lines() - 1).bounds().max}};
    const PackedDim along{all_places_, {0, place(IndexExpr(iterations_), rest_ - 1).bounds().max}};
    for (std::size_t i = 0; i < sweep.inputs.size(); ++i) {
        const bool vector = sweep.inputs[i].shape.size() == 1;
        packings_.emplace_back(schedule.patterns[i], schedule.memory_of(i), vector ? PackedDim{} : owned, along,
                               std::vector<PackedDim>{}, sweep.inputs[i].name);
        nest_.inputs.push_back(operand(sweep.inputs[i], i, rows));
    }
    const std::int64_t output_rows = rows ? sweep.rows : 1;
    packings_.emplace_back(AccessPattern::row, schedule.memory_of(sweep.inputs.size()),
                           PackedDim{output_rows, {0, output_rows - 1}}, PackedDim{columns_, {0, columns_ - 1}},
                           std::vector<PackedDim>{}, sweep.output.name);
    nest_.output = operand(sweep.output, sweep.inputs.size(), true);
}

/// `number`: of the packing; `over_columns`: which dimension a vector has.
Operand SweepNest::operand(const Tensor& tensor, std::size_t number, bool over_columns) const
{
    const std::vector<Variable> index = tensor_index(tensor);
    const bool matrix = tensor.shape.size() == 2;
    const IndexExpr row = matrix || !over_columns ? IndexExpr(index[0]) : IndexExpr(0);
    const IndexExpr column = matrix || over_columns ? IndexExpr(index.back()) : IndexExpr(0);
    const IndexExpr texel = floor_div(column, components);
    const bool output = number == sweep_.inputs.size();
    const Placement at = output || sweep_.lines == SweepLines::rows ? packings_[number].at(row, texel, {})
                                                                    : packings_[number].at(texel, row, {});
    return {.tensor = tensor,
            .image = {tensor.name, packings_[number].extent(), Bytes{bytes_per_texel(schedule_.storage)},
                      AddressMode::border},
            .memory = schedule_.memory_of(number),
            .storage = schedule_.storage,
            .x = at.x,
            .y = at.y,
            .component = mod(column, components)};
}

IndexExpr SweepNest::line(std::size_t number) const
{
    return grid_.tile * own_ + static_cast<std::int64_t>(number);
}

IndexExpr SweepNest::place(const IndexExpr& iteration, std::int64_t step) const
{
    return (iteration * step_ + step) * schedule_.split + grid_.grid.part;
}

SweepNest::Expression SweepNest::put_together(std::string_view format, const std::vector<Expression>& parts)
{
    fmt::dynamic_format_arg_store<fmt::format_context> texts;
    Expression all;
    for (const Expression& part : parts) {
        texts.push_back(part.text);
        all.uses.insert(all.uses.end(), part.uses.begin(), part.uses.end());
    }
    all.text = fmt::vformat(format, texts);
    return all;
}

SweepNest::Expression SweepNest::counted(const Point& at, Expression value, const std::string& otherwise)
{
    if (!at.there.empty()) {
        value.text = fmt::format("select((float4)({}), {}, {})", otherwise, value.text, at.there);
    }
    return value;
}

std::vector<ValueId> SweepNest::accumulators(const std::string& prefix, const std::string& start)
{
    std::vector<ValueId> all;
    for (std::size_t i = 0; i < lines(); ++i) {
        const ValueId value = nest_.add_value(fmt::format("{}{}", prefix, i), components);
        body_.emplace_back(NestCompute{fmt::format("float4 {} = (float4)({});", nest_.name_of(value), start), value});
        all.push_back(value);
    }
    return all;
}

void SweepNest::assign(ValueId target, const Expression& value)
{
    std::vector<ValueId> uses = value.uses;
    uses.push_back(target);
    body_.emplace_back(NestCompute{fmt::format("{} = {};", nest_.name_of(target), value.text), -1, std::move(uses)});
}

ValueId SweepNest::define(const Point& at, const std::string& prefix, const Expression& value)
{
    const ValueId defined = nest_.add_value(prefix + at.label, components);
    body_.emplace_back(
        NestCompute{fmt::format("const float4 {} = {};", nest_.name_of(defined), value.text), defined, value.uses});
    return defined;
}

std::vector<ValueId> SweepNest::line_values(const std::string& prefix,
                                            const std::function<Expression(std::size_t)>& value_of)
{
    return declare_lines("const ", prefix, value_of);
}

std::vector<ValueId> SweepNest::declare_lines(const std::string& qualifier, const std::string& prefix,
                                              const std::function<Expression(std::size_t)>& value_of)
{
    const bool rows = sweep_.lines == SweepLines::rows;
    std::vector<ValueId> all;
    for (std::size_t i = 0; i < lines(); ++i) {
        const Expression value = value_of(i);
        all.push_back(nest_.add_value(fmt::format("{}{}", prefix, i), rows ? 1 : components));
        body_.emplace_back(NestCompute{
            fmt::format("{}{} {} = {};", qualifier, rows ? "float" : "float4", nest_.name_of(all.back()), value.text),
            all.back(), value.uses});
    }
    return all;
}

SweepNest::Body SweepNest::iteration(const std::vector<std::size_t>& inputs, const IndexExpr& number,
                                     std::int64_t steps, const std::function<void(const Point&)>& compute)
{
    Body outside;
    std::swap(outside, body_);
    std::vector<Point> points;
    for (std::int64_t step = 0; step < steps; ++step) {
        Point at;
        at.place = place(number, step);
        if (sweep_.lines == SweepLines::rows && at.place.bounds().max >= sweep_.cols / components) {
            at.there = fmt::format("(int4)(0, 1, 2, 3) < {}", (sweep_.cols - components * at.place).to_opencl());
        }
        const std::size_t first = points.size();
        for (at.line = 0; at.line < lines(); ++at.line) {
            at.label = fmt::format("{}_{}_{}", passes_, at.line, step);
            points.push_back(at);
        }
        for (const std::size_t input : inputs) {
            const std::string prefix = lower_case(sweep_.inputs[input].name);
            const bool matrix = sweep_.inputs[input].shape.size() == 2;
            for (std::size_t i = 0; i < lines(); ++i) {
                Point& point = points[first + i];
                if (i > 0 && !matrix) {
                    point.read.push_back(points[first].read.back()); // one texel for all lines
                    continue;
                }
                const Placement texel = packings_[input].at(matrix ? line(i) : IndexExpr(0), at.place, {});
                const ValueId value = nest_.add_value(
                    matrix ? prefix + point.label : fmt::format("{}{}_{}", prefix, passes_, step), components);
                body_.emplace_back(NestRead{value, {static_cast<int>(input), texel.x, texel.y}});
                point.read.push_back(value);
            }
        }
    }
    for (const Point& point : points) {
        compute(point);
    }
    std::swap(outside, body_);
    return outside;
}

void SweepNest::pass(const std::vector<std::size_t>& inputs, const std::function<void(const Point&)>& compute)
{
    const Variable number{slots::first_loop_slot + passes_, "i", {0, iterations_ - 1}};
    ++passes_;
    const std::int64_t in_loop = iterations_ > 1 ? iterations_ : 0; // a single iteration needs no loop
    if (in_loop > 0) {
        body_.emplace_back(NestLoop{number, iteration(inputs, IndexExpr(number), step_, compute)});
    }
    const std::int64_t steps = (iterations_ - in_loop) * step_ + rest_;
    for (NestStatement& statement : iteration(inputs, IndexExpr(in_loop), steps, compute)) {
        body_.push_back(std::move(statement));
    }
}

void SweepNest::write(const Point& at, const Expression& value)
{
    const IndexExpr row = line(at.line);
    const Placement texel = packings_.back().at(row, at.place, {});
    const Expression padded = counted(at, value, "0.0f");
    body_.emplace_back(
        NestWrite{texel.x, texel.y, {{at.place, columns_}, {row, sweep_.rows}}, padded.text, padded.uses});
}

void SweepNest::write_line(std::size_t number, const Expression& value)
{
    const IndexExpr column = line(number);
    const Placement texel = packings_.back().at(IndexExpr(0), column, {});
    std::vector<Guard> guards{{column, columns_}};
    if (schedule_.split > 1) {
        guards.push_back({grid_.grid.part, 1}); // all parts know the result
    }
    body_.emplace_back(NestWrite{texel.x, texel.y, std::move(guards), value.text, value.uses});
}

LoopNest SweepNest::finish(double multiply_adds) &&
{
    nest_.body = std::move(body_);
    nest_.multiply_adds_per_item =
        static_cast<double>((iterations_ * step_ + rest_) * own_ * components) * multiply_adds;
    if (schedule_.eliminate_addresses) {
        eliminate_addresses(nest_);
    }
    nest_.registers_per_item = register_footprint(nest_);
    nest_.half_registers_per_item = nest_.registers_per_item; // a row's sums and exponentials need float32
    return std::move(nest_);
}

} // namespace texelscope::codegen
