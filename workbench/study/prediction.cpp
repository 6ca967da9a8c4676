#include "workbench/study/prediction.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/passes/tile_dependence.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "model/tmmodel/calibrate.hpp"
#include "model/tmmodel/confidence.hpp"
#include "model/tmmodel/fresh_blocks.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "sim/options/occupancy.hpp"
#include "sim/timed/warp_code.hpp"
#include "traces/launch_source.hpp"
#include "workbench/study/nest_read_stream.hpp"
#include "workbench/study/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace texelscope::workbench::study {
namespace {

/// Distinct thread indices of an operand inside one warp of shape (wx, wy): wx where it varies with
/// x, wy where it varies with y, |W| = min(wx*wy, warp size) where it varies with both, 1 where
/// with neither. x and y are the first two axes of the launch.
std::int64_t thread_indices(std::array<bool, 3> varies, std::array<std::size_t, 3> axes,
                            std::array<std::int32_t, 2> warp, int warp_size)
{
    const std::int64_t x = varies[axes[0]] ? warp[0] : 1;
    const std::int64_t y = varies[axes[1]] ? warp[1] : 1;
    return std::min<std::int64_t>(x * y, warp_size);
}

/// All that the model needs to know of a kernel and that does not depend on its work-group.
struct KernelFeatures {
    /// Histograms, patterns and s are filled in; set_group() adds w and the counts of the group.
    ModelKernel kernel;
    /// By input of the nest: the axes of the grid with which its reads change.
    std::vector<std::array<bool, 3>> varies;
    /// By input of `kernel`: its number among the nest's inputs (buffers are left out of `kernel`).
    std::vector<std::size_t> of_input;
    /// The axes of the grid in the order of the launch's (N).
    std::array<std::size_t, 3> axes{0, 1, 2};
    /// By axis of the launch: tiles of the nest, including those that fill up the last work-group.
    std::array<std::int64_t, 3> tiles{};
    int linear_axis = -1; ///< as in WorkGrid
    int registers = 0;    ///< 32-bit registers of a work-item, spilled ones included
    /// Bytes of local memory that a work-group of this shape takes.
    std::function<std::int64_t(const GroupChoice&)> local_bytes;
    SimulationOptions options;
    std::optional<Launch> launch; ///< of the nest, its buffers as rows, where the code is asked for
    std::map<std::pair<int, int>, WarpCode::Totals> code; ///< of a warp, by kind_of_code()
};

/// What the work-group decides of a warp's code: its lanes, and registers that are spilled.
std::pair<int, int> kind_of_code(const SimulationOptions& options)
{
    const bool in_body = options.machine.spills == SpillRule::body || options.kernel.spill_accesses;
    return {options.machine.warp_size, in_body ? options.kernel.spilled_registers : 0};
}

/// The schedule that stands for a kernel with any of its work-groups: the one with single
/// work-items. A kernel whose work-items copy texels for each other (S) keeps its group, because
/// there what a work-item reads depends on it.
Schedule without_group(Schedule schedule)
{
    if (schedule.stage == 0) {
        schedule.warp = {1, 1};
        schedule.group = {1, 1, 1};
    }
    return schedule;
}

/// Bytes of local memory of a kernel as a function of its work-group. `nest`: that of
/// without_group().
std::function<std::int64_t(const GroupChoice&)>
local_bytes_by_group(const Schedule& schedule, const LoopNest& nest, const DeviceProfile& device)
{
    const Precision arithmetic = arithmetic_of(nest, device);
    const std::int64_t bytes = local_memory_bytes(nest, arithmetic);
    if (schedule.stage > 0 || bytes == 0 || !device.limits.local_memory) {
        return [bytes](const GroupChoice&) { return bytes; };
    }
    // A nest with local arrays alone: its size is all that is asked, and the rest would cost
    // memory.
    LoopNest arrays;
    arrays.local_arrays = nest.local_arrays;
    return [arrays = std::move(arrays), arithmetic,
            split = schedule.split](const GroupChoice& choice) {
        return local_memory_bytes(arrays, arithmetic,
                                  std::int64_t{choice.group[0]} * choice.group[1] *
                                      choice.group[2] * split);
    };
}

/// Throws bad_input for a kernel that breaks a limit of the device, or that reads buffers where the
/// variant knows only reads of images.
void check_ranked(const LoopNest& nest, const DeviceProfile& device, ModelVariant variant)
{
    check_limits(nest, device);
    const auto buffer = std::ranges::find(nest.inputs, Memory::buffer, &Operand::memory);
    if (variant != ModelVariant::bottleneck && buffer != nest.inputs.end()) {
        throw bad_input(
            fmt::format("{} does not know what reads of buffers cost", to_string(variant)),
            "input " + buffer->tensor.name, "use --variant bottleneck, or images");
    }
}

/// The features of a kernel for the variant `only`; nothing: for all variants. For a GPU whose
/// compiler is known, registers are counted for the schedule as it is: a kernel with work-groups of
/// single work-items is compiled differently.
KernelFeatures kernel_features(const Operator& op, const Schedule& schedule,
                               const DeviceProfile& device, std::int64_t cache_lines,
                               std::optional<ModelVariant> only, const StopToken& stop)
{
    const bool by_group = schedule.stage > 0;
    const LoopNest nest = loop_nest(op, without_group(schedule));
    if (only) {
        check_ranked(nest, device, *only);
    }
    KernelFeatures features;
    // Operators that sweep over rows or columns (grid.tiled) have a grid of one line: along y where
    // it is one wide.
    features.linear_axis = op.grid.tiled.empty() ? -1 : op.grid.extents[0] == 1 ? 1 : 0;
    // nest.local[2] counts the work-items that share a tile (R), not further tiles.
    for (std::size_t axis = 0; axis < 3; ++axis) {
        features.tiles[axis] = std::int64_t{nest.groups[axis]} * (axis < 2 ? nest.local[axis] : 1);
    }
    features.axes = axes_of(schedule.numbering);
    features.varies = tile_dependence(nest);
    features.options = options_for(
        known_compiler_gpu(device.name) != nullptr ? loop_nest(op, schedule) : nest, device);
    features.registers = features.options.kernel.registers_per_item.value_or(0) +
                         features.options.kernel.spilled_registers;
    features.local_bytes = local_bytes_by_group(schedule, nest, device);
    const bool wants_rounds = !only || only == ModelVariant::bottleneck;
    if (wants_rounds) {
        const LoopNest rows = buffers_as_rows(nest);
        if (reads_buffers(nest)) {
            features.options.kernel.buffers = buffer_path(device);
        }
        features.launch = launch_of(rows);
        // Its code follows from the work-group (set_code()).
        features.kernel.rounds = {
            ReadStreams(*features.launch).on(features.options), {}, features.options, device.model};
        if (by_group) {
            features.kernel.rounds->grid = {
                .tiles = {nest.groups[0], nest.groups[1], nest.groups[2]},
                .copied_by = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2]};
        }
    }
    const std::vector<int> images = launch_images(nest);
    const bool wants_histograms = only != ModelVariant::bottleneck;
    const bool wants_fresh = !only || only == ModelVariant::reuse_aware;
    std::vector<std::vector<Texel>> texels(nest.inputs.size());
    if (wants_histograms) {
        texels = item_texels(*make_trace_source(launch_of(nest)), 0, 0, stop);
    }
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
        if (images[i] < 0) {
            continue; // a buffer does not pass through the texture cache
        }
        const auto& read = texels[static_cast<std::size_t>(images[i])];
        ModelKernel::Input input;
        input.image = nest.inputs[i].image.name;
        input.pattern = to_string(schedule.patterns[i]);
        if (wants_histograms) {
            input.histogram = cross_block_histogram(read);
        }
        if (wants_fresh) {
            input.fresh = fresh_block_histogram(read, cache_lines);
        }
        input.warp.s = reuse_distance(schedule.patterns[i]);
        for (std::size_t axis = 0; axis < schedule.tile.size(); ++axis) {
            input.tile *= features.varies[i][axis] ? schedule.tile[axis] : 1;
        }
        features.kernel.inputs.push_back(std::move(input));
        features.of_input.push_back(i);
    }
    return features;
}

