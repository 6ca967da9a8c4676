#include "codegen/lowering/contraction_reads.hpp"

#include "base/text.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace texelscope::codegen {
namespace {

constexpr NestValue none_yet{-1};

/// A vector of the numbers so far with those of `more` behind them.
std::optional<NumberExpr> beside(const std::optional<NumberExpr>& list, const NumberExpr& more)
{
    return list ? list->beside(more) : more;
}

} // namespace

ContractionReads::ContractionReads(const ContractionPlan& plan, LoopNest& nest)
    : plan_(plan), nest_(nest), next_number_(plan.contraction.inputs.size(), 0)
{
    for (const Contraction::Input& input : plan.contraction.inputs) {
        prefixes_.push_back(lower_case(input.tensor.name));
    }
}

void ContractionReads::enter_body()
{
    leave_body();
    std::fill(next_number_.begin(), next_number_.end(), 0);
}

void ContractionReads::leave_body()
{
    reads_.clear();
    vectors_.clear();
    indices_.clear();
}

void ContractionReads::enter_iteration()
{
    const SumTile::Place& places = plan_.layout.tile.places;
    const auto sums = static_cast<std::size_t>(places[0] * places[1] * places[2]);
    iteration_.assign(plan_.layout.inputs.size() * sums * ContractionLayout::components, none_yet);
}

/// The value of an input in this iteration; none_yet where it has not been read.
NestValue& ContractionReads::in_iteration(std::size_t input, const SumTile::Place& place,
                                          std::int64_t step)
{
    const SumTile::Place& places = plan_.layout.tile.places;
    auto number = static_cast<std::int64_t>(input);
    for (const std::size_t axis : {2U, 1U, 0U}) {
        number = number * places[axis] + place[axis];
    }
    return iteration_[static_cast<std::size_t>(number * ContractionLayout::components + step)];
}

std::string ContractionReads::next_name(std::size_t input)
{
    return prefixes_[input] + std::to_string(next_number_[input]++);
}

/// The value of a read. The read is emitted unless the present run of statements has made it.
NestValue ContractionReads::read(AccessFunction access, int texels, std::vector<NestStatement>& out)
{
    const auto known = std::find_if(reads_.begin(), reads_.end(), [&](const KnownRead& read) {
        return read.access.image == access.image && read.texels == texels &&
               read.access.x == access.x && read.access.y == access.y;
    });
    if (known != reads_.end()) {
        return known->value;
    }
    const NestValue value =
        nest_.add_factor(next_name(static_cast<std::size_t>(access.image)),
                         static_cast<int>(ContractionLayout::components) * texels);
    reads_.push_back({access, texels, value});
    if (blocks_ != nullptr && blocks_->holds(static_cast<std::size_t>(access.image))) {
        out.emplace_back(blocks_->take(value, access));
    } else {
        out.emplace_back(NestRead{value, std::move(access), texels});
    }
    return value;
}

/// The whole vector at a place, for an input that packs the vectorised dimension. Its texels are
/// read at once if they follow each other in a buffer.
NestValue ContractionReads::vector(std::size_t input, const ReductionIteration& iteration,
                                   const SumTile::Place& place, std::int64_t step,
                                   std::vector<NestStatement>& out)
{
    const Schedule& schedule = plan_.schedule;
    const SumTile& tile = plan_.layout.tile;
    const auto axis = static_cast<std::size_t>(tile.vector_axis);
    const int texels = tile.texels_of_sum();
    if (texels == 1) {
        return read(read_at(plan_, input, iteration, place, step), 1, out);
    }
    TexelPlace at = place;
    at[axis] *= texels;
    std::vector<AccessFunction> accesses;
    for (int t = 0; t < texels; ++t) {
        accesses.push_back(read_at(plan_, input, iteration, at, step));
        ++at[axis];
    }
    bool follow = plan_.storages[input].layout().memory == Memory::buffer &&
                  schedule.storage == Storage::fp32 &&
                  (blocks_ == nullptr || !blocks_->holds(input));
    for (int t = 1; t < texels; ++t) {
        follow = follow && accesses[static_cast<std::size_t>(t)].x == accesses[0].x + t;
    }
    if (follow) {
        return read(std::move(accesses[0]), texels, out);
    }
    std::vector<NestValue> values;
    std::optional<NumberExpr> list;
    for (AccessFunction& access : accesses) {
        values.push_back(read(std::move(access), 1, out));
        list = beside(list, values.back());
    }
    const auto known = std::find_if(vectors_.begin(), vectors_.end(),
                                    [&](const KnownVector& v) { return v.texels == values; });
    if (known != vectors_.end()) {
        return known->value;
    }
    const NestValue joined = nest_.add_factor(next_name(input), tile.vector);
    out.emplace_back(NestDeclare{joined, list->vector(NumberType::factor, tile.vector)});
    vectors_.push_back({std::move(values), joined});
    return joined;
}

