#include "experiments/networks/network_search.hpp"

#include "base/error.hpp"
#include "codegen/text/kernel_source.hpp"
#include "experiments/space/configuration_space.hpp"
#include "experiments/study/launch_result.hpp"
#include "experiments/tuning/model_descent.hpp"
#include "experiments/tuning/priced_parts.hpp"
#include "networks/lowering/kernel_builder.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace texelscope::experiments {
namespace {

using networks::no_value;
using networks::NodeKernel;
using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

constexpr double no_cost = std::numeric_limits<double>::infinity();

/// How a value can lie, beside the dimension that its texels hold.
struct Lying {
    AccessPattern pattern = AccessPattern::row;
    Memory memory = Memory::image;
};

std::vector<Lying> all_lyings()
{
    std::vector<Lying> all;
    for (const Memory memory : {Memory::image, Memory::buffer}) {
        for (const AccessPattern pattern : all_access_patterns) {
            all.push_back({pattern, memory});
        }
    }
    return all;
}

/// The kernel's operator with its values where the schedule says: pattern and memory are A's, O's and M's; what texels hold is the
/// plan's.
Operator bound_operator(const Plan& plan, const PlannedKernel& planned)
{
    Operator op = planned.kernel.op;
    op.default_schedule = planned.schedule;
    codegen::GivenLayouts roles;
    for (const ValueId input : planned.kernel.inputs) {
        roles.push_back(input == no_value ? std::nullopt : plan.layouts[static_cast<std::size_t>(input)]);
    }
    roles.push_back(plan.layouts[static_cast<std::size_t>(planned.kernel.output)]);
    op.lower = [lower = op.lower, roles](const Schedule& schedule, const codegen::GivenLayouts&) {
        codegen::GivenLayouts given = roles;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i]) {
                const bool output = i + 1 == given.size();
                given[i]->asked.clear();
                given[i]->storage = schedule.storage;
                given[i]->memory = output ? Memory::buffer : schedule.memory_of(i); // what is written costs the same
                given[i]->pattern = output ? schedule.output : schedule.patterns[i];
            }
        }
        return lower(schedule, given);
    };
    return op;
}

/// The model's time of one schedule; none where it is illegal or has no price.
double price(const Operator& op, const DeviceProfile& device, const Schedule& schedule, const StopToken& stop)
{
    const auto time = is_legal(op, schedule) ? bottleneck_price(op, device, schedule, stop) : std::nullopt;
    return time ? time->value : no_cost;
}

Schedule with(Schedule schedule, std::size_t input, const Lying& lying)
{
    schedule.patterns[input] = lying.pattern;
    if (schedule.memory.empty()) {
        schedule.memory.assign(schedule.patterns.size() + 1, Memory::image);
    }
    schedule.memory[input] = lying.memory;
    return schedule;
}

/// Whether a kernel of the plan, or the caller, makes the value: where it lies is the plan's to choose.
bool is_made(const Plan& plan, ValueId value)
{
    return value != no_value && !plan.graph.constants.contains(value);
}

/// What was found of a kernel, and of all that have the same text.
struct Searched {
    std::vector<Schedule> candidates;
    std::map<std::size_t, std::vector<double>>
        by_input; ///< of each input that is a value: its time in each of all_lyings()
};

class Search {
public:
    Search(const DeviceProfile& device, const NetworkSearchOptions& options, const StopToken& stop)
        : device_(device), options_(options), stop_(stop)
    {}

    const Searched& of(const Plan& plan, const PlannedKernel& planned, PredictedPlan& counts)
    {
        const std::string text = opencl_text(planned.nest, codegen::TexelBackend::native);
        const auto known = known_.find(text);
        return known != known_.end() ? known->second
                                     : known_.emplace(text, search(plan, planned, counts)).first->second;
    }

private:
    Searched search(const Plan& plan, const PlannedKernel& planned, PredictedPlan& counts) const
    {
        const Operator op = bound_operator(plan, planned);
        Searched found;
        std::set<std::size_t> kept;
        for (std::size_t i = planned.kernel.contraction ? planned.kernel.contraction->factors : 1;
             i < planned.kernel.inputs.size(); ++i) {
            if (!is_made(plan, planned.kernel.inputs[i])) {
                kept.insert(i);
            }
        }
        found.candidates = ranked(op, kept, counts);
        found.candidates.push_back(planned.schedule);
        const std::vector<Lying> lyings = all_lyings();
        for (std::size_t input = 0; input < planned.kernel.inputs.size(); ++input) {
            if (!is_made(plan, planned.kernel.inputs[input])) {
                continue;
            }
            std::vector<double>& times = found.by_input[input];
            for (const Lying& lying : lyings) {
                double best = no_cost;
                for (const Schedule& candidate : found.candidates) {
                    best = std::min(best, price(op, device_, with(candidate, input, lying), stop_));
                }
                times.push_back(best);
            }
        }
        return found;
    }