/// Whether the registers that a work-item keeps depend on the work-group: not where the user has
/// set them, or a compiler has said what it spills.
bool registers_by_group(const KernelFeatures& features, const DeviceProfile& device)
{
    return !device.simulation.kernel.registers_per_item && !features.options.kernel.spill_accesses;
}

/// Gives the kernel the warps that it has in work-groups of so many work-items
/// (has_double_warps()).
void set_warps(KernelFeatures& features, const DeviceProfile& device, std::int64_t items)
{
    const Machine& single = device.simulation.machine;
    if (!single.double_warp_registers) {
        return;
    }
    SimulationOptions options = features.options;
    options.machine = single;
    if (registers_by_group(features, device)) {
        options.kernel = with_registers(options.kernel, device, features.registers, items);
    }
    const bool wide = has_double_warps(options, items);
    options.machine = wide ? with_double_warps(single) : single;
    if (options.kernel.compiled_warps) {
        options.kernel.compiled_warps =
            std::max(1, *options.kernel.compiled_warps * features.options.machine.warp_size /
                            options.machine.warp_size);
    }
    features.options = options;
    if (features.kernel.rounds) {
        features.kernel.rounds->options = options;
    }
}

/// Makes the code of the kernel that which it has with these options.
void set_code(KernelFeatures& features)
{
    ModelKernel::Rounds& rounds = *features.kernel.rounds;
    const std::pair<int, int> kind = kind_of_code(rounds.options);
    auto known = features.code.find(kind);
    if (known == features.code.end()) {
        known =
            features.code.emplace(kind, WarpCode(&*features.launch, rounds.options).totals()).first;
    }
    rounds.stream.code = known->second;
}

