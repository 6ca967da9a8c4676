#include "codegen/lowering/sweep_nest.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/nest/schedule.hpp"
#include "codegen/passes/address_elimination.hpp"
#include "codegen/passes/register_footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace texelscope::codegen {
namespace {

void check(const Sweep& sweep, const Schedule& schedule)
{
    const std::string where =
        fmt::format("configuration '{}' of {}", to_string(schedule), sweep.operator_text);
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
        throw bad_input(
            "a loop order or loops to write out", where,
            "no loop of this operator has a name; leave L and U out (T says what is written out)");
    }
    if (!schedule.turns.empty() || !schedule.turn.empty() || !schedule.frameworks.empty() ||
        schedule.numbering != Numbering::xyz || schedule.sums != Sums::carried) {
        throw bad_input("D, K, N, F or C", where,
                        "these parts are of sums of products; leave them out");
    }
    if (schedule.stage > 0) {
        throw bad_input(fmt::format("S={}", schedule.stage), where,
                        "work-items share no texels of this operator; leave S out");
    }
    if (schedule.vector != 4) {
        throw bad_input(fmt::format("V={}", schedule.vector), where,
                        "vectors are texels here; leave V out");
    }
    if (schedule.splat) {
        throw bad_input(
            "B=splat", where,
            "nothing here multiplies a vector by one component of a texel; leave B out");
    }
}

} // namespace

SweepNest::SweepNest(const Sweep& sweep, const Schedule& schedule, const GivenLayouts& given)
    : sweep_(sweep), schedule_(schedule)
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

    for (std::size_t i = 0; i < sweep.inputs.size(); ++i) {
        add_storage(schedule.patterns[i], given);
    }
    add_storage(schedule.output, given);
    for (const TexelStorage& storage : storages_) {
        nest_.inputs.push_back(storage.operand());
    }
    nest_.output = std::move(nest_.inputs.back());
    nest_.inputs.pop_back();
}

bool SweepNest::is_matrix(const Tensor& tensor) const
{
    return tensor.shape.size() ==
           (sweep_.lines == SweepLines::rows ? sweep_.output.shape.size() : 2);
}

const Tensor& SweepNest::tensor(std::size_t number) const
{
    return number < sweep_.inputs.size() ? sweep_.inputs[number] : sweep_.output;
}

/// Of the next tensor.
void SweepNest::add_storage(AccessPattern pattern, const GivenLayouts& given)
{
    const bool rows = sweep_.lines == SweepLines::rows;
    const std::size_t number = storages_.size();
    const bool output = number == sweep_.inputs.size();
    const Tensor& of = tensor(number);
    TensorLayout own{
        .pattern = pattern, .memory = schedule_.memory_of(number), .storage = schedule_.storage};
    const auto axis = static_cast<int>(sweep_.axis);
    if (!is_matrix(of)) { // a vector, whose texels are neighbours along a row
        own.reduction = 0;
        own.packed = rows || output ? 0 : -1;
    } else if (rows) {
        const auto last = static_cast<int>(of.shape.size()) - 1;
        own.thread = axis == last ? axis - 1 : last; // -1 where the row is all there is
        own.reduction = own.packed = axis;
    } else {
        own.thread = own.packed = 1;
        own.reduction = 0;
    }
    const std::int64_t last_line = line(lines() - 1).bounds().max;
    const std::int64_t last_place = place(IndexExpr(iterations_), rest_ - 1).bounds().max;
    const Variable row{0, "row", {0, output ? sweep_.rows - 1 : rows ? last_line : last_place}};
    const Variable texel{1, "texel", {0, output ? columns_ - 1 : rows ? last_place : last_line}};
    for (const IndexExpr& asked : index(number, IndexExpr(row), IndexExpr(texel))) {
        own.asked.push_back(asked.bounds());
    }
    if (own.packed >= 0) { // whole texels are
        Range& asked = own.asked[static_cast<std::size_t>(own.packed)];
        asked = {asked.min * components, asked.max * components + components - 1};
    }
    TensorLayout layout = layout_of(of, number, own, given);
    // a column alone is a texel's first component either way
    const bool single = sweep_.cols == 1 && layout.packed < 0;
    if (layout.packed != own.packed && !single) {
        throw bad_input(
            "the layout's texels do not hold neighbours along the rows of this operator", of.name,
            "convert it first");
    }
    storages_.emplace_back(of, std::move(layout));
}

/// Of a texel along each dimension: that of columns in texels, the others as they are.
std::vector<IndexExpr> SweepNest::index(std::size_t number, const IndexExpr& row,
                                        const IndexExpr& texel) const
{
    const std::vector<std::int64_t>& shape = tensor(number).shape;
    if (!is_matrix(tensor(number))) {
        const bool along_columns =
            sweep_.lines == SweepLines::columns && number < sweep_.inputs.size();
        return {along_columns ? row : texel};
    }
    std::vector<IndexExpr> digits(shape.size());
    IndexExpr rest = row;
    std::size_t left = shape.size() - 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        if (d == sweep_.axis) {
            digits[d] = texel;
            continue;
        }
        --left;
        digits[d] = left == 0 ? rest : mod(rest, shape[d]);
        rest = floor_div(rest, shape[d]);
    }
    return digits;
}

Placement SweepNest::texel_at(std::size_t number, const IndexExpr& row,
                              const IndexExpr& texel) const
{
    return storages_[number].at(index(number, row, texel));
}