    /// Texts of M: every memory of each input but for those that are kept; the output in a buffer, where its cost is the same.
    static std::vector<std::string> memories(const Operator& op, const std::set<std::size_t>& kept)
    {
        std::vector<std::string> texts{""};
        for (std::size_t input = 0; input < op.inputs.size(); ++input) {
            std::vector<std::string> longer;
            for (const std::string& text : texts) {
                longer.push_back(text + "image,");
                if (!kept.contains(input)) {
                    longer.push_back(text + "buffer,");
                }
            }
            texts = std::move(longer);
        }
        for (std::string& text : texts) {
            text += "buffer";
        }
        return texts;
    }

    /// The first of the model's ranking, no kernel twice. `kept`: inputs too small for their place to matter.
    std::vector<Schedule> ranked(const Operator& op, const std::set<std::size_t>& kept, PredictedPlan& counts) const
    {
        SpaceOptions knobs{.parts = options_.parts};
        knobs.kept_patterns = kept;
        if (options_.parts.find('M') != std::string::npos) {
            knobs.choices['M'] = memories(op, kept);
        }
        const ConfigurationSpace space = configuration_space(op, device_, knobs);
        const Calibration none;
        const ModelCosts costs(op, device_, space, none, ModelVariant::bottleneck, stop_);
        const Ranking ranking = rank_by_descent(costs, 0, {}, {}, options_.random_starts);
        counts.searched += space.size();
        counts.evaluated += ranking.evaluated;
        std::vector<Schedule> first;
        std::set<std::string> kernels;
        for (const RankedConfiguration& each : ranking.best) {
            if (first.size() < options_.schedules && kernels.insert(to_string(kernel_of(each.schedule))).second) {
                first.push_back(each.schedule);
            }
        }
        return first;
    }

    const DeviceProfile& device_;
    const NetworkSearchOptions& options_;
    const StopToken& stop_;
    std::map<std::string, Searched> known_;
};

} // namespace

Nanoseconds PredictedPlan::total() const
{
    Nanoseconds sum{0};
    for (const Nanoseconds each : predicted) {
        sum = Nanoseconds{sum.value + each.value};
    }
    return sum;
}

PredictedPlan best_plan(const networks::Graph& graph, const DeviceProfile& device, const NetworkSearchOptions& options,
                        const Progress& progress, const StopToken& stop)
{
    PredictedPlan best{networks::starting_plan(graph, options.fuse), {}};
    Plan& plan = best.plan;
    Search search(device, options, stop);
    const std::vector<Lying> lyings = all_lyings();
    std::map<ValueId, std::vector<double>> by_value; // time of all who read it, in each layout
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        tell(progress, "searching kernels", k, plan.kernels.size());
        const PlannedKernel& planned = plan.kernels[k];
        for (const auto& [input, times] : search.of(plan, planned, best).by_input) {
            std::vector<double>& sums = by_value[planned.kernel.inputs[input]];
            sums.resize(lyings.size(), 0);
            for (std::size_t i = 0; i < lyings.size(); ++i) {
                sums[i] += times[i];
            }
        }
    }
    std::map<ValueId, Lying> chosen;
    for (const auto& [value, sums] : by_value) {
        chosen[value] = lyings[static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin())];
    }
    for (PlannedKernel& planned : plan.kernels) {
        const Operator op = bound_operator(plan, planned);
        double least = no_cost;
        Schedule first = planned.schedule;
        for (Schedule schedule : search.of(plan, planned, best).candidates) {
            for (std::size_t input = 0; input < planned.kernel.inputs.size(); ++input) {
                if (const auto found = chosen.find(planned.kernel.inputs[input]); found != chosen.end()) {
                    schedule = with(std::move(schedule), input, found->second);
                }
            }
            const double time = price(op, device, schedule, stop);
            if (time < least) {
                least = time;
                first = schedule;
            }
        }
        if (least == no_cost) {
            throw bad_input("no schedule of the kernel is legal on the device",
                            planned.kernel.op.name + " for " + device.name);
        }
        const auto lies = chosen.find(planned.kernel.output);
        first.output = lies == chosen.end() ? AccessPattern::row : lies->second.pattern;
        if (first.memory.empty()) {
            first.memory.assign(first.patterns.size() + 1, Memory::image);
        }
        first.memory.back() = lies == chosen.end() ? Memory::image : lies->second.memory;
        best.predicted.push_back(Nanoseconds{least});
        planned.schedule = std::move(first);
    }
    for (const auto& [value, lying] : chosen) {
        if (auto& layout = plan.layouts[static_cast<std::size_t>(value)]) {
            layout->pattern = lying.pattern;
            layout->memory = lying.memory;
        }
    }
    networks::lower(plan);
    return best;
}

} // namespace texelscope::experiments
