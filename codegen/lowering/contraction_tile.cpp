#include "codegen/lowering/contraction_tile.hpp"

#include "base/text.hpp"
#include "codegen/lowering/carry_plan.hpp"
#include "codegen/lowering/contraction_reads.hpp"
#include "codegen/nest/loop_nest.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace texelscope::codegen {
namespace {

/// Appends the statements that add up the sums of the `split` work-items that share a tile, through
/// local memory. Afterwards part 0 holds the whole sums. The parts lie along z of the work-group,
/// part 0 first.
void add_partial_sums(LoopNest& nest, const std::vector<NestValue>& sums, std::int32_t split)
{
    // Barriers are expensive, so that as many sums meet at once as fit into this much local memory.
    constexpr std::int64_t local_bytes = 16384;
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    LoopNest::LocalArray partial{nest.values[static_cast<std::size_t>(sums.front())].registers,
                                 "partial"};
    partial.of_item = std::ssize(sums);
    partial.room = local_bytes;
    partial.count = partial.count_for(items);
    const std::int64_t at_once = partial.count / items;
    nest.collective = true;
    nest.local_arrays.push_back(std::move(partial));
    for (std::int64_t first = 0; first < std::ssize(sums); first += at_once) {
        nest.epilogue.emplace_back(
            NestMeet{.values = {sums.begin() + first,
                                sums.begin() + std::min(first + at_once, std::ssize(sums))},
                     .array = static_cast<int>(nest.local_arrays.size()) - 1,
                     .parts = split,
                     .items = items / split,
                     .again = first > 0});
    }
}

/// Writes the statements of a plan into a nest, step by step: declarations, loops with reads and
/// products, the joining of split sums, the epilogue with its writes.
class TileStatements {
public:
    TileStatements(const ContractionPlan& plan, LoopNest& nest)
        : plan_(plan), tile_(plan.layout.tile), nest_(nest), reads_(plan, nest),
          carry_plan_(carry_plan(plan.layout, plan.schedule.sums))
    {
        if (plan.schedule.storage == Storage::fp16 && plan.contraction.factors > 0 &&
            plan.contraction.half_terms && plan.schedule.sums != Sums::fp32) {
            nest.half_sums = carry_plan_.sums;
            nest.half_sums->carried =
                carry_plan_.sums.carried && plan.contraction.combine == Contraction::Combine::sum;
        }
    }

    void build()
    {
        reads_.enter_body();
        if (plan_.contraction.factors == 0) {
            write(nest_.body);
            return;
        }
        declare_sums();
        loops(0, plan_.grid.fixed, nest_.body);
        if (carries_in(plan_.layout.loops.size())) {
            carry(nest_.body);
        }
        if (plan_.schedule.split > 1) {
            add_partial_sums(nest_, sums_, plan_.schedule.split);
        }
        reads_.enter_epilogue();
        write(nest_.epilogue);
    }

private:
    [[nodiscard]] bool carried() const { return nest_.half_sums && nest_.half_sums->carried; }
    [[nodiscard]] bool carries_in(std::size_t level) const
    {
        return carried() && carry_plan_.level == level;
    }

    void declare_sums()
    {
        const std::string prefix = lower_case(plan_.contraction.output.name);
        const NumberExpr start = as_vector(neutral());
        const auto sums =
            static_cast<std::size_t>(tile_.places[0] * tile_.places[1] * tile_.places[2]);
        nest_.prologue.reserve(sums);
        nest_.epilogue.reserve(sums * static_cast<std::size_t>(tile_.texels_of_sum()));
        tile_.for_each_place([&](const SumTile::Place& place, std::size_t) {
            const auto [i, j, k] = place;
            std::string name = tile_.sizes[2] > 1 ? prefix + std::to_string(k) + "_" : prefix;
            name += std::to_string(j) + "_" + std::to_string(i);
            sums_.push_back(nest_.add_factor(std::move(name), tile_.vector));
            if (carried()) { // a sum in float32 and one in half precision that is carried into it
                nest_.values.back().half_registers += tile_.vector;
                nest_.values.back().carried = true;
            }
            nest_.prologue.emplace_back(NestDeclare{sums_.back(), start, false});
        });
    }

