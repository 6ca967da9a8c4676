#include "networks/plan/plan.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "networks/lowering/kernel_builder.hpp"
#include "networks/plan/carried.hpp"
#include "networks/plan/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace texelscope::networks {
namespace {

using codegen::GivenLayouts;
using codegen::Memory;
using codegen::TensorLayout;

/// Adds the elements that one reader asks for to those that others asked for.
void join(std::optional<TensorLayout>& asked, const TensorLayout& by)
{
    if (asked) {
        asked = asked->asked.empty() ? by : joined(*asked, by);
    }
}

/// Throws bad_input for identifiers that half precision does not have: it has whole numbers up to
/// 2048 alone.
void require_identifiers(const Graph& graph, codegen::Storage storage)
{
    constexpr std::int64_t most = 2048;
    for (const Node& node : graph.nodes) {
        if (storage != codegen::Storage::fp16 || node.op != "Gather" || node.inputs.size() < 2) {
            continue;
        }
        const Shape& table = graph.value(node.inputs[0]).shape;
        const std::int64_t rows = table[axis_in(node.attributes.integer("axis", 0), table.size())];
        if (rows > most) {
            throw bad_input(fmt::format("it takes rows of {} by number, and fp16 has whole numbers "
                                        "up to {}",
                                        rows, most),
                            "node '" + node.name + "' (Gather)", "leave out --storage fp16");
        }
    }
}

/// Makes the list of kernels of a network: one for each node, or for several where they fuse, and a
/// conversion in front of a kernel that needs other texels than its input has. made() then orders
/// kernels, chooses where values lie, and lowers everything.
class KernelList {
public:
    KernelList(const Graph& graph, codegen::Storage storage)
        : packed_(packed_dims(graph)), storage_(storage), readers_(graph.values.size(), 0)
    {
        plan_.graph = graph;
        for (const ValueId output : graph.outputs) {
            ++readers_[static_cast<std::size_t>(output)];
        }
        for (const Carried& each : graph.carried) { // the next run reads it
            ++readers_[static_cast<std::size_t>(each.next)];
        }
        for (const Node& node : graph.nodes) {
            for (const ValueId input : node.inputs) {
                readers_[static_cast<std::size_t>(std::max(input, 0))] += input == no_value ? 0 : 1;
            }
        }
    }

    Plan made(bool fuse) &&
    {
        const std::size_t nodes = plan_.graph.nodes.size();
        for (std::size_t node = 0; node < nodes; ++node) {
            if (fuse && taken_in(node)) {
                continue;
            }
            for (NodeKernel& kernel : node_kernels(plan_.graph, plan_.graph.nodes[node], packed_)) {
                for (const auto& [input, dimension] : kernel.packs) {
                    convert(kernel.inputs[input], dimension, node);
                }
                plan_.kernels.push_back(
                    {std::move(kernel), {node}, false, {}, {}, plan_.graph.nodes[node].every});
            }
        }
        // An input that is carried must be read by all kernels before its new value overwrites it.
        if (!plan_.graph.carried.empty()) {
            read_before_replaced();
        }
        for (PlannedKernel& each : plan_.kernels) {
            each.schedule = starting_schedule(
                each.kernel, packed_[static_cast<std::size_t>(each.kernel.output)], storage_);
        }
        plan_.layouts.resize(plan_.graph.values.size());
        for (const ValueId input : plan_.graph.inputs) {
            begin(input);
        }
        for (const PlannedKernel& each : plan_.kernels) {
            begin(each.kernel.output);
        }
        for (const Carried& each : plan_.graph.carried) {
            place(each);
        }
        const std::vector<bool> in_place = read_in_place(plan_);
        for (std::size_t value = 0; value < in_place.size(); ++value) {
            if (in_place[value]) {
                plan_.layouts[value]->memory = Memory::buffer;
            }
        }
        for (PlannedKernel& each : plan_.kernels) {
            each.schedule = noting(std::move(each.schedule), given_layouts(plan_, each.kernel));
        }
        lower(plan_);
        return std::move(plan_);
    }

private:
    /// Fuses a node into the kernel in front of it, if it can. That kernel then moves to the end of
    /// the list, behind everything else that the node reads; this is allowed because only this node
    /// reads its output.
    bool taken_in(std::size_t number)
    {
        const Node& node = plan_.graph.nodes[number];
        for (const ValueId input : node.inputs) {
            const auto maker = input == no_value || readers_[static_cast<std::size_t>(input)] != 1
                                   ? plan_.kernels.end()
                                   : only_maker(input);
            if (maker != plan_.kernels.end() && maker->every == node.every &&
                keeps_its_place(*maker, input, node) && take_in(maker->kernel, plan_.graph, node)) {
                maker->nodes.push_back(number);
                const NodeKernel& kernel = maker->kernel;
                packed_[static_cast<std::size_t>(kernel.output)] = packed_after(kernel, input);
                std::rotate(maker, maker + 1, plan_.kernels.end());
                return true;
            }
        }
        return false;
    }