IndexExpr SweepNest::line(std::size_t number) const
{
    return grid_.tile * own_ + static_cast<std::int64_t>(number);
}

IndexExpr SweepNest::place(const IndexExpr& iteration, std::int64_t step) const
{
    return (iteration * step_ + step) * schedule_.split + grid_.grid.part;
}

NumberExpr SweepNest::counted(const Point& at, const NumberExpr& value, double otherwise)
{
    const NumberExpr outside = NumberExpr(otherwise).vector(NumberType::single, components);
    return at.there ? choose(*at.there, value, outside) : value;
}

std::vector<NestValue> SweepNest::accumulators(const std::string& prefix, double start)
{
    std::vector<NestValue> all;
    for (std::size_t i = 0; i < lines(); ++i) {
        all.push_back(nest_.add_value(fmt::format("{}{}", prefix, i), components));
        body_.emplace_back(NestDeclare{
            all.back(), NumberExpr(start).vector(NumberType::single, components), false});
    }
    return all;
}

void SweepNest::assign(NestValue target, const NumberExpr& value)
{
    body_.emplace_back(NestAssign{target, value});
}

NestValue SweepNest::define(const Point& at, const std::string& prefix, const NumberExpr& value)
{
    const NestValue defined = nest_.add_value(prefix + at.label, components);
    body_.emplace_back(NestDeclare{defined, value});
    return defined;
}

std::vector<NestValue>
SweepNest::line_values(const std::string& prefix,
                       const std::function<NumberExpr(std::size_t)>& value_of)
{
    return declare_lines(true, prefix, value_of);
}

std::vector<NestValue>
SweepNest::declare_lines(bool constant, const std::string& prefix,
                         const std::function<NumberExpr(std::size_t)>& value_of)
{
    const bool rows = sweep_.lines == SweepLines::rows;
    std::vector<NestValue> all;
    for (std::size_t i = 0; i < lines(); ++i) {
        NumberExpr value = value_of(i);
        all.push_back(nest_.add_value(fmt::format("{}{}", prefix, i), rows ? 1 : components));
        body_.emplace_back(NestDeclare{all.back(), std::move(value), constant});
    }
    return all;
}

SweepNest::Body SweepNest::iteration(const std::vector<std::size_t>& inputs,
                                     const IndexExpr& number, std::int64_t steps,
                                     const std::function<void(const Point&)>& compute)
{
    Body outside;
    std::swap(outside, body_);
    std::vector<Point> points;
    for (std::int64_t step = 0; step < steps; ++step) {
        Point at;
        at.place = place(number, step);
        if (sweep_.lines == SweepLines::rows && at.place.bounds().max >= sweep_.cols / components) {
            at.there = NumberExpr::components_below(sweep_.cols - components * at.place);
        }
        const std::size_t first = points.size();
        for (at.line = 0; at.line < lines(); ++at.line) {
            at.label = fmt::format("{}_{}_{}", passes_, at.line, step);
            points.push_back(at);
        }
        for (const std::size_t input : inputs) {
            const std::string prefix = lower_case(sweep_.inputs[input].name);
            const bool matrix = is_matrix(sweep_.inputs[input]);
            const bool rows = sweep_.lines == SweepLines::rows;
            for (std::size_t i = 0; i < lines(); ++i) {
                Point& point = points[first + i];
                if (i > 0 && !matrix) {
                    point.read.push_back(points[first].read.back()); // one texel for all lines
                    continue;
                }
                const Placement texel =
                    rows ? texel_at(input, line(i), at.place) : texel_at(input, at.place, line(i));
                const NestValue value = nest_.add_value(
                    matrix ? prefix + point.label : fmt::format("{}{}_{}", prefix, passes_, step),
                    components);
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

void SweepNest::pass(const std::vector<std::size_t>& inputs,
                     const std::function<void(const Point&)>& compute)
{
    const Variable number{slots::first_loop_slot + passes_, "i", {0, iterations_ - 1}};
    ++passes_;
    // a single iteration needs no loop
    const std::int64_t in_loop = iterations_ > 1 ? iterations_ : 0;
    if (in_loop > 0) {
        body_.emplace_back(NestLoop{number, iteration(inputs, IndexExpr(number), step_, compute)});
    }
    const std::int64_t steps = (iterations_ - in_loop) * step_ + rest_;
    for (NestStatement& statement : iteration(inputs, IndexExpr(in_loop), steps, compute)) {
        body_.push_back(std::move(statement));
    }
}

void SweepNest::write(const Point& at, const NumberExpr& value)
{
    const IndexExpr row = line(at.line);
    const Placement texel = texel_at(sweep_.inputs.size(), row, at.place);
    body_.emplace_back(NestWrite{
        texel.x, texel.y, {{at.place, columns_}, {row, sweep_.rows}}, counted(at, value, 0)});
}

void SweepNest::write_line(std::size_t number, const NumberExpr& value)
{
    const IndexExpr column = line(number);
    const Placement texel = texel_at(sweep_.inputs.size(), IndexExpr(0), column);
    std::vector<Guard> guards{{column, columns_}};
    if (schedule_.split > 1) {
        guards.push_back({grid_.grid.part, 1}); // all parts know the result
    }
    body_.emplace_back(NestWrite{texel.x, texel.y, std::move(guards), value});
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
    // a row's sums and exponentials need float32
    nest_.half_registers_per_item = nest_.registers_per_item;
    return std::move(nest_);
}

} // namespace texelscope::codegen