    /// A constant as a vector as wide as the sums, in the type of factors.
    [[nodiscard]] NumberExpr as_vector(NumberExpr number) const
    {
        return tile_.vector == 1 ? number : number.vector(NumberType::factor, tile_.vector);
    }

    /// Emits the loops from `level` inwards. `values` has the dimensions that are not tiled, those
    /// of outer loops included.
    void loops(std::size_t level, std::vector<IndexExpr> values, std::vector<NestStatement>& out)
    {
        if (level == plan_.layout.loops.size()) {
            products(reduction_iteration(plan_.layout, std::move(values)), out);
            return;
        }
        const ContractionLayout::Loop& loop = plan_.layout.loops[level];
        const auto slot = static_cast<std::size_t>(loop.slot);
        const IndexExpr from = values[slot]; // where a block of the dimension begins
        const auto at = [&](const IndexExpr& iteration) { return place_of(from, loop, iteration); };
        if (loop.unrolled) {
            for (std::int64_t iteration = 0; iteration < loop.iterations; ++iteration) {
                values[slot] = at(iteration);
                loops(level + 1, values, out);
                if (carries_in(level) && (iteration + 1) % carry_plan_.every == 0) {
                    carry(out);
                }
            }
            return;
        }
        const std::string& name = plan_.contraction.dims[slot].name;
        const Variable variable{slots::first_loop_slot + static_cast<int>(level),
                                loop.over_blocks ? name + "_outer"
                                : loop.texel > 1 ? name + "4"
                                                 : name,
                                {0, (loop.block > 0 ? loop.block : loop.iterations) - 1}};
        if (loop.block > 0) {
            blocks(level, variable, std::move(values), out);
            return;
        }
        if (carries_in(level) && carry_plan_.every > 1) {
            runs(level, variable, std::move(values), out);
            return;
        }
        NestLoop statement{variable, {}};
        values[slot] = at(IndexExpr(variable));
        reads_.enter_body();
        loops(level + 1, std::move(values), statement.body);
        reads_.leave_body();
        if (carries_in(level)) {
            carry(statement.body);
        }
        out.emplace_back(std::move(statement));
    }

    /// The index of a dimension at an iteration of its loop that starts at `from`.
    [[nodiscard]] IndexExpr place_of(const IndexExpr& from, const ContractionLayout::Loop& loop,
                                     const IndexExpr& iteration) const
    {
        const IndexExpr at = from + iteration * loop.step;
        return loop.parts > 1 ? at + plan_.grid.items.part : at;
    }

    /// Emits the loop `level` as two loops: an outer one over runs of iterations, which carries the
    /// sums behind each run, and an inner one over the iterations of a run.
    void runs(std::size_t level, const Variable& whole, std::vector<IndexExpr> values,
              std::vector<NestStatement>& out)
    {
        const std::int64_t every = carry_plan_.every;
        const ContractionLayout::Loop& loop = plan_.layout.loops[level];
        const auto slot = static_cast<std::size_t>(loop.slot);
        NestLoop run{{slots::first_loop_slot + static_cast<int>(plan_.layout.loops.size()) + 1,
                      whole.name + "_run",
                      {0, loop.iterations / every - 1}},
                     {}};
        NestLoop inner{{whole.slot, whole.name, {0, every - 1}}, {}};
        const IndexExpr iteration = IndexExpr(run.variable) * every + IndexExpr(inner.variable);
        values[slot] = place_of(values[slot], loop, iteration);
        reads_.enter_body();
        loops(level + 1, std::move(values), inner.body);
        reads_.leave_body();
        run.body.emplace_back(std::move(inner));
        carry(run.body);
        out.emplace_back(std::move(run));
    }

    void carry(std::vector<NestStatement>& out) const { out.emplace_back(NestCarry{sums_}); }

