#include "workbench/network_studies/network_search.hpp"

#include "base/error.hpp"
#include "networks/plan/carried.hpp"
#include "networks/plan/copies.hpp"
#include "workbench/network_studies/kernel_kinds.hpp"
#include "workbench/network_studies/kernel_search.hpp"
#include "workbench/network_studies/loop_choices.hpp"
#include "workbench/network_studies/policies/policy_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace texelscope::workbench::network_studies {
// Schedules and layouts are chosen together in three steps (best_plan()); NetworkSearch has them as
// search(), copies() and planned().
namespace {

using codegen::GivenLayouts;
using codegen::TensorLayout;
using networks::NodeKernel;
using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

/// Knobs for the layout of an input: its access pattern, or the layout that another framework's
/// policy would give it, and its memory.
std::vector<KernelKnob> layout_knobs(std::size_t input, const std::string& parts,
                                     const std::vector<TensorLayout>& others)
{
    std::vector<KernelKnob> knobs;
    if (parts.find('A') != std::string::npos) {
        std::vector<KernelChange> patterns;
        for (const AccessPattern pattern : all_access_patterns) {
            patterns.emplace_back([=](KernelPoint& point) {
                point.layouts[input]->pattern = pattern;
                point.layouts[input]->across.clear();
                point.layouts[input]->down.clear();
            });
        }
        for (const TensorLayout& other : others) {
            patterns.emplace_back([=](KernelPoint& point) { point.layouts[input] = other; });
        }
        knobs.push_back(knob_of(std::move(patterns)));
    }
    if (parts.find('M') != std::string::npos) {
        std::vector<KernelChange> memories;
        for (const Memory memory : {Memory::image, Memory::buffer}) {
            memories.emplace_back(
                [=](KernelPoint& point) { point.layouts[input]->memory = memory; });
        }
        knobs.push_back(knob_of(std::move(memories)));
    }
    return knobs;
}

/// A point from which a search starts, besides the plan's own.
KernelPoint with(KernelPoint point, AccessPattern of_values, AccessPattern of_constants,
                 std::int32_t split, const std::string& parts)
{
    for (std::size_t i = 0;
         i < point.schedule.patterns.size() && parts.find('A') != std::string::npos; ++i) {
        if (point.layouts[i]) {
            point.layouts[i]->pattern = of_values;
        } else {
            point.schedule.patterns[i] = of_constants;
        }
    }
    point.schedule.split = parts.find('R') != std::string::npos ? split : point.schedule.split;
    point.schedule.group = {};
    return point;
}

class NetworkSearch {
public:
    NetworkSearch(Plan plan, const DeviceProfile& device, const NetworkSearchOptions& options,
                  const StopToken& stop)
        : plan_(std::move(plan)), device_(device), options_(options), stop_(stop),
          kinds_(
              plan_, device, [&](const PlannedKernel&) { return KernelChoices{options.parts}; },
              stop),
          readers_(readers_of(plan_)), wanted_(plan_.kernels.size())
    {}

    /// Searches every kernel by itself, and then the layouts of values.
    void search(const Progress& progress)
    {
        std::map<KernelSearch*, PricedKernel> best;
        for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
            tell(progress, "searching kernels", k, plan_.kernels.size());
            const auto [found, fresh] = best.try_emplace(&kinds_.of(k));
            if (fresh) {
                found->second = searched(k);
            }
            wanted_[k] = found->second.point;
        }
        // Every kernel now says where it would like its values; a value has one place for all its
        // readers.
        choose_layouts();
    }

    struct Copies {
        std::vector<networks::ValueCopy> list;
        double ns = 0; ///< that they save
    };
    /// Values of which a copy in another layout would save some readers more than it takes.
    [[nodiscard]] Copies copies()
    {
        Copies all;
        for (const auto& [value, list] : readers_) {
            // Layouts that some reader would rather have.
            std::vector<TensorLayout> wanted;
            for (const ValueReader& reader : list) {
                const TensorLayout& own = *wanted_[reader.kernel].layouts[reader.input];
                if (own != layout(value) && std::ranges::find(wanted, own) == wanted.end()) {
                    wanted.push_back(own);
                }
            }
            std::vector<std::size_t> best;
            double most = 0;
            // A copy for all readers would be a move, which was tried before.
            for (std::size_t i = 0; i < wanted.size() && list.size() > 1; ++i) {
                const auto [readers, gain] = readers_of_copy(value, list, wanted[i]);
                if (gain > most && readers.size() < list.size()) {
                    if (const double net = gain - copy_time(value, gain); net > most) {
                        most = net;
                        best = readers;
                    }
                }
            }
            if (!best.empty()) {
                all.list.push_back({value, std::move(best)});
                all.ns += most;
            }
        }
        return all;
    }