/// Fills in what the work-group decides, into the features of without_group(). Throws as
/// check_local_memory() does.
void set_group(KernelFeatures& features, const DeviceProfile& device, const GroupChoice& choice,
               std::int32_t split)
{
    ModelKernel& kernel = features.kernel;
    const std::int64_t items =
        std::int64_t{choice.group[0]} * choice.group[1] * choice.group[2] * split;
    set_warps(features, device, items);
    for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
        kernel.inputs[i].warp.w =
            thread_indices(features.varies[features.of_input[i]], features.axes, choice.warp,
                           features.options.machine.warp_size);
    }
    const WorkItems group{choice.group[features.axes[0]], choice.group[features.axes[1]],
                          choice.group[features.axes[2]]};
    const std::int64_t local_bytes = features.local_bytes(choice);
    check_local_memory(local_bytes, device.limits, "G");
    const int warp_size = features.options.machine.warp_size;
    kernel.warps_per_group = ceil_div(items, warp_size);
    kernel.warp_items =
        std::min<std::int64_t>(std::int64_t{choice.warp[0]} * choice.warp[1], warp_size);
    kernel.work_groups = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool along =
            features.linear_axis < 0 || static_cast<std::size_t>(features.linear_axis) == axis;
        const std::int64_t side = features.linear_axis < 0 ? group[axis] : items / split;
        kernel.work_groups *= along ? ceil_div(features.tiles[axis], side) : 1;
    }
    if (kernel.rounds) {
        // Registers and local memory limit how many warps a core holds, unless the profile says
        // that number itself.
        KernelDemand& demand = kernel.rounds->options.kernel;
        if (registers_by_group(features, device)) {
            demand = with_registers(demand, device, features.registers, items);
        }
        if (!device.simulation.kernel.local_warps) {
            demand = with_local_memory(demand, device, local_bytes, items, warp_size);
        }
        if (kernel.rounds->grid.copied_by == 0) {
            kernel.rounds->grid = {.tiles = features.tiles,
                                   .group = group,
                                   .warp = {choice.warp[0], choice.warp[1]},
                                   .linear_axis = features.linear_axis,
                                   .split = split};
        }
        set_code(features);
    }
}

