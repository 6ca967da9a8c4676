#include "workbench/network_studies/kernel_search.hpp"

#include "base/lists.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "workbench/network_studies/loop_choices.hpp"
#include "workbench/space/group_choices.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/bottleneck_price.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

namespace texelscope::workbench::network_studies {
// A kernel's schedule is searched by descent (workbench/tuning): from a point, each knob changes
// one part, and the model prices what comes out. This file has the knobs and the price.
namespace {

using networks::NodeKernel;

/// Outputs of a work-item, at most, in the tiles that a search starts from, and in those with a
/// third side.
constexpr std::int32_t most_outputs = 64;
constexpr std::int32_t deepest = 4; ///< third side of a tile, at most

/// The kernel's operator with values where the layouts say. What it writes costs the same wherever
/// it lies.
Operator operator_in(const NodeKernel& kernel, codegen::GivenLayouts layouts)
{
    Operator op = kernel.op;
    layouts.back()->memory = Memory::buffer;
    op.lower = [&lower = kernel.op.lower, layouts = std::move(layouts)](
                   const Schedule& schedule, const codegen::GivenLayouts&) {
        codegen::GivenLayouts given = layouts;
        for (auto& layout : given) {
            if (layout) {
                layout->storage = schedule.storage;
            }
        }
        return lower(schedule, given);
    };
    return op;
}

/// Work-groups with sides at most twice or half as long; all of them if there is none, or no group
/// yet.
std::vector<GroupChoice> near(const std::vector<GroupChoice>& all, const Dim3& group)
{
    const auto close = [](std::int32_t a, std::int32_t b) { return a <= 2 * b && b <= 2 * a; };
    std::vector<GroupChoice> some;
    std::ranges::copy_if(all, std::back_inserter(some), [&](const GroupChoice& one) {
        return close(one.group[0], group[0]) && close(one.group[1], group[1]) &&
               close(one.group[2], group[2]);
    });
    return some.empty() ? all : some;
}

std::int32_t depth_of(const Tile& tile)
{
    return tile.size() > 2 ? tile[2] : 1;
}

/// The steps from a tile to its neighbours: one side doubled, one halved, both at once (one side
/// for another), and both first sides doubled.
std::vector<std::array<int, 3>> steps_of_tile()
{
    std::vector<std::array<int, 3>> steps{{1, 1, 0}};
    for (int x = -1; x <= 1; ++x) {
        for (int y = -1; y <= 1; ++y) {
            for (int z = -1; z <= 1; ++z) {
                const std::array<int, 3> step{x, y, z};
                if (std::ranges::count(step, 0) < 3 && std::ranges::count(step, 1) <= 1 &&
                    std::ranges::count(step, -1) <= 1) {
                    steps.push_back(step);
                }
            }
        }
    }
    return steps;
}

Tile tile_of(const Tile& sides, std::int32_t depth)
{
    return depth > 1 ? Tile{sides[0], sides[1], depth} : Tile{sides[0], sides[1]};
}

/// A change for each value of a part.
std::vector<KernelChange> part_changes(const Operator& op, char key)
{
    const codegen::SchedulePart& part = codegen::schedule_part(key);
    std::vector<KernelChange> changes;
    for (const std::string& text : part_values(op, key)) {
        Schedule value = op.default_schedule;
        if (!text.empty()) {
            part.read(value, text, "parts of the search");
        }
        changes.emplace_back(
            [value, &part](KernelPoint& point) { part.copy(point.schedule, value); });
    }
    return changes;
}

/// Four times as many work-items that share a reduction, or a fourth. The work-group is chosen
/// anew, as it then holds another number of tiles.
KernelKnob split_knob()
{
    constexpr std::int32_t step = 4, most = 64;
    std::vector<KernelChange> changes;
    for (const bool more : {true, false}) {
        changes.emplace_back([more](KernelPoint& point) {
            std::int32_t& split = point.schedule.split;
            if (more ? split * step <= most : split >= step) {
                split = more ? split * step : split / step;
                point.schedule.group = {};
            }
        });
    }
    return knob_of(std::move(changes));
}

} // namespace

std::size_t placed_inputs(const NodeKernel& kernel)
{
    const std::size_t factors = kernel.contraction ? kernel.contraction->factors : 0;
    return factors > 0 ? factors : kernel.inputs.size();
}

KernelKnob knob_of(std::vector<KernelChange> changes)
{
    return [changes = std::move(changes)](const KernelPoint& from) {
        std::vector<KernelPoint> points(changes.size(), from);
        for (std::size_t i = 0; i < changes.size(); ++i) {
            changes[i](points[i]);
        }
        return points;
    };
}

KernelKnob tile_knob(std::vector<Tile> tiles)
{
    return knob_of(mapped(tiles, [](const Tile& tile) -> KernelChange {
        return [tile](KernelPoint& point) { point.schedule.tile = tile; };
    }));
}

double price_of(const NodeKernel& kernel, const KernelPoint& point, const DeviceProfile& device)
{
    const auto price = bottleneck_price(operator_in(kernel, point.layouts), device, point.schedule);
    return price ? price->value : no_cost;
}

KernelProblem::KernelProblem(const NodeKernel& kernel, const std::vector<bool>& made,
                             const DeviceProfile& device, KernelChoices choices,
                             const StopToken& stop)
    : kernel_(kernel), device_(device), choices_(std::move(choices)), stop_(stop)
{
    if (is_searched('T')) {
        add_tiles();
    }
    if (kernel.contraction && (is_searched('L') || is_searched('U'))) {
        std::vector<KernelChange> loops;
        for (const LoopChoice& choice :
             loop_choices(*kernel.contraction, is_searched('L'), is_searched('U'))) {
            loops.emplace_back([choice](KernelPoint& point) { choice.put_into(point.schedule); });
        }
        add(std::move(loops));
    }
    for (const codegen::SchedulePart& part : codegen::schedule_parts()) {
        // These parts are searched elsewhere: A and M with the layouts, T with its own steps, W
        // with G.
        if (is_searched(part.key) && std::string("ATWGLUMR").find(part.key) == std::string::npos) {
            add(part_changes(kernel.op, part.key));
        }
    }
    if (is_searched('R')) {
        knobs_.push_back(split_knob());
        kernels_ *= std::ssize(part_values(kernel.op, 'R'));
    }
    add_constants(made);
}

void KernelProblem::add(std::vector<KernelChange> changes)
{
    kernels_ *= std::ssize(changes);
    knobs_.push_back(knob_of(std::move(changes)));
}

void KernelProblem::add_tiles()
{
    tiles_ = choices_.tiles;
    if (!tiles_.empty()) {
        kernels_ = std::ssize(tiles_);
        return;
    }
    const std::vector<Tile> all = tile_choices(kernel_.op, {.parts = "T"});
    const bool deep = kernel_.op.grid.extents.size() > 2 && kernel_.op.grid.extents[2] > 1;
    constexpr std::int64_t depths = 3; // 1, 2 and 4
    kernels_ = std::ssize(all) * (deep ? depths : 1);
    for (const Tile& tile : all) {
        for (const std::int32_t depth : {1, deepest}) {
            // A coarse grid for the first step, without sides of 2; the knob below then goes to any
            // neighbour.
            const bool on_grid = tile[0] != 2 && tile[1] != 2 && (depth == 1 || deep);
            if (on_grid && tile[0] * tile[1] * depth <= most_outputs) {
                tiles_.push_back(tile_of(tile, depth));
            }
        }
    }
    std::vector<KernelChange> next;
    for (const std::array<int, 3>& step : steps_of_tile()) {
        if (step[2] != 0 && !deep) {
            continue;
        }
        next.emplace_back([=](KernelPoint& point) {
            const auto moved = [](std::int32_t side, int by) {
                return by < 0 ? side / 2 : side << by;
            };
            const Tile& tile = point.schedule.tile;
            const Tile other{moved(tile[0], step[0]), moved(tile[1], step[1])};
            const std::int32_t depth = moved(depth_of(tile), step[2]);
            if (std::ranges::find(all, other) != all.end() && depth >= 1 && depth <= deepest &&
                (depth == 1 || other[0] * other[1] * depth <= most_outputs)) {
                point.schedule.tile = tile_of(other, depth);
            }
        });
    }
    knobs_.push_back(knob_of(std::move(next)));
}

/// Knobs for patterns and memory of constants, which no other kernel reads. Values have their
/// layouts from the network's search.
void KernelProblem::add_constants(const std::vector<bool>& made)
{
    for (std::size_t input = 0; input < placed_inputs(kernel_); ++input) {
        if (!made[input] && is_searched('A')) {
            std::vector<KernelChange> patterns;
            for (const AccessPattern pattern : all_access_patterns) {
                patterns.emplace_back([input, pattern](KernelPoint& point) {
                    point.schedule.patterns[input] = pattern;
                });
            }
            add(std::move(patterns));
        }
        if (!made[input] && is_searched('M')) {
            std::vector<KernelChange> memories;
            for (const Memory memory : {Memory::image, Memory::buffer}) {
                memories.emplace_back([input, memory](KernelPoint& point) {
                    point.schedule.memory.resize(point.schedule.patterns.size() + 1, Memory::image);
                    point.schedule.memory[input] = memory;
                });
            }
            add(std::move(memories));
        }
    }
}

const std::vector<GroupChoice>& KernelProblem::groups(const Schedule& schedule)
{
    const auto [found, fresh] = groups_.try_emplace(schedule.split);
    if (fresh && choices_.groups.empty()) {
        KernelChoice kernel;
        kernel.split = schedule.split;
        found->second = group_choices(kernel_.op, device_, {.parts = choices_.parts}, kernel);
    } else if (fresh) {
        for (const Dim3& group : choices_.groups) {
            found->second.push_back({{group[0], group[1]}, group});
        }
    }
    return found->second;
}

KernelProblem::Key KernelProblem::key(const KernelPoint& point) const
{
    Key key = to_string(point.schedule.stage > 0 ? point.schedule : kernel_of(point.schedule));
    for (std::size_t i = 0; i + 1 < point.layouts.size(); ++i) {
        const auto& layout = point.layouts[i];
        key += layout ? ";" + to_string(layout->memory) + " " + to_string(*layout) : ";";
    }
    return key;
}

KernelProblem::Answer KernelProblem::ask(const KernelPoint& point)
{
    const Schedule& schedule = point.schedule;
    // Where a kernel copies blocks, the model takes each work-group for another kernel, so the one
    // that it has is priced alone.
    const std::vector<GroupChoice> tried =
        schedule.stage > 0 ? std::vector<GroupChoice>{{schedule.warp, schedule.group}}
                           : near(groups(schedule), schedule.group);
    const ModelCosts::Costs costs =
        bottleneck_costs(operator_in(kernel_, point.layouts), device_, schedule, tried, stop_);
    evaluated_ += std::ssize(costs.priced);
    constexpr std::ptrdiff_t kept = 3;
    std::vector<ModelCosts::Cost> first(
        static_cast<std::size_t>(std::min(kept, std::ssize(costs.priced))));
    std::ranges::partial_sort_copy(costs.priced, first);
    Answer answer{{point}, {}};
    for (const ModelCosts::Cost& cost : first) {
        const GroupChoice& group = tried[static_cast<std::size_t>(cost.index)];
        PricedKernel priced{{schedule_of(kernel_of(schedule), group), point.layouts}, cost.ns};
        if (answer.best.ns == no_cost) {
            answer.best = std::move(priced);
        } else {
            answer.next.push_back(std::move(priced));
        }
    }
    return answer;
}

std::int64_t KernelProblem::searched() const
{
    std::int64_t groups = 1;
    for (const auto& [split, choices] : groups_) {
        groups = std::max(groups, std::ssize(choices));
    }
    return kernels_ * groups;
}

std::vector<Tile> ranked_tiles(KernelSearch& search, const KernelPoint& from)
{
    std::vector<std::pair<double, const Tile*>> times;
    for (const Tile& tile : search.problem().tiles()) {
        KernelPoint other = from;
        other.schedule.tile = tile;
        times.emplace_back(search.price(other).ns, &tile);
    }
    std::ranges::stable_sort(times, {}, &std::pair<double, const Tile*>::first);
    return mapped(times, [](const auto& timed) { return *timed.second; });
}

std::vector<PricedKernel> first_of(const KernelSearch& search, const codegen::GivenLayouts& layouts,
                                   std::size_t most)
{
    std::vector<const KernelSearch::Asked*> asked(search.asked().begin(), search.asked().end());
    // By their keys, so that equal ones are in a fixed order, whoever asked first.
    std::ranges::sort(asked, {}, &KernelSearch::Asked::first);
    std::vector<const PricedKernel*> all;
    const auto add = [&](const PricedKernel& each) {
        if (each.ns < no_cost) {
            all.push_back(&each);
        }
    };
    for (const auto* const each : asked) {
        add(each->second.best);
        std::ranges::for_each(each->second.next, add);
    }
    std::ranges::stable_sort(all, {}, &PricedKernel::ns);
    constexpr std::size_t most_alike = 2;
    std::map<std::string, std::size_t> alike;
    const auto one_of_few = [&](const PricedKernel* each) {
        Schedule rest; // without tiles, groups and loops
        rest.patterns = each->point.schedule.patterns;
        rest.memory = each->point.schedule.memory;
        rest.split = each->point.schedule.split;
        return alike[search.problem().key({rest, each->point.layouts})]++ < most_alike;
    };
    std::stable_partition(all.begin(), all.end(), one_of_few);
    all.resize(std::min(all.size(), most));
    std::ranges::stable_sort(all, {}, &PricedKernel::ns);
    std::vector<PricedKernel> first;
    for (const PricedKernel* each : all) {
        first.push_back(*each);
        first.back().point.layouts.back() = layouts.back();
    }
    return first;
}

} // namespace texelscope::workbench::network_studies