    /// The plan, each kernel searched once more with its values where they now are. `others`: the
    /// plans of other policies, whose candidates become candidates of ours.
    PredictedPlan planned(const std::vector<PredictedPlan>& others) &&
    {
        const auto in_place = [&](std::size_t k, const GivenLayouts& layouts) {
            KernelSearch& kind = kinds_.of(k);
            return kind.descend({wanted_[k].schedule, layouts}, kind.problem().knobs());
        };
        PredictedPlan result = settled(plan_, kinds_, device_, options_.candidates, in_place);
        if (options_.candidates > 0) {
            add_candidates_of(others, result);
            add_candidates_for_all_readers(result);
        }
        return result;
    }

private:
    void add_candidate(PredictedPlan& result, std::size_t k, const KernelPoint& point)
    {
        PricedKernel priced = kinds_.of(k).price(point);
        priced.point.layouts.back() =
            networks::open_layouts(result.plan, result.plan.kernels[k].kernel).back();
        priced.point.schedule =
            networks::noting(std::move(priced.point.schedule), priced.point.layouts);
        std::vector<PricedKernel>& known = result.candidates[k];
        if (priced.ns < no_cost &&
            std::ranges::find(known, priced.point, &PricedKernel::point) == known.end()) {
            known.push_back(std::move(priced));
        }
    }

    void add_candidates_of(const std::vector<PredictedPlan>& others, PredictedPlan& result)
    {
        for (const PredictedPlan& other : others) {
            std::size_t theirs = 0;
            for (std::size_t k = 0; k < result.plan.kernels.size(); ++k) {
                const auto output = static_cast<std::size_t>(result.plan.kernels[k].kernel.output);
                if (output >= other.plan.graph.values.size()) {
                    continue; // a copy that only we make
                }
                const PlannedKernel& planned = other.plan.kernels[theirs];
                add_candidate(
                    result, k,
                    {planned.schedule, networks::open_layouts(other.plan, planned.kernel)});
                for (const PricedKernel& each : other.candidates[theirs]) {
                    add_candidate(result, k, each.point);
                }
                ++theirs;
            }
        }
    }