/// Returns the time; throws bad_input where it is not a positive finite number.
double finite(double ns)
{
    // a kernel whose reads the variant does not look at
    if (!std::isfinite(ns) || ns <= 0) {
        throw bad_input("the model has no time for the kernel");
    }
    return ns;
}

} // namespace

Calibration calibrate_profile(const DeviceProfile& device, std::uint64_t seed,
                              const StopToken& stop)
{
    CalibrationOptions options;
    options.seed = seed;
    return calibrate_simulated(device.simulation, options, {}, stop);
}

const KernelCost& Prediction::cost(ModelVariant variant) const
{
    switch (variant) {
    case ModelVariant::literal:
        return literal;
    case ModelVariant::refined:
        return refined;
    case ModelVariant::reuse_aware:
        return reuse_aware;
    case ModelVariant::bottleneck:
        return bottleneck;
    }
    return literal;
}

Prediction predict(const Operator& op, const Schedule& schedule, const DeviceProfile& device,
                   const Calibration& model, const StopToken& stop)
{
    KernelFeatures features = kernel_features(op, schedule, device, model.cache_lines, {}, stop);
    set_group(features, device, {schedule.warp, schedule.group}, schedule.split);
    Prediction prediction;
    prediction.kernel = std::move(features.kernel);
    prediction.device = model_device(features.options);
    prediction.literal =
        predict(prediction.kernel, prediction.device, model, ModelVariant::literal);
    prediction.refined =
        predict(prediction.kernel, prediction.device, model, ModelVariant::refined);
    prediction.reuse_aware =
        predict(prediction.kernel, prediction.device, model, ModelVariant::reuse_aware);
    prediction.bottleneck =
        predict(prediction.kernel, prediction.device, model, ModelVariant::bottleneck);
    const CalibratedRegion region(model.walks);
    // Histograms are of images alone.
    prediction.confidence = prediction.kernel.inputs.empty() ? 0 : 1;
    for (const ModelKernel::Input& input : prediction.kernel.inputs) {
        prediction.confidence = std::min(prediction.confidence, region.confidence(input.histogram));
    }
    return prediction;
}

ModelKernel bottleneck_kernel(const Operator& op, const Schedule& schedule,
                              const DeviceProfile& device, const StopToken& stop)
{
    const Calibration none;
    KernelFeatures features =
        kernel_features(op, schedule, device, none.cache_lines, ModelVariant::bottleneck, stop);
    set_group(features, device, {schedule.warp, schedule.group}, schedule.split);
    return std::move(features.kernel);
}

ModelCosts::ModelCosts(const Operator& op, const DeviceProfile& device,
                       const ConfigurationSpace& space, const Calibration& model,
                       ModelVariant variant, StopToken stop)
    : op_(op), device_(device), space_(space), model_(model), variant_(variant),
      stop_(std::move(stop))
{}

ModelCosts::Costs& ModelCosts::Costs::operator+=(const Costs& other)
{
    priced.insert(priced.end(), other.priced.begin(), other.priced.end());
    not_priced += other.not_priced;
    refusal = refusal.empty() ? other.refusal : refusal;
    return *this;
}