    /// Emits the loop `level` as a loop over blocks of iterations. The texels of each block are
    /// copied to local memory, then the block is summed from there.
    void blocks(std::size_t level, const Variable& iteration, std::vector<IndexExpr> values,
                std::vector<NestStatement>& out)
    {
        const ContractionLayout::Loop& loop = plan_.layout.loops[level];
        const auto slot = static_cast<std::size_t>(loop.slot);
        const Variable block{slots::first_loop_slot + static_cast<int>(plan_.layout.loops.size()),
                             plan_.contraction.dims[slot].name + "_block",
                             {0, loop.iterations / loop.block - 1}};
        const bool one = block.extent() == 1;
        LocalBlocks local(plan_, nest_, iteration);
        NestLoop sums{iteration, {}};
        values[slot] =
            place_of(values[slot], loop,
                     (one ? IndexExpr(0) : IndexExpr(block) * loop.block) + IndexExpr(iteration));
        reads_.enter_body();
        reads_.take_from(&local);
        loops(level + 1, std::move(values), sums.body);
        reads_.take_from(nullptr);
        reads_.leave_body();
        const bool by_block = carry_plan_.every == loop.block;
        if (carries_in(level) && !by_block) {
            carry(sums.body);
        }
        std::vector<NestStatement> body = local.copies();
        body.emplace_back(std::move(sums));
        if (carries_in(level) && by_block) {
            carry(body);
        }
        if (one) {
            out.insert(out.end(), std::make_move_iterator(body.begin()),
                       std::make_move_iterator(body.end()));
        } else {
            out.emplace_back(NestLoop{block, std::move(body)});
        }
    }

    void products(const ReductionIteration& iteration, std::vector<NestStatement>& out)
    {
        const std::size_t count = plan_.contraction.factors;
        const std::int64_t steps =
            plan_.layout.channels_packed && !plan_.layout.dot ? ContractionLayout::components : 1;
        std::vector<std::vector<NestFactor>> factors(sums_.size(), std::vector<NestFactor>(count));
        reads_.enter_iteration();
        for (std::int64_t step = 0; step < steps; ++step) {
            for (std::size_t input = 0; input < count; ++input) {
                tile_.for_each_place([&](const SumTile::Place& place, std::size_t number) {
                    factors[number][input] = reads_.factor(input, iteration, place, step, out);
                });
            }
            tile_.for_each_place([&](const SumTile::Place& place, std::size_t number) {
                if (sums_products(plan_.contraction)) {
                    const int splat =
                        plan_.schedule.splat && tile_.has_vectors() ? tile_.vector : 0;
                    out.emplace_back(NestMultiplyAdd{sums_[number], factors[number][0],
                                                     factors[number][1], plan_.layout.dot, splat});
                } else {
                    combine(number, factors[number], iteration, place, out);
                }
            });
        }
    }

    /// Emits a term that is not a plain product of two factors: it is added, multiplied, or
    /// compared with the largest or smallest so far.
    void combine(std::size_t number, const std::vector<NestFactor>& factors,
                 const ReductionIteration& iteration, const SumTile::Place& place,
                 std::vector<NestStatement>& out)
    {
        using Combine = Contraction::Combine;
        const NestValue sum = sums_[number];
        NumberExpr term = plan_.contraction.number || factors.size() > 1
                              ? single_term(factors, iteration, place, out)
                              : plan_.contraction.term.with_arguments({factors[0].expression()});
        if (plan_.contraction.combine == Combine::sum) {
            if (plan_.layout.dot) {
                term = call("dot", term, NumberExpr(1.0).vector(NumberType::factor, components));
            }
            out.emplace_back(NestAssign{sum, std::move(term), NestAssign::How::add});
            return;
        }
        TexelPlace at = place;
        if (tile_.has_vectors()) {
            at[static_cast<std::size_t>(tile_.vector_axis)] *= tile_.texels_of_sum();
        }
        std::optional<NumberExpr> there;
        for (std::size_t input = 0; input < factors.size(); ++input) {
            for (const Guard& guard : inside_at(plan_, input, iteration, at)) {
                const NumberExpr inside =
                    NumberExpr::index_below(reads_.named(guard.value, out), guard.bound);
                there = there ? both(*there, inside) : inside;
            }
        }
        if (there) {
            term =
                choose(*there, term, NumberExpr(neutral()).vector(NumberType::factor, tile_.vector))
                    .grouped();
        }
        if (plan_.contraction.combine == Combine::product) {
            out.emplace_back(NestAssign{sum, std::move(term), NestAssign::How::multiply});
        } else {
            const bool largest = plan_.contraction.combine == Combine::largest;
            out.emplace_back(
                NestAssign{sum, largest ? call("fmax", sum, term) : call("fmin", sum, term)});
        }
    }