    /// The kernels that would read a value faster in that layout, and how many ns they save
    /// together.
    std::pair<std::vector<std::size_t>, double>
    readers_of_copy(ValueId value, const std::vector<ValueReader>& list, const TensorLayout& other)
    {
        std::vector<std::size_t> readers;
        double gain = 0;
        for (const ValueReader& reader : list) {
            GivenLayouts layouts =
                networks::open_layouts(plan_, plan_.kernels[reader.kernel].kernel);
            KernelSearch& kind = kinds_.of(reader.kernel);
            const double here = kind.price({wanted_[reader.kernel].schedule, layouts}).ns;
            const std::vector<ValueId>& inputs = plan_.kernels[reader.kernel].kernel.inputs;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                layouts[i] =
                    networks::place_of(plan_.graph, inputs[i]) == value ? other : layouts[i];
            }
            const double there = kind.price({wanted_[reader.kernel].schedule, layouts}).ns;
            if (there < here && (readers.empty() || readers.back() != reader.kernel)) {
                readers.push_back(reader.kernel);
                gain += plan_.kernels[reader.kernel].share() * (here - there);
            }
        }
        return {std::move(readers), gain};
    }

    /// Time of the conversion that would make a copy. It is searched only if it may be less than
    /// what the copy saves, since there are many such copies.
    double copy_time(ValueId value, double gain)
    {
        const TensorLayout from = layout(value);
        networks::Graph alone;
        const ValueId original = alone.add_value("value", plan_.graph.value(value).shape);
        const ValueId copy = alone.add_value("copy", plan_.graph.value(value).shape);
        const NodeKernel kernel = networks::conversion_kernel(alone, original, copy, from.packed);
        KernelSearch kind(
            KernelProblem(kernel, {true}, device_, KernelChoices{options_.parts}, stop_),
            worth_going_on);
        Schedule schedule = networks::starting_schedule(kernel, from.packed, from.storage);
        const PricedKernel coarse = kind.turn(kind.price({std::move(schedule), {from, from}}),
                                              tile_knob(kind.problem().tiles()));
        constexpr double hopeful = 1.5;
        return coarse.ns < hopeful * gain ? kind.descend(coarse.point, kind.problem().knobs()).ns
                                          : coarse.ns;
    }

    /// Where several kernels read a value, each gets candidates in the layouts that the others'
    /// first candidates have, so that tuning can find a layout that suits all.
    void add_candidates_for_all_readers(PredictedPlan& result)
    {
        constexpr std::size_t first = 3;
        for (const auto& [value, list] : readers_) {
            std::vector<TensorLayout> wanted;
            for (std::size_t r = 0; list.size() > 1 && r < list.size(); ++r) {
                const std::vector<PricedKernel>& known = result.candidates[list[r].kernel];
                for (std::size_t i = 0; i < std::min(first, known.size()); ++i) {
                    const TensorLayout& layout = *known[i].point.layouts[list[r].input];
                    if (std::ranges::find(wanted, layout) == wanted.end()) {
                        wanted.push_back(layout);
                    }
                }
            }
            for (const ValueReader& reader : list) {
                const std::vector<PricedKernel> known = result.candidates[reader.kernel];
                for (std::size_t i = 0; i < std::min(first, known.size()); ++i) {
                    for (const TensorLayout& layout : wanted) {
                        KernelPoint point = known[i].point;
                        point.layouts[reader.input] = layout;
                        add_candidate(result, reader.kernel, point);
                    }
                }
            }
        }
    }

    /// The best point of a kernel from several starts: where each work-item sums alone, and where
    /// several share a reduction. Weights lie otherwise then, which single steps would not reach.
    PricedKernel searched(std::size_t k)
    {
        KernelSearch& kind = kinds_.of(k);
        const PlannedKernel& planned = plan_.kernels[k];
        std::vector<KernelKnob> knobs = kind.problem().knobs();
        for (std::size_t input = 0; input < placed_inputs(planned.kernel); ++input) {
            const ValueId value = planned.kernel.inputs[input];
            if (networks::is_made(plan_, value) &&
                readers_.contains(networks::place_of(plan_.graph, value))) {
                std::ranges::move(
                    layout_knobs(input, options_.parts, others(planned.kernel.inputs[input])),
                    std::back_inserter(knobs));
            }
        }
        const KernelPoint start{planned.schedule, networks::open_layouts(plan_, planned.kernel)};
        const std::string& parts = options_.parts;
        const KernelPoint alone =
            with(start, AccessPattern::column, AccessPattern::row, start.schedule.split, parts);
        std::vector<Tile> tiles = ranked_tiles(kind, alone);
        PricedKernel best =
            kind.descend(kind.turn(kind.price(alone), tile_knob(tiles)).point, knobs);
        constexpr std::size_t good_tiles = 6; // tiles beyond these were far behind
        tiles.resize(std::min(tiles.size(), good_tiles));
        for (const std::int32_t split : {4, 16}) {
            if (parts.find('R') == std::string::npos ||
                (split > 4 && best.point.schedule.split < 4)) {
                break; // where a few do not gain, more do not
            }
            const KernelPoint shared =
                with(start, AccessPattern::row, AccessPattern::block4, split, parts);
            const PricedKernel other =
                kind.descend(kind.turn(kind.price(shared), tile_knob(tiles)).point, knobs);
            best = other.ns < best.ns ? other : best;
        }
        return best;
    }

    /// The layouts that other frameworks would give a value and that no access pattern describes.
    [[nodiscard]] std::vector<TensorLayout> others(ValueId read) const
    {
        const ValueId value = networks::place_of(plan_.graph, read);
        std::vector<TensorLayout> layouts;
        for (const LayoutPolicy& policy : layout_policies()) {
            const TensorLayout layout =
                laid_out(policy, {plan_, value, readers_.at(value), device_});
            if (layout.by_sides() && std::ranges::find(layouts, layout) == layouts.end()) {
                layouts.push_back(layout);
            }
        }
        return layouts;
    }

    /// The readers of each value whose layout is searched. Values that kernels replace element by
    /// element are not among them.
    [[nodiscard]] static std::map<ValueId, std::vector<ValueReader>> readers_of(const Plan& plan)
    {
        std::map<ValueId, std::vector<ValueReader>> all;
        const std::vector<bool> fixed = networks::read_in_place(plan);
        for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
            const std::vector<ValueId>& inputs = plan.kernels[k].kernel.inputs;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (networks::is_made(plan, inputs[i]) &&
                    !fixed[static_cast<std::size_t>(networks::place_of(plan.graph, inputs[i]))]) {
                    all[networks::place_of(plan.graph, inputs[i])].push_back({k, i});
                }
            }
        }
        return all;
    }

    /// Gives each value the layout that its first reader wants. Then, value by value, takes the
    /// layout that is best for all of its readers together, until nothing changes, but at most
    /// three times.
    void choose_layouts()
    {
        for (const auto& [value, list] : readers_) {
            layout(value) = *wanted_[list.front().kernel].layouts[list.front().input];
        }
        constexpr int rounds = 3;
        bool changed = true;
        for (int round = 0; round < rounds && changed; ++round) {
            changed = false;
            for (const auto& [value, list] : readers_) {
                changed = choose(value, list) || changed;
            }
        }
    }

    /// Returns whether the layout of the value changed.
    bool choose(ValueId value, const std::vector<ValueReader>& list)
    {
        const TensorLayout before = layout(value);
        std::vector<TensorLayout> candidates{before};
        for (const ValueReader& reader : list) {
            const TensorLayout& wanted = *wanted_[reader.kernel].layouts[reader.input];
            if (std::ranges::find(candidates, wanted) == candidates.end()) {
                candidates.push_back(wanted);
            }
        }
        TensorLayout best = before;
        double least = no_cost;
        for (std::size_t i = 0; i < candidates.size() && candidates.size() > 1; ++i) {
            layout(value) = candidates[i];
            double sum = 0;
            for (const ValueReader& reader : list) {
                const GivenLayouts layouts =
                    networks::open_layouts(plan_, plan_.kernels[reader.kernel].kernel);
                sum +=
                    plan_.kernels[reader.kernel].share() *
                    kinds_.of(reader.kernel).price({wanted_[reader.kernel].schedule, layouts}).ns;
            }
            if (sum < least) {
                least = sum;
                best = candidates[i];
            }
        }
        layout(value) = best;
        return !(best == before);
    }

    TensorLayout& layout(ValueId value) { return *networks::layout_of(plan_, value); }

    Plan plan_;
    const DeviceProfile& device_;
    const NetworkSearchOptions& options_;
    const StopToken& stop_;
    KernelKinds kinds_;
    std::map<ValueId, std::vector<ValueReader>> readers_;
    /// By kernel: what it would be if it had its values in the layouts that suit it best.
    std::vector<KernelPoint> wanted_;
};

} // namespace