    /// Whether the node's output is packed as before if that kernel makes it, where other kernels
    /// make values in its place.
    [[nodiscard]] bool keeps_its_place(const PlannedKernel& maker, ValueId input,
                                       const Node& node) const
    {
        const ValueId output = node.outputs.front();
        const ValueId place = place_of(plan_.graph, output);
        const bool shared = std::ranges::any_of(plan_.graph.carried, [&](const Carried& each) {
            return each.next != output && place_of(plan_.graph, each.next) == place;
        });
        if (place == output || !shared) {
            return true;
        }
        return packed_after(maker.kernel, input) == packed_[static_cast<std::size_t>(output)];
    }

    /// The dimension that texels pack of what a kernel makes that takes in the reader of `input`.
    [[nodiscard]] int packed_after(const NodeKernel& kernel, ValueId input) const
    {
        const bool packs = packed_[static_cast<std::size_t>(input)] >= 0;
        return packs && kernel.contraction ? packed_along(*kernel.contraction) : -1;
    }

    /// The kernel that makes the whole of a value; the end if several make parts of it.
    std::vector<PlannedKernel>::iterator only_maker(ValueId value)
    {
        const auto makes = [value](const PlannedKernel& each) {
            return each.kernel.output == value;
        };
        const auto found = std::ranges::find_if(plan_.kernels, makes);
        return found == plan_.kernels.end() || std::any_of(found + 1, plan_.kernels.end(), makes)
                   ? plan_.kernels.end()
                   : found;
    }

    /// The dimension of the output that the x axis of the grid goes along, which is the one that
    /// texels pack.
    static int packed_along(const codegen::Contraction& contraction)
    {
        for (std::size_t d = 0; d < contraction.output_index.size(); ++d) {
            if (contraction.output_index[d].uses_slots(contraction.x, contraction.x + 1)) {
                return static_cast<int>(d);
            }
        }
        return -1;
    }

    /// Orders the kernels so that the new value of a carried input is made only after all kernels
    /// have read the old one. Throws bad_input where that is impossible.
    void read_before_replaced()
    {
        std::map<ValueId, ValueId> replaces;
        for (const Carried& each : plan_.graph.carried) {
            replaces[each.next] = each.input;
        }
        std::vector<PlannedKernel> waiting = std::move(plan_.kernels);
        plan_.kernels.clear();
        const auto reads = [](const PlannedKernel& kernel, ValueId value) {
            return std::ranges::count(kernel.kernel.inputs, value) > 0;
        };
        while (!waiting.empty()) {
            const auto ready = std::ranges::find_if(waiting, [&](const PlannedKernel& kernel) {
                const auto old = replaces.find(kernel.kernel.output);
                return std::ranges::none_of(waiting, [&](const PlannedKernel& other) {
                    const bool is_read = old != replaces.end() && reads(other, old->second);
                    return &other != &kernel && (is_read || reads(kernel, other.kernel.output));
                });
            });
            if (ready == waiting.end()) {
                throw bad_input("a value that is carried is read to make what takes its place",
                                plan_.graph.name);
            }
            plan_.kernels.push_back(std::move(*ready));
            waiting.erase(ready);
        }
    }

    /// A value that replaces an input lies where the input does, so it has that input's layout.
    void place(const Carried& each)
    {
        packed_[static_cast<std::size_t>(place_of(plan_.graph, each.next))] =
            packed_[static_cast<std::size_t>(each.next)];
        begin(place_of(plan_.graph, each.next));
        plan_.layouts[static_cast<std::size_t>(each.next)].reset();
    }

    /// Replaces `value` by a copy whose texels pack that dimension, and adds the kernel that
    /// copies. Does nothing for constants, which are stored as each kernel reads them, or if they
    /// pack it already.
    void convert(ValueId& value, int dimension, std::size_t node)
    {
        const auto old = static_cast<std::size_t>(value);
        if (packed_[old] == dimension || plan_.graph.constants.contains(value)) {
            return;
        }
        const Value from = plan_.graph.value(value);
        const ValueId result =
            plan_.graph.add_value(from.name + ".along" + std::to_string(dimension), from.shape);
        packed_.push_back(dimension);
        plan_.kernels.push_back(
            {conversion_kernel(plan_.graph, value, result, dimension), {node}, true, {}, {}});
        value = result;
    }