    /// Emits a term of several factors, or of factors and an index number. It is computed in
    /// float32.
    NumberExpr single_term(const std::vector<NestFactor>& factors,
                           const ReductionIteration& iteration, const SumTile::Place& place,
                           std::vector<NestStatement>& out)
    {
        std::vector<NumberExpr> arguments;
        arguments.reserve(factors.size() + 1);
        for (const NestFactor& factor : factors) {
            arguments.push_back(as_float(factor));
        }
        if (plan_.contraction.number) {
            TexelPlace at = place;
            if (tile_.has_vectors()) {
                at[static_cast<std::size_t>(tile_.vector_axis)] *= tile_.texels_of_sum();
            }
            arguments.push_back(
                NumberExpr::of_index(reads_.named(number_at(plan_, iteration, at), out)));
        }
        const NumberExpr term = plan_.contraction.term.with_arguments(arguments);
        const int numbers = plan_.layout.dot ? components : tile_.vector;
        return nest_.half_sums ? term.converted(NumberType::factor, numbers) : term;
    }

    void write(std::vector<NestStatement>& out)
    {
        const int texels = tile_.texels_of_sum();
        const ReductionIteration iteration = reduction_iteration(plan_.layout, plan_.grid.fixed);
        reads_.enter_iteration();
        tile_.for_each_place([&](const SumTile::Place& place, std::size_t number) {
            Element whole = element(number, iteration, place, out);
            for (int texel = 0; texel < texels; ++texel) {
                TexelPlace at = place;
                if (tile_.has_vectors()) {
                    auto& along = at[static_cast<std::size_t>(tile_.vector_axis)];
                    along = along * texels + texel;
                }
                out.emplace_back(written(whole, at, texel, out));
            }
        });
    }

    /// The result at a place of the tile: a vector, or a single number where there are no vectors.
    struct Element {
        NumberExpr value;
        bool single = false; ///< it is in float32 even where the arithmetic is in half precision
    };

    /// Applies the steps of the epilogue to a sum.
    Element element(std::size_t number, const ReductionIteration& iteration,
                    const SumTile::Place& place, std::vector<NestStatement>& out)
    {
        const std::size_t factors = plan_.contraction.factors;
        Element element = factors > 0
                              ? Element{sums_[number], carried()}
                              // without factors the first input takes the place of the sum
                              : Element{as_float(reads_.factor(0, iteration, place, 0, out)), true};
        for (const ElementStep& step : plan_.contraction.epilogue.steps) {
            if (!element.single) {
                element = {element.value.converted(NumberType::single, tile_.vector), true};
            }
            std::vector<NumberExpr> arguments{element.value};
            for (int i = 0; step.input >= 0 && i < step.inputs; ++i) {
                const std::size_t input =
                    factors + static_cast<std::size_t>(step.input) + static_cast<std::size_t>(i);
                arguments.push_back(as_float(reads_.factor(input, iteration, place, 0, out)));
            }
            const NestValue result =
                nest_.add_value("step" + std::to_string(steps_++), tile_.vector);
            out.emplace_back(NestDeclare{result, step.value.with_arguments(arguments)});
            element.value = result;
        }
        return element;
    }

