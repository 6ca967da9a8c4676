#include "codegen/lowering/contraction_layout.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace texelscope::codegen {
namespace {

using Packs = ContractionLayout::Packs;

std::int64_t extent(const Contraction& contraction, int slot)
{
    return slot < 0 ? 1 : contraction.dim(slot).extent();
}

/// Whether an index is just the dimension `slot`: no offset, no factor, nothing added.
bool is_plain(const IndexExpr& index, int slot)
{
    const Variable* variable = index.as_variable();
    return variable != nullptr && variable->slot == slot;
}

/// Whether some index of the input depends on the dimension `slot`.
bool depends(const Contraction::Input& input, int slot)
{
    return slot >= 0 &&
           std::any_of(input.index.begin(), input.index.end(),
                       [&](const IndexExpr& index) { return index.uses_slots(slot, slot + 1); });
}

/// Number of the input tensor's dimension whose index is just the dimension `slot`, or -1.
int plain_dimension(const Contraction::Input& input, int slot)
{
    const auto plain = std::find_if(input.index.begin(), input.index.end(),
                                    [&](const IndexExpr& index) { return is_plain(index, slot); });
    return plain == input.index.end() ? -1 : static_cast<int>(plain - input.index.begin());
}

/// Whether an index of the output is the dimension `slot` plus an offset that is a multiple of
/// four, so that vectors along it begin at a texel's first component.
bool is_written(const IndexExpr& index, int slot)
{
    const auto written = written_dim(index);
    return written && written->slot == slot && written->offset % ContractionLayout::components == 0;
}

/// Whether four neighbours along a dimension can be computed as one vector: the output and one of
/// the factors are indexed by just that dimension, and no factor depends on it in another way.
bool can_be_vector(const Contraction& contraction, int slot)
{
    const std::span factors(contraction.inputs.data(), contraction.factors);
    const auto has_it = [&](const Contraction::Input& input) {
        return plain_dimension(input, slot) >= 0;
    };
    return std::any_of(contraction.output_index.begin(), contraction.output_index.end(),
                       [&](const IndexExpr& index) { return is_written(index, slot); }) &&
           (factors.empty() || std::any_of(factors.begin(), factors.end(), has_it)) &&
           std::all_of(factors.begin(), factors.end(),
                       [&](const auto& input) { return has_it(input) || !depends(input, slot); });
}

/// D and K of the schedule.
void set_turns(SumTile& tile, const Schedule& schedule)
{
    for (std::size_t axis = 0; axis < schedule.tile.size(); ++axis) {
        const std::int64_t vector = static_cast<int>(axis) == tile.vector_axis ? tile.vector : 1;
        const std::int64_t turn = axis < schedule.turn.size() ? schedule.turn[axis] : vector;
        if (schedule.tile[axis] % turn != 0 || turn % vector != 0) {
            throw bad_input(
                fmt::format("turns of {} outputs in a tile of {} and vectors of {}", turn,
                            schedule.tile[axis], vector),
                "configuration '" + to_string(schedule) + "'",
                "make K a divisor of T, and along the packed dimension a multiple of V");
        }
        // who takes a single turn makes no difference
        tile.turn[axis] = std::min(turn, tile.sizes[axis]);
        tile.turns[axis] = tile.sizes[axis] > turn ? schedule.turns_along(axis) : 1;
    }
}

SumTile sum_tile(const Contraction& contraction, const Schedule& schedule)
{
    SumTile tile;
    std::copy(schedule.tile.begin(), schedule.tile.end(), tile.sizes.begin());
    tile.dims = {contraction.x, contraction.y, contraction.z.empty() ? -1 : contraction.z.back()};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (extent(contraction, tile.dims[axis]) == 1) {
            // A dimension of one value has index 0 everywhere: there is nothing to tile.
            tile.sizes[axis] = 1;
        }
    }
    tile.places = tile.sizes;
    const auto takes_vectors = [&](std::size_t axis) {
        return tile.sizes[axis] % ContractionLayout::components == 0 &&
               can_be_vector(contraction, tile.dims[axis]);
    };
    const std::size_t along = takes_vectors(0) ? 0 : 1;
    const bool some = takes_vectors(along);
    if (schedule.vector > ContractionLayout::components &&
        (!some || tile.sizes[along] % schedule.vector != 0)) {
        throw bad_input(
            fmt::format("vectors of {} numbers do not divide the tile", schedule.vector),
            "configuration '" + to_string(schedule) + "'",
            "make T a multiple of V along the dimension that is packed, or leave V out");
    }
    if (some) {
        tile.vector_axis = static_cast<int>(along);
        tile.vector = schedule.vector;
        tile.places[along] /= schedule.vector;
    }
    set_turns(tile, schedule);
    return tile;
}