    /// The first layout of a value: an image whose rows go along the dimension that texels pack.
    void begin(ValueId value)
    {
        const int packed = packed_[static_cast<std::size_t>(value)];
        const KernelBuilder::Roles roles = roles_of(plan_.graph.value(value).shape, packed);
        plan_.layouts[static_cast<std::size_t>(value)] = TensorLayout{.thread = roles.thread,
                                                                      .reduction = roles.reduction,
                                                                      .packed = packed,
                                                                      .storage = storage_};
    }

    PackedDims packed_;
    codegen::Storage storage_;
    std::vector<int> readers_; ///< how often each value is read, the caller included
    Plan plan_;
};

} // namespace

ValueId place_of(const Graph& graph, ValueId value)
{
    const auto found = std::ranges::find(graph.carried, value, &Carried::next);
    return found == graph.carried.end() ? value : place_of(graph, found->input);
}

bool is_made(const Plan& plan, ValueId value)
{
    return value != no_value && !plan.graph.constants.contains(value);
}

std::optional<TensorLayout>& layout_of(Plan& plan, ValueId value)
{
    return plan.layouts[static_cast<std::size_t>(place_of(plan.graph, value))];
}

const std::optional<TensorLayout>& layout_of(const Plan& plan, ValueId value)
{
    return plan.layouts[static_cast<std::size_t>(place_of(plan.graph, value))];
}

GivenLayouts given_layouts(const Plan& plan, const NodeKernel& kernel)
{
    GivenLayouts layouts;
    for (const ValueId input : kernel.inputs) {
        layouts.push_back(input == no_value ? std::nullopt : layout_of(plan, input));
    }
    layouts.push_back(layout_of(plan, kernel.output));
    return layouts;
}

GivenLayouts open_layouts(const Plan& plan, const NodeKernel& kernel)
{
    GivenLayouts layouts = given_layouts(plan, kernel);
    for (std::optional<TensorLayout>& layout : layouts) {
        if (layout) {
            layout->asked.clear();
        }
    }
    return layouts;
}

codegen::Schedule noting(codegen::Schedule schedule, const GivenLayouts& layouts)
{
    std::vector<Memory> memory;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        memory.push_back(layouts[i] ? layouts[i]->memory : schedule.memory_of(i));
        if (layouts[i]) {
            (i + 1 < layouts.size() ? schedule.patterns[i] : schedule.output) = layouts[i]->pattern;
        }
    }
    const bool images =
        std::ranges::all_of(memory, [](Memory each) { return each == Memory::image; });
    schedule.memory = images ? std::vector<Memory>{} : std::move(memory);
    return schedule;
}

// Lowering runs twice: first without gaps, to learn which elements outside of each tensor its
// readers ask for, and then with layouts that hold zeros for all of these.
void lower(Plan& plan)
{
    for (std::optional<TensorLayout>& layout : plan.layouts) {
        if (layout) {
            layout->asked.clear();
        }
    }
    auto asked = plan.layouts;
    const auto place = [&](ValueId value) {
        return static_cast<std::size_t>(place_of(plan.graph, value));
    };
    for (const PlannedKernel& each : plan.kernels) {
        const codegen::LoopNest nest =
            each.kernel.op.nest(each.schedule, given_layouts(plan, each.kernel));
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            if (each.kernel.inputs[i] != no_value) {
                join(asked[place(each.kernel.inputs[i])], *nest.inputs[i].layout);
            }
        }
        join(asked[place(each.kernel.output)], *nest.output.layout);
    }
    plan.layouts = std::move(asked);
    for (PlannedKernel& each : plan.kernels) {
        each.nest = each.kernel.op.nest(each.schedule, given_layouts(plan, each.kernel));
    }
}

codegen::Schedule starting_schedule(const NodeKernel& kernel, int packed, codegen::Storage storage)
{
    codegen::Schedule schedule = kernel.op.default_schedule;
    schedule.storage = storage;
    // A sweep has its own starting tile; other kernels whose texels hold single numbers start
    // without one.
    const bool sweep = !kernel.packs.empty();
    if (!sweep && packed < 0) {
        std::ranges::fill(schedule.tile, 1);
    }
    return schedule;
}

Plan starting_plan(const Graph& graph, bool fuse, codegen::Storage storage)
{
    require_identifiers(graph, storage);
    return KernelList(graph, storage).made(fuse);
}

} // namespace texelscope::networks