    /// A factor converted to float32, and repeated to the width of the tile's vectors.
    [[nodiscard]] NumberExpr as_float(const NestFactor& factor) const
    {
        const int numbers = nest_.values[static_cast<std::size_t>(factor.value)].registers;
        const bool whole = factor.component < 0 && numbers > 1;
        NumberExpr value = factor.expression();
        if (nest_.half_sums) {
            value = value.converted(NumberType::single, whole ? numbers : 1);
        }
        return tile_.vector > 1 && !whole ? value.vector(NumberType::single, tile_.vector) : value;
    }

    [[nodiscard]] NestWrite written(const Element& whole, const TexelPlace& at, int texel,
                                    std::vector<NestStatement>& out)
    {
        const NumberType type = whole.single ? NumberType::single : NumberType::factor;
        NumberExpr value =
            tile_.texels_of_sum() > 1 ? whole.value.part(components * texel) : whole.value;
        if (!tile_.has_vectors()) {
            const NumberExpr zero = 0.0;
            value = value.beside(zero).beside(zero).beside(zero).vector(type, components);
        } else if (padding_may_differ()) {
            value = padded(
                at, whole.single ? value : value.converted(NumberType::single, components), out);
        }
        return write_at(plan_, at, std::move(value));
    }

    /// Whether components beyond the end of the output's dimension may have become non-zero, so
    /// that they must be cleared before the write.
    [[nodiscard]] bool padding_may_differ() const
    {
        const Contraction& contraction = plan_.contraction;
        return !contraction.epilogue.keeps_zero ||
               contraction.zero_term != Contraction::ZeroTerm::any_factor ||
               contraction.combine != Contraction::Combine::sum ||
               std::any_of(plan_.layout.inputs.begin(), plan_.layout.inputs.end(),
                           [](const auto& input) {
                               return input.packs == ContractionLayout::Packs::gathered;
                           });
    }

    /// A texel whose components beyond the end of the vectorised dimension are set to zero.
    [[nodiscard]] NumberExpr padded(const TexelPlace& at, NumberExpr value,
                                    std::vector<NestStatement>& out)
    {
        const auto axis = static_cast<std::size_t>(tile_.vector_axis);
        const std::int64_t size = plan_.contraction.dim(tile_.dims[axis]).extent();
        const std::int64_t rest = size % ContractionLayout::components;
        const IndexExpr& first =
            plan_.grid
                .elements[axis][static_cast<std::size_t>(at[axis] * ContractionLayout::components)];
        if (rest == 0 || first.bounds().max < size - rest) {
            return value;
        }
        const NumberExpr ends = NumberExpr::index_is(reads_.named(first, out), size - rest);
        return choose(ends, value.keep_first(static_cast<int>(rest)), value).grouped();
    }

    /// The neutral element of how terms are combined.
    [[nodiscard]] double neutral() const
    {
        constexpr double largest = std::numeric_limits<float>::max();
        switch (plan_.contraction.combine) {
        case Contraction::Combine::product:
            return 1;
        case Contraction::Combine::largest:
            return -largest;
        case Contraction::Combine::smallest:
            return largest;
        case Contraction::Combine::sum:
            break;
        }
        return 0;
    }

    static constexpr int components = ContractionLayout::components; ///< numbers in a texel

    const ContractionPlan& plan_;
    const SumTile& tile_;
    LoopNest& nest_;
    ContractionReads reads_;
    CarryPlan carry_plan_;        ///< where sums are carried, in half precision
    std::vector<NestValue> sums_; ///< one value for each place, by its number
    int steps_ = 0;               ///< epilogue steps emitted so far, for names
};

} // namespace

LoopNest contraction_nest(const ContractionPlan& plan)
{
    LoopNest nest;
    nest.name = plan.contraction.kernel;
    nest.groups = plan.grid.items.groups;
    nest.local = plan.grid.items.local;
    nest.names = plan.grid.items.names;
    nest.guards = plan.grid.items.guards;
    for (const TexelStorage& storage : plan.storages) {
        nest.inputs.push_back(storage.operand());
    }
    nest.output = std::move(nest.inputs.back());
    nest.inputs.pop_back();
    nest.multiply_adds_per_item = plan.layout.multiply_adds();
    TileStatements(plan, nest).build();
    return nest;
}

} // namespace texelscope::codegen