/// The reduction dimension c, by which all factors are indexed directly: of several the one that a
/// given layout packs, else the first; or -1. A dimension of only two values is not taken, as half
/// of each texel and of the products would be zeros.
int common_channels(const Contraction& contraction, const GivenLayouts& given)
{
    constexpr std::int64_t fewest = 3;
    if (contraction.combine != Contraction::Combine::sum ||
        contraction.zero_term == Contraction::ZeroTerm::never) {
        return -1; // the padding zeros of the last texel would take part in what is computed
    }
    const std::span factors(contraction.inputs.data(), contraction.factors);
    const auto all_have = [&](int slot) {
        return contraction.dim(slot).extent() >= fewest &&
               std::all_of(factors.begin(), factors.end(),
                           [&](const auto& input) { return plain_dimension(input, slot) >= 0; });
    };
    // Only of products: any other term may differ from zero where a texel is filled up with zeros.
    const bool products = contraction.factors == 2 && contraction.term.is_argument(0);
    const auto given_packs_it = [&](int slot) {
        for (std::size_t i = 0; products && i < std::min(given.size(), contraction.factors); ++i) {
            if (given[i] && given[i]->packed >= 0 &&
                given[i]->packed == plain_dimension(contraction.inputs[i], slot)) {
                return true;
            }
        }
        return false;
    };
    std::vector<int> slots;
    std::ranges::copy_if(contraction.reductions, std::back_inserter(slots), all_have);
    const auto packed = std::ranges::find_if(slots, given_packs_it);
    return packed != slots.end() ? *packed : slots.empty() ? -1 : slots.front();
}

bool packs_channels(const ContractionLayout::Input& input)
{
    return input.packs == Packs::channels;
}

/// The dimension of its tensor that an input packs if no layout is given, or -1.
std::pair<Packs, int> own_packs(const Contraction::Input& of,
                                std::span<const std::pair<Packs, int>> choices, int vector)
{
    for (const auto& [packs, slot] : choices) {
        if (const int dimension = plain_dimension(of, slot); dimension >= 0) {
            return {packs, dimension};
        }
    }
    // If the elements of a vector do not lie side by side, they are picked out of texels along the
    // tensor's last dimension.
    const bool about = depends(of, vector) && !of.tensor.shape.empty();
    return about ? std::pair(Packs::gathered, static_cast<int>(of.tensor.shape.size()) - 1)
                 : std::pair(Packs::nothing, -1);
}

/// Which kind of packing (Packs) a given layout is to this tile.
std::pair<Packs, int> given_packs(const Contraction::Input& of,
                                  std::span<const std::pair<Packs, int>> choices, int packed)
{
    const int vector = choices.front().second;
    const auto found = std::find_if(choices.begin(), choices.end(), [&](const auto& choice) {
        return packed >= 0 && plain_dimension(of, choice.second) == packed;
    });
    const Packs packs = found != choices.end() ? found->first
                        : packed < 0           ? Packs::nothing
                                               : Packs::gathered;
    return {packs != Packs::vector && depends(of, vector) ? Packs::gathered : packs, packed};
}