IndexExpr ContractionReads::named(const IndexExpr& index, std::vector<NestStatement>& out)
{
    const auto as_named = [](Variable variable) {
        ++variable.range.max; // a range of one value would turn the variable into a constant
        return IndexExpr(variable);
    };
    const auto known = std::find_if(indices_.begin(), indices_.end(), [&](const NestIndex& each) {
        return each.definition == index;
    });
    if (known != indices_.end()) {
        return as_named(known->variable);
    }
    const Variable variable{LoopNest::first_number_slot + next_index_,
                            "of" + std::to_string(next_index_), index.bounds()};
    ++next_index_;
    indices_.push_back({variable, index});
    out.emplace_back(indices_.back());
    return as_named(variable);
}

/// The value of an input whose elements are picked out of texels: one number, or a vector if the
/// elements differ along it.
NestValue ContractionReads::gathered(std::size_t input, const ReductionIteration& iteration,
                                     const SumTile::Place& place, std::int64_t step,
                                     std::vector<NestStatement>& out)
{
    const SumTile& tile = plan_.layout.tile;
    const bool vector =
        tile.has_vectors() &&
        plan_.layout.inputs[input].varies[static_cast<std::size_t>(tile.vector_axis)];
    const int numbers = vector ? tile.vector : 1;
    TexelPlace at = place;
    if (vector) {
        at[static_cast<std::size_t>(tile.vector_axis)] *= tile.texels_of_sum();
    }
    std::optional<NumberExpr> list;
    for (int number = 0; number < numbers; ++number) {
        TexelPlace of = at;
        if (vector) {
            of[static_cast<std::size_t>(tile.vector_axis)] += number / 4;
        }
        PickedElement element = element_at(plan_, input, iteration, of, step, number % 4);
        const NestValue texel = read(std::move(element.access), 1, out);
        list = beside(
            list, element.component.is_constant()
                      ? NumberExpr(texel).component(static_cast<int>(element.component.constant()))
                      : NumberExpr(texel).pick(named(element.component, out)));
    }
    const NestValue value = nest_.add_factor(next_name(input), numbers);
    out.emplace_back(
        NestDeclare{value, numbers == 1 ? *list : list->vector(NumberType::factor, numbers)});
    return value;
}

NestFactor ContractionReads::factor(std::size_t input, const ReductionIteration& iteration,
                                    const SumTile::Place& place, std::int64_t step,
                                    std::vector<NestStatement>& out)
{
    using Packs = ContractionLayout::Packs;
    const ContractionLayout::Input& of = plan_.layout.inputs[input];
    const SumTile& tile = plan_.layout.tile;
    SumTile::Place needed{}; // the part of the place that the input depends on
    for (std::size_t axis = 0; axis < 3; ++axis) {
        needed[axis] = of.varies[axis] ? place[axis] : 0;
    }
    int component = 0;
    switch (of.packs) {
    case Packs::vector:
        component = -1;
        break;
    case Packs::channels:
        component = plan_.layout.dot ? -1 : static_cast<int>(step);
        break;
    case Packs::gathered:
        component = -1;
        break;
    case Packs::other: {
        auto& along = needed[static_cast<std::size_t>(1 - tile.vector_axis)];
        component = static_cast<int>(along % ContractionLayout::components);
        along -= along % ContractionLayout::components;
        break;
    }
    case Packs::nothing:
        break;
    }
    const std::int64_t read_step = of.varies_with_step ? step : 0;
    NestValue& value = in_iteration(input, needed, read_step);
    if (value == none_yet) {
        value = of.packs == Packs::vector ? vector(input, iteration, needed, read_step, out)
                : of.packs == Packs::gathered
                    ? gathered(input, iteration, needed, read_step, out)
                    : read(read_at(plan_, input, iteration, needed, read_step), 1, out);
    }
    return {value, component};
}

} // namespace texelscope::codegen