ModelCosts::Costs ModelCosts::of_kernel(std::size_t kernel) const
{
    std::vector<std::size_t> all(space_.groups(kernel).size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return of_groups(kernel, all);
}

ModelCosts::Costs ModelCosts::of_groups(std::size_t kernel,
                                        std::span<const std::size_t> places) const
{
    check_stop(stop_);
    const KernelChoice choice = space_.kernel(kernel);
    const std::span<const GroupChoice> groups = space_.groups(kernel);
    const bool by_group = choice.stage > 0;
    Costs costs;
    // Of the kernel, or of one of its groups where it copies blocks.
    std::optional<KernelFeatures> features;
    ModelDevice device;
    bool refused = false;
    for (const std::size_t g : places) {
        const std::int64_t index = space_.first(kernel) + static_cast<std::int64_t>(g);
        if (refused) {
            ++costs.not_priced;
            continue;
        }
        try {
            if (by_group || !features) {
                features = kernel_features(op_, standing_for(choice, groups, g), device_,
                                           model_.cache_lines, variant_, stop_);
                device = model_device(features->options);
            }
            set_group(*features, device_, groups[g], choice.split);
            if (device_.simulation.machine.double_warp_registers) {
                device = model_device(features->options); // whose warps depend on the group
            }
            costs.priced.push_back(
                {finite(predict(features->kernel, device, model_, variant_).kernel.value), index});
        } catch (const Error& error) {
            if (error.kind() != Error::Kind::bad_input) {
                throw;
            }
            ++costs.not_priced;
            costs.refusal = error.what();
            // The nest itself is refused, and all groups share it.
            refused = !by_group && !features;
        }
    }
    return costs;
}

void ModelCosts::compile(const std::function<void(double)>& progress) const
{
    if (!device_.compiler) {
        return;
    }
    std::vector<std::string> texts;
    for (std::size_t kernel = 0; kernel < space_.kernel_count(); ++kernel) {
        check_stop(stop_);
        const KernelChoice choice = space_.kernel(kernel);
        const std::span<const GroupChoice> groups = space_.groups(kernel);
        for (std::size_t g = 0; g < groups.size(); ++g) {
            texts.push_back(
                opencl_text(loop_nest(op_, standing_for(choice, groups, g)), TexelBackend::native));
            if (choice.stage == 0) {
                break; // it stands for all
            }
        }
    }
    device_.compiler->prepare(
        texts, processor_threads(),
        [&](const std::string&, double fraction) {
            if (progress) {
                progress(fraction);
            }
        },
        stop_);
}

bool same_time(double ns, double other_ns)
{
    constexpr double rounding = 1e-9;
    return ns == other_ns || // both may be infinite
           std::abs(ns - other_ns) <= rounding * std::max(std::abs(ns), std::abs(other_ns));
}

TieBreaker by_variant(const Operator& op, const DeviceProfile& device,
                      const ConfigurationSpace& space, const Calibration& model, ModelVariant next,
                      const StopToken& stop)
{
    return [&op, &device, &space, &model, next, stop](const std::vector<std::int64_t>& elements) {
        std::map<std::size_t, std::vector<std::size_t>> groups; // by kernel
        for (const std::int64_t element : elements) {
            const ConfigurationSpace::Place place = space.place(element);
            groups[place.kernel].push_back(place.group);
        }
        const ModelCosts costs(op, device, space, model, next, stop);
        std::map<std::int64_t, double> cost_of;
        for (const auto& [kernel, places] : groups) {
            for (const ModelCosts::Cost& cost : costs.of_groups(kernel, places).priced) {
                cost_of.emplace(cost.index, cost.ns);
            }
        }
        return mapped(elements, [&](std::int64_t element) {
            const auto known = cost_of.find(element);
            return known == cost_of.end() ? std::numeric_limits<double>::infinity() : known->second;
        });
    };
}

namespace {

/// Keeps the `keep` cheapest (0: all), and those that tie with the last of these: a tie breaker may
/// still prefer them.
void keep_first(std::vector<ModelCosts::Cost>& costs, std::size_t keep)
{
    if (keep > 0 && keep < costs.size()) {
        const auto behind = costs.begin() + static_cast<std::ptrdiff_t>(keep);
        std::nth_element(costs.begin(), behind - 1, costs.end());
        const double worst = (behind - 1)->ns;
        costs.erase(
            std::partition(behind, costs.end(),
                           [&](const ModelCosts::Cost& cost) { return same_time(cost.ns, worst); }),
            costs.end());
    }
}

/// Sorts elements that the judge cannot tell apart by the costs of the next judge, and then by
/// their texts.
void order_ties(std::span<ModelCosts::Cost> alike, const ConfigurationSpace& space,
                const TieBreaker& ties)
{
    const std::vector<double> said = ties(mapped(alike, &ModelCosts::Cost::index));
    struct Tied {
        double said;
        std::string text;
        ModelCosts::Cost cost;
    };
    std::vector<Tied> tied;
    for (std::size_t i = 0; i < alike.size(); ++i) {
        tied.push_back({said[i], to_string(space.at(alike[i].index)), alike[i]});
    }
    // By cost first, and only then each run of equal costs by text: "equal up to rounding" is not
    // transitive, so that one sort by both would have no strict order.
    std::ranges::stable_sort(tied, {}, &Tied::said);
    for (std::size_t first = 0; first < tied.size();) {
        const std::size_t end =
            end_of_same(first, tied.size(), [&](std::size_t place) { return tied[place].said; });
        std::sort(tied.begin() + static_cast<std::ptrdiff_t>(first),
                  tied.begin() + static_cast<std::ptrdiff_t>(end),
                  [](const Tied& a, const Tied& b) { return a.text < b.text; });
        first = end;
    }
    std::ranges::transform(tied, alike.begin(), &Tied::cost);
}

} // namespace

Ranking ranking_of(const ConfigurationSpace& space, ModelCosts::Costs costs, std::size_t keep,
                   const TieBreaker& ties)
{
    Ranking ranking;
    ranking.space = space.size();
    ranking.evaluated = std::ssize(costs.priced);
    ranking.not_priced = costs.not_priced;
    ranking.refusal = std::move(costs.refusal);
    std::vector<ModelCosts::Cost>& priced = costs.priced;
    keep_first(priced, keep);
    std::ranges::sort(priced);
    const std::size_t shown = keep == 0 ? priced.size() : std::min(keep, priced.size());
    for (std::size_t first = 0; first < shown;) {
        const std::size_t alike =
            end_of_same(first, priced.size(), [&](std::size_t place) { return priced[place].ns; }) -
            first;
        if (ties && alike > 1) {
            order_ties({priced.begin() + static_cast<std::ptrdiff_t>(first), alike}, space, ties);
        }
        for (std::size_t i = first; i < std::min(shown, first + alike); ++i) {
            ranking.best.push_back({space.at(priced[i].index), Nanoseconds{priced[i].ns},
                                    priced[i].index, static_cast<std::int64_t>(alike)});
        }
        first += alike;
    }
    return ranking;
}

Ranking rank_by_model(const ModelCosts& costs, std::size_t keep,
                      const std::function<void(double)>& progress, const TieBreaker& ties)
{
    // A space may be far larger than what is kept, so costs that cannot be among the best are
    // dropped on the way.
    constexpr std::size_t most_at_once = 1 << 20;
    const ConfigurationSpace& space = costs.space();
    costs.compile(progress);
    ModelCosts::Costs all;
    std::int64_t evaluated = 0;
    for (std::size_t kernel = 0; kernel < space.kernel_count(); ++kernel) {
        const ModelCosts::Costs some = costs.of_kernel(kernel);
        evaluated += std::ssize(some.priced);
        all += some;
        if (all.priced.size() > most_at_once) {
            keep_first(all.priced, keep);
        }
        if (progress) {
            progress(static_cast<double>(kernel + 1) / static_cast<double>(space.kernel_count()));
        }
    }
    Ranking ranking = ranking_of(space, std::move(all), keep, ties);
    ranking.evaluated = evaluated;
    return ranking;
}

} // namespace texelscope::workbench::study