std::vector<ContractionLayout::Input> input_layouts(const Contraction& contraction,
                                                    const SumTile& tile, int channels,
                                                    const GivenLayouts& given)
{
    int vector = -1;
    int other = -1;
    if (tile.has_vectors()) {
        const auto along = static_cast<std::size_t>(tile.vector_axis);
        vector = tile.dims[along];
        // Four outputs of a tile are a texel's four where they lie side by side.
        const auto across = 1 - along;
        const std::int64_t side_by_side =
            tile.turns[across] > 1 ? tile.turn[across] : tile.sizes[across];
        other = side_by_side % ContractionLayout::components == 0 ? tile.dims[across] : -1;
    }
    const std::array<std::pair<Packs, int>, 3> choices{
        {{Packs::vector, vector}, {Packs::channels, channels}, {Packs::other, other}}};
    std::vector<ContractionLayout::Input> inputs;
    for (std::size_t i = 0; i < contraction.inputs.size(); ++i) {
        const Contraction::Input& of = contraction.inputs[i];
        ContractionLayout::Input input;
        std::tie(input.packs, input.packed) = i < given.size() && given[i]
                                                  ? given_packs(of, choices, given[i]->packed)
                                                  : own_packs(of, choices, vector);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            input.varies[axis] = depends(of, tile.dims[axis]);
        }
        inputs.push_back(input);
    }
    const bool some_pack_channels = std::any_of(inputs.begin(), inputs.end(), packs_channels);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        inputs[i].varies_with_step = some_pack_channels && !packs_channels(inputs[i]) &&
                                     plain_dimension(contraction.inputs[i], channels) >= 0;
    }
    return inputs;
}

/// Number of the output tensor's dimension along which vectors go, or -1.
int written_dimension(const Contraction& contraction, const SumTile& tile)
{
    const auto found = std::find_if(
        contraction.output_index.begin(), contraction.output_index.end(),
        [&](const IndexExpr& index) {
            return tile.has_vectors() &&
                   is_written(index, tile.dims[static_cast<std::size_t>(tile.vector_axis)]);
        });
    return found == contraction.output_index.end()
               ? -1
               : static_cast<int>(found - contraction.output_index.begin());
}

void check_written(const Contraction& contraction, const SumTile& tile, const GivenLayouts& given)
{
    const std::size_t output = contraction.inputs.size();
    if (output < given.size() && given[output] &&
        given[output]->packed != written_dimension(contraction, tile)) {
        throw bad_input(
            "the tile's vectors do not go along the dimension that texels of the output hold",
            contraction.output.name, "make T a multiple of four along that dimension");
    }
}

/// Cuts the innermost loop that is not written out into blocks of S iterations (Schedule::stage).
void cut_into_blocks(std::vector<ContractionLayout::Loop>& loops, const Contraction& contraction,
                     const Schedule& schedule)
{
    const std::string where = "configuration '" + to_string(schedule) + "'";
    const auto innermost =
        std::find_if(loops.rbegin(), loops.rend(), [](const auto& loop) { return !loop.unrolled; });
    if (innermost == loops.rend()) {
        throw bad_input("no reduction loop has iterations that could go in blocks (one of a single "
                        "iteration is written out)",
                        where,
                        schedule.unroll.empty() ? "leave S out"
                                                : "leave S out, or take a loop out of U");
    }
    const auto around = std::find_if(innermost, loops.rend(), [](const auto& loop) {
        return loop.unrolled && loop.iterations > 1;
    });
    if (around != loops.rend()) {
        const std::string& name = contraction.dim(around->slot).name;
        throw bad_input(fmt::format("{} is written out around the blocks in local memory", name),
                        where,
                        fmt::format("take {} out of U, or make it an inner loop with L", name));
    }
    if ((innermost->of_block || innermost->over_blocks) &&
        innermost->iterations % schedule.stage != 0) {
        throw bad_input(fmt::format("{} iterations of a split loop do not go in blocks of {}",
                                    innermost->iterations, schedule.stage),
                        where, "make S a divisor");
    }
    innermost->block = schedule.stage;
    innermost->iterations = ceil_div(innermost->iterations, schedule.stage) * schedule.stage;
}

