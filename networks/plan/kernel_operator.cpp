#include "networks/plan/kernel_operator.hpp"

#include "base/error.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "networks/operators/node_operator.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace texelscope::networks {
namespace {

using codegen::GivenLayouts;
using codegen::LoopNest;
using codegen::Schedule;
using codegen::TensorLayout;

/// Lowers the kernel under a schedule: first as if it were alone, to learn which gaps of zeros it
/// asks for, then with what the rest of the network asks for as well.
LoopNest lowered(const codegen::Operator& op, const Schedule& schedule, const GivenLayouts& planned)
{
    GivenLayouts alone = planned;
    for (std::size_t i = 0; i < alone.size(); ++i) {
        if (alone[i]) {
            alone[i]->asked.clear();
            alone[i]->storage = schedule.storage;
            alone[i]->memory = schedule.memory_of(i);
            const codegen::AccessPattern pattern =
                i + 1 < alone.size() ? schedule.patterns[i] : schedule.output;
            if (pattern != planned[i]->pattern) { // sides are those of the plan's pattern
                alone[i]->across.clear();
                alone[i]->down.clear();
            }
            alone[i]->pattern = pattern;
        }
    }
    LoopNest nest = op.nest(schedule, alone);
    GivenLayouts joint = alone;
    bool asks_more = false;
    for (std::size_t i = 0; i < joint.size(); ++i) {
        if (joint[i]) {
            const TensorLayout& own =
                *(i < nest.inputs.size() ? nest.inputs[i] : nest.output).layout;
            joint[i] = joined(own, *planned[i]);
            asks_more = asks_more || *joint[i] != own;
        }
    }
    return asks_more ? op.nest(schedule, joint) : nest;
}

/// The value that conversions copied, directly or through other conversions.
ValueId before_conversions(const Plan& plan, ValueId value)
{
    for (const PlannedKernel& each : plan.kernels) {
        if (each.conversion && each.kernel.output == value) {
            return before_conversions(plan, each.kernel.inputs.front());
        }
    }
    return value;
}

/// The reference of a kernel: its own nodes as a little network. A copy computes nothing.
class NodesReference {
public:
    NodesReference(const Plan& plan, const PlannedKernel& planned)
    {
        const NodeKernel& kernel = planned.kernel;
        graph_.name = kernel.op.name;
        graph_.values = plan.graph.values;
        for (const ValueId input : kernel.inputs) {
            graph_.inputs.push_back(before_conversions(plan, input));
        }
        graph_.outputs = {planned.conversion ? graph_.inputs.front() : kernel.output};
        for (const std::size_t node :
             planned.conversion ? std::vector<std::size_t>{} : planned.nodes) {
            graph_.nodes.push_back(plan.graph.nodes[node]);
        }
        std::vector<ValueId> read = graph_.inputs;
        std::ranges::sort(read);
        const auto makes = [&](const PlannedKernel& each) {
            return each.kernel.output == kernel.output;
        };
        whole_ = std::ranges::count_if(plan.kernels, makes) == 1 && kernel.made.empty() &&
                 std::ranges::adjacent_find(read) == read.end();
    }

    [[nodiscard]] std::vector<float> operator()(const codegen::TensorValues& inputs) const
    {
        const std::string where = "the reference of " + graph_.name;
        if (!whole_) {
            throw bad_input("this kernel has none of its own: it makes a part of a value, or reads "
                            "one twice, or numbers that "
                            "follow from its node",
                            where, "check the network as a whole");
        }
        std::vector<Reals> given;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            given.push_back(
                {graph_.value(graph_.inputs[i]).shape, {inputs[i].begin(), inputs[i].end()}});
        }
        const std::vector<Reals> all = reference_values(graph_, given, true);
        const std::vector<double>& numbers =
            all[static_cast<std::size_t>(graph_.outputs.front())].values;
        if (!std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); })) {
            throw bad_input("drawn inputs give no numbers there", where,
                            "check the network as a whole");
        }
        return {numbers.begin(), numbers.end()};
    }

private:
    Graph graph_; ///< the kernel's nodes as a network; its inputs are the kernel's inputs
    bool whole_ = true;
};

/// For every element, the largest absolute value of them all.
std::vector<float> largest_of(const std::vector<float>& numbers)
{
    float largest = 0;
    for (const float number : numbers) {
        largest = std::max(largest, std::abs(number));
    }
    return std::vector<float>(numbers.size(), largest);
}

} // namespace

codegen::Operator kernel_operator(const Plan& plan, std::size_t kernel)
{
    const PlannedKernel& planned = plan.kernels[kernel];
    GivenLayouts layouts = given_layouts(plan, planned.kernel);
    codegen::Operator op = planned.kernel.op;
    op.default_schedule = noting(planned.schedule, layouts);
    op.lower = [alone = planned.kernel.op, layouts = std::move(layouts)](const Schedule& schedule,
                                                                         const GivenLayouts&) {
        return lowered(alone, schedule, layouts);
    };
    op.reference = NodesReference(plan, planned);
    op.magnitude = [reference = op.reference](const codegen::TensorValues& inputs) {
        return largest_of(reference(inputs));
    };
    op.tolerance = kernel_tolerance;
    return op;
}

} // namespace texelscope::networks
