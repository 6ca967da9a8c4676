#include "workbench/network_studies/kernel_search.hpp"

#include "base/error.hpp"
#include "codegen/nest/schedule_parts.hpp"
#include "workbench/network_studies/loop_choices.hpp"
#include "workbench/space/part_values.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/tuning/priced_parts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

namespace texelscope::workbench::network_studies {
namespace {

using networks::NodeKernel;

using Tile = std::vector<std::int32_t>;

constexpr std::int32_t most_outputs = 64; ///< of a work-item whose tile is searched
constexpr std::int32_t deepest = 4;       ///< tile that is searched
constexpr double worth_going_on = 0.99;   ///< of the time before

/// But for where the output lies: it costs the same everywhere.
std::string key_of(const KernelPoint& point)
{
    std::string key =
        to_string(point.schedule.stage > 0 ? point.schedule : kernel_of(point.schedule));
    for (std::size_t i = 0; i + 1 < point.layouts.size(); ++i) {
        const auto& layout = point.layouts[i];
        key += layout ? ";" + to_string(layout->memory) + " " + to_string(*layout) : ";";
    }
    return key;
}

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

/// Groups whose sides are at most twice or half as long; all of them where none is.
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

/// From a tile to those next to it: one side doubled, one halved, or one for the other; and wider
/// and higher.
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

void set_tile(Schedule& schedule, const Tile& tile, std::int32_t depth)
{
    schedule.tile = {tile[0], tile[1]};
    if (depth > 1) {
        schedule.tile.push_back(depth);
    }
}

/// Values of a schedule's part, by letter.
KernelKnob part_knob(const Operator& op, char key)
{
    const codegen::SchedulePart& part = codegen::schedule_part(key);
    KernelKnob knob;
    for (const std::string& text : part_values(op, key)) {
        Schedule value = op.default_schedule;
        if (!text.empty()) {
            part.read(value, text, "parts of the search");
        }
        knob.emplace_back([value, &part](KernelPoint& point) { part.copy(point.schedule, value); });
    }
    return knob;
}

/// Four times as many work-items that share a reduction, or a fourth. Work-groups hold other
/// numbers of tiles then.
KernelKnob split_knob()
{
    constexpr std::int32_t step = 4, most = 64;
    KernelKnob knob;
    for (const bool more : {true, false}) {
        knob.emplace_back([more](KernelPoint& point) {
            std::int32_t& split = point.schedule.split;
            if (more ? split * step <= most : split >= step) {
                split = more ? split * step : split / step;
                point.schedule.group = {};
            }
        });
    }
    return knob;
}

} // namespace

std::size_t placed_inputs(const NodeKernel& kernel)
{
    const std::size_t factors = kernel.contraction ? kernel.contraction->factors : 0;
    return factors > 0 ? factors : kernel.inputs.size();
}

double price_of(const NodeKernel& kernel, const KernelPoint& point, const DeviceProfile& device)
{
    const auto price = bottleneck_price(operator_in(kernel, point.layouts), device, point.schedule);
    return price ? price->value : no_cost;
}

KernelSearch::KernelSearch(const NodeKernel& kernel, const std::vector<bool>& made,
                           const DeviceProfile& device, KernelChoices choices,
                           const StopToken& stop)
    : kernel_(kernel), device_(device), choices_(std::move(choices)), stop_(stop)
{
    if (is_searched('T')) {
        add_tiles();
    }
    if (kernel.contraction && (is_searched('L') || is_searched('U'))) {
        KernelKnob loops;
        for (const LoopChoice& choice :
             loop_choices(*kernel.contraction, is_searched('L'), is_searched('U'))) {
            loops.emplace_back([choice](KernelPoint& point) { choice.put_into(point.schedule); });
        }
        add(std::move(loops));
    }
    for (const codegen::SchedulePart& part : codegen::schedule_parts()) {
        if (is_searched(part.key) && std::string("ATWGLUMR").find(part.key) == std::string::npos) {
            add(part_knob(kernel.op, part.key));
        }
    }
    if (is_searched('R')) {
        knobs_.push_back(split_knob());
        kernels_ *= std::ssize(part_values(kernel.op, 'R'));
    }
    add_constants(made);
}

void KernelSearch::add(KernelKnob knob)
{
    kernels_ *= std::ssize(knob);
    knobs_.push_back(std::move(knob));
}

void KernelSearch::add_tiles()
{
    for (const Tile& tile : choices_.tiles) {
        tiles_.emplace_back([tile](KernelPoint& point) { point.schedule.tile = tile; });
    }
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
            const bool on_grid = tile[0] != 2 && tile[1] != 2 && (depth == 1 || deep);
            if (on_grid && tile[0] * tile[1] * depth <= most_outputs) {
                tiles_.emplace_back(
                    [=](KernelPoint& point) { set_tile(point.schedule, tile, depth); });
            }
        }
    }
    KernelKnob& next = knobs_.emplace_back();
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
                set_tile(point.schedule, other, depth);
            }
        });
    }
}