/// Whether an input is outside of its tensor, where it is zero, at all values of a dimension in
/// that range.
bool is_outside(const Contraction::Input& input, const Variable& dim, Range values)
{
    for (std::size_t d = 0; d < input.index.size(); ++d) {
        const Range bounds =
            input.index[d]
                .substitute(dim.slot, IndexExpr(Variable{dim.slot, dim.name, values}))
                .bounds();
        if (bounds.min >= input.tensor.shape[d] || bounds.max < 0) {
            return true;
        }
    }
    return false;
}

/// Values of a dimension that its loops take together; 0 where it has no loop.
std::int64_t taken(const std::vector<ContractionLayout::Loop>& loops, int slot)
{
    std::int64_t values = 0;
    for (const ContractionLayout::Loop& loop : loops) {
        if (loop.slot == slot) {
            values = std::max<std::int64_t>(values, 1) * loop.iterations * loop.parts * loop.texel;
        }
    }
    return values;
}

/// Splits and blocks may run beyond the end of a dimension. Throws unless those iterations add
/// zero.
void check_surplus(const std::vector<ContractionLayout::Loop>& loops, int slot,
                   const Contraction& contraction, const Schedule& schedule)
{
    const std::span factors(contraction.inputs.data(), contraction.factors);
    const std::int64_t values = taken(loops, slot);
    const Variable& dim = contraction.dim(slot);
    const auto outside = std::ranges::count_if(factors, [&](const Contraction::Input& input) {
        return is_outside(input, dim, {dim.extent(), values - 1});
    });
    using ZeroTerm = Contraction::ZeroTerm;
    const bool zero = contraction.zero_term == ZeroTerm::any_factor ? outside > 0
                      : contraction.zero_term == ZeroTerm::all_factors
                          ? outside == std::ssize(factors)
                          : false;
    if (values > dim.extent() && !zero) {
        throw bad_input(
            fmt::format(
                "{} iterations of {} do not divide, and nothing makes what lies behind them zero",
                dim.extent(), dim.name),
            "configuration '" + to_string(schedule) + "'", "make R or S a divisor");
    }
}

/// The dimension whose loop is divided among the work-items that share a reduction: channels, or
/// else that of the innermost loop that has several iterations; -1: none.
int shared_dimension(const Contraction& contraction, const Schedule& schedule,
                     const std::vector<OrderedLoop>& order, int channels)
{
    if (schedule.split <= 1 || channels >= 0) {
        return schedule.split > 1 ? channels : -1;
    }
    const auto longer = std::find_if(order.rbegin(), order.rend(), [&](const OrderedLoop& loop) {
        return extent(contraction, loop.slot) > 1;
    });
    return longer != order.rend() ? longer->slot : -1;
}

/// Cuts the loop of a dimension into one over blocks and one over the iterations of a block, where
/// L has both.
void cut_by_order(std::vector<ContractionLayout::Loop>& loops,
                  const std::vector<OrderedLoop>& order, const std::string& where)
{
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t block = order[i].block;
        if (block == 0) {
            continue;
        }
        ContractionLayout::Loop& outer = loops[i];
        ContractionLayout::Loop& inner =
            *std::find_if(loops.begin() + static_cast<std::ptrdiff_t>(i) + 1, loops.end(),
                          [&](const auto& loop) { return loop.slot == outer.slot; });
        if (inner.iterations % block != 0) {
            throw bad_input(fmt::format("{} iterations do not go in blocks of {} ({})",
                                        inner.iterations, block, order[i].name),
                            where, "make the block a divisor");
        }
        outer.over_blocks = inner.of_block = true;
        outer.iterations = inner.iterations / block;
        outer.step = block * inner.parts;
        inner.iterations = block;
    }
}