Nanoseconds PredictedPlan::total() const
{
    Nanoseconds sum{0};
    for (std::size_t k = 0; k < predicted.size(); ++k) {
        sum = Nanoseconds{sum.value + plan.kernels[k].share() * predicted[k].value};
    }
    return sum;
}

PredictedPlan best_plan(const networks::Graph& graph, const DeviceProfile& device,
                        const NetworkSearchOptions& options, const Progress& progress,
                        const StopToken& stop)
{
    if (options.parts.find_first_of("OP") != std::string::npos) {
        throw bad_input(
            "O and P are no parts of one kernel's search", "--parts " + options.parts,
            "where values lie is searched with their readers; --storage is of the whole network");
    }
    if (options.policy != "ours") {
        return plan_by_policy(find_policy(options.policy), graph, device, options, progress, stop);
    }
    std::vector<PredictedPlan> others;
    if (options.candidates > 0) {
        for (const LayoutPolicy& policy : layout_policies()) {
            try {
                others.push_back(plan_by_policy(policy, graph, device, options, {}, stop));
            } catch (const Error&) { // it has no plan on the device: nothing to learn from it
            }
        }
    }
    NetworkSearch::Copies copies;
    const auto planned = [&](bool copied) {
        Plan start = networks::starting_plan(graph, options.fuse, options.storage);
        // Where memory is not searched, no schedule would be legal otherwise.
        (void)use_buffers_beyond_limits(start, device);
        NetworkSearch search(copied ? networks::with_copies(std::move(start), copies.list)
                                    : std::move(start),
                             device, options, stop);
        search.search(progress);
        if (!copied) {
            copies = search.copies();
        }
        return std::move(search).planned(others);
    };
    PredictedPlan best = planned(false);
    // Share of the whole that copies must save, since the network is searched once more with them.
    constexpr double worth_a_search = 0.005;
    if (copies.ns > worth_a_search * best.total().value) {
        if (PredictedPlan other = planned(true); other.total().value < best.total().value) {
            return other;
        }
    }
    return best;
}

} // namespace texelscope::workbench::network_studies