/// Patterns and memory of constants.
void KernelSearch::add_constants(const std::vector<bool>& made)
{
    for (std::size_t input = 0; input < placed_inputs(kernel_); ++input) {
        if (!made[input] && is_searched('A')) {
            KernelKnob patterns;
            for (const AccessPattern pattern : all_access_patterns) {
                patterns.emplace_back([input, pattern](KernelPoint& point) {
                    point.schedule.patterns[input] = pattern;
                });
            }
            add(std::move(patterns));
        }
        if (!made[input] && is_searched('M')) {
            KernelKnob memories;
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

const std::vector<GroupChoice>& KernelSearch::groups(const Schedule& schedule)
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

const PricedKernel& KernelSearch::price(const KernelPoint& point)
{
    const auto [found, fresh] =
        known_.try_emplace(key_of(point), std::vector{PricedKernel{point, no_cost}});
    std::vector<PricedKernel>& priced = found->second;
    if (!fresh) {
        return priced.front();
    }
    const Schedule& schedule = point.schedule;
    // Where a kernel copies blocks, each of its work-groups is a kernel of its own to the model:
    // that one as it stands.
    const std::vector<GroupChoice> tried =
        schedule.stage > 0 ? std::vector<GroupChoice>{{schedule.warp, schedule.group}}
                           : near(groups(schedule), schedule.group);
    ConfigurationSpace alone;
    alone.add_kernel(kernel_of(schedule), alone.add_groups(tried));
    const Operator op = operator_in(kernel_, point.layouts);
    const Calibration none; // of which this variant takes nothing
    const ModelCosts::Costs costs =
        ModelCosts(op, device_, alone, none, ModelVariant::bottleneck, stop_).of_kernel(0);
    evaluated_ += std::ssize(costs.priced);
    if (!costs.priced.empty()) {
        constexpr std::ptrdiff_t kept = 3;
        std::vector<ModelCosts::Cost> first(
            static_cast<std::size_t>(std::min(kept, std::ssize(costs.priced))));
        std::ranges::partial_sort_copy(costs.priced, first);
        priced.clear();
        for (const ModelCosts::Cost& cost : first) {
            priced.push_back({{alone.at(cost.index), point.layouts}, cost.ns});
        }
    }
    return priced.front();
}

KernelKnob KernelSearch::ranked(const KernelPoint& from, const KernelKnob& knob)
{
    std::vector<std::pair<double, std::size_t>> times;
    for (const auto& change : knob) {
        KernelPoint other = from;
        change(other);
        times.emplace_back(price(other).ns, times.size());
    }
    std::ranges::sort(times);
    KernelKnob ordered;
    for (const auto& [ns, number] : times) {
        ordered.push_back(knob[number]);
    }
    return ordered;
}

PricedKernel KernelSearch::turn(const KernelPoint& from, const KernelKnob& knob)
{
    PricedKernel best = price(from);
    const KernelPoint base = best.point;
    for (const auto& change : knob) {
        KernelPoint other = base;
        change(other);
        if (const PricedKernel& priced = price(other); priced.ns < best.ns) {
            best = priced;
        }
    }
    return best;
}

PricedKernel KernelSearch::descend(const KernelPoint& from, const std::vector<KernelKnob>& knobs)
{
    PricedKernel best = price(from);
    std::size_t unchanged = 0;
    for (std::size_t k = 0; unchanged < knobs.size(); k = (k + 1) % knobs.size()) {
        const double before = best.ns;
        best = turn(best.point, knobs[k]);
        const bool gains =
            before == no_cost ? best.ns < no_cost : best.ns < before * worth_going_on;
        unchanged = gains ? 1 : unchanged + 1;
    }
    return best;
}

std::vector<PricedKernel> KernelSearch::first(const codegen::GivenLayouts& layouts,
                                              std::size_t most) const
{
    std::vector<const PricedKernel*> all;
    for (const auto& [key, priced] : known_) {
        for (const PricedKernel& each : priced) {
            if (each.ns < no_cost) {
                all.push_back(&each);
            }
        }
    }
    std::ranges::stable_sort(all, {}, &PricedKernel::ns);
    constexpr std::size_t most_alike = 2;
    std::map<std::string, std::size_t> alike;
    const auto one_of_few = [&](const PricedKernel* each) {
        Schedule rest; // but for tiles, groups and loops
        rest.patterns = each->point.schedule.patterns;
        rest.memory = each->point.schedule.memory;
        rest.split = each->point.schedule.split;
        return alike[key_of({rest, each->point.layouts})]++ < most_alike;
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

std::int64_t KernelSearch::searched() const
{
    std::int64_t groups = 1;
    for (const auto& [split, choices] : groups_) {
        groups = std::max(groups, std::ssize(choices));
    }
    return kernels_ * groups;
}

} // namespace texelscope::workbench::network_studies