std::vector<ContractionLayout::Loop> loop_layouts(const Contraction& contraction,
                                                  const Schedule& schedule,
                                                  const std::vector<OrderedLoop>& order,
                                                  int channels, bool channels_packed)
{
    const int shared = shared_dimension(contraction, schedule, order, channels);
    std::vector<ContractionLayout::Loop> loops;
    for (const OrderedLoop& of : order) {
        ContractionLayout::Loop& loop = loops.emplace_back();
        loop.slot = of.slot;
        if (of.block > 0) {
            continue; // see cut_by_order()
        }
        loop.texel = of.slot == channels && channels_packed ? ContractionLayout::components : 1;
        loop.parts = loop.step = of.slot == shared ? schedule.split : 1;
        loop.iterations = ceil_div(extent(contraction, of.slot), loop.texel * loop.parts);
    }
    cut_by_order(loops, order, "configuration '" + to_string(schedule) + "'");
    for (std::size_t i = 0; i < loops.size(); ++i) {
        loops[i].unrolled =
            loops[i].iterations == 1 ||
            std::count(schedule.unroll.begin(), schedule.unroll.end(), order[i].name) > 0;
    }
    if (schedule.stage > 0) {
        cut_into_blocks(loops, contraction, schedule);
    }
    for (const int slot : contraction.reductions) {
        check_surplus(loops, slot, contraction, schedule);
    }
    return loops;
}

} // namespace

std::optional<WrittenDim> written_dim(const IndexExpr& output_index)
{
    const std::int64_t offset = output_index.constant();
    const IndexExpr variable = output_index + -offset;
    const Variable* alone = variable.as_variable();
    return alone == nullptr ? std::nullopt : std::optional(WrittenDim{alone->slot, offset});
}

double ContractionLayout::multiply_adds() const
{
    auto count = static_cast<double>(tile.sizes[0] * tile.sizes[1] * tile.sizes[2]);
    for (const Loop& loop : loops) {
        count *= static_cast<double>(loop.iterations * loop.texel);
    }
    return count;
}

Range ContractionLayout::asked(const Variable& dim) const
{
    const std::int64_t size = dim.extent();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (tile.dims[axis] == dim.slot) {
            const std::int64_t step = tile.sizes[axis] * together[axis];
            return {0, ceil_div(size, step) * step - 1};
        }
    }
    const std::int64_t values = taken(loops, dim.slot);
    return {0, (values > 0 ? values : size) - 1};
}

ContractionLayout contraction_layout(const Contraction& contraction, const Schedule& schedule,
                                     const std::vector<OrderedLoop>& order,
                                     const GivenLayouts& given)
{
    ContractionLayout layout;
    layout.tile = sum_tile(contraction, schedule);
    check_written(contraction, layout.tile, given);
    // If work-items of a group meet before the epilogue, all of them make the epilogue's reads,
    // also those whose tile lies outside.
    const bool all_read = schedule.split > 1 && contraction.inputs.size() > contraction.factors;
    if (schedule.stage > 0 || all_read) {
        layout.together = {schedule.group[0], schedule.group[1], schedule.group[2]};
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        layout.together[axis] = std::lcm(layout.together[axis], layout.tile.turns[axis]);
    }
    layout.channels = common_channels(contraction, given);
    layout.inputs = input_layouts(contraction, layout.tile, layout.channels, given);
    layout.channels_packed =
        std::any_of(layout.inputs.begin(), layout.inputs.end(), packs_channels);
    layout.dot =
        !layout.tile.has_vectors() && contraction.factors > 0 &&
        std::all_of(layout.inputs.begin(),
                    layout.inputs.begin() + static_cast<std::ptrdiff_t>(contraction.factors),
                    packs_channels);
    layout.loops =
        loop_layouts(contraction, schedule, order, layout.channels, layout.channels_packed);
    return layout;
}

} // namespace texelscope::codegen
