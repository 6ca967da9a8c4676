#include "experiments/networks/network_tuning.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "codegen/text/kernel_source.hpp"
#include "experiments/space/configuration_space.hpp"
#include "experiments/study/prediction.hpp"
#include "experiments/tuning/model_descent.hpp"
#include "experiments/tuning/priced_parts.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace texelscope::experiments {
namespace {

using networks::no_value;
using networks::Plan;
using networks::PlannedKernel;
using networks::ValueId;

bool is_value(const Plan& plan, ValueId input)
{
    return input != no_value && !plan.graph.constants.contains(input);
}

/// The kernel's operator with its values where the plan has them.
Operator placed_operator(const Plan& plan, const PlannedKernel& planned)
{
    codegen::GivenLayouts given;
    for (const ValueId input : planned.kernel.inputs) {
        given.push_back(input == no_value ? std::nullopt : plan.layouts[static_cast<std::size_t>(input)]);
    }
    given.push_back(plan.layouts[static_cast<std::size_t>(planned.kernel.output)]);
    for (auto& layout : given) {
        if (layout) {
            layout->asked.clear(); // each schedule asks for its own
        }
    }
    Operator op = planned.kernel.op;
    op.default_schedule = planned.schedule;
    op.lower = [lower = op.lower, given](const Schedule& schedule, const codegen::GivenLayouts&) {
        return lower(schedule, given);
    };
    return op;
}

/// Every memory of weights, with the values where they are, as texts of M.
std::vector<std::string> memories(const Plan& plan, const PlannedKernel& planned)
{
    const std::size_t inputs = planned.kernel.inputs.size();
    std::vector<std::string> texts{""};
    for (std::size_t tensor = 0; tensor <= inputs; ++tensor) {
        const bool moves = tensor < inputs && !is_value(plan, planned.kernel.inputs[tensor]);
        std::vector<std::string> longer;
        for (const std::string& text : texts) {
            for (const Memory memory : {Memory::image, Memory::buffer}) {
                if (moves || memory == planned.schedule.memory_of(tensor)) {
                    longer.push_back(text + (text.empty() ? "" : ",") + to_string(memory));
                }
            }
        }
        texts = std::move(longer);
    }
    return texts;
}

/// What the plan has, then the first of the model's ranking, of each class a few.
std::vector<Schedule> candidates(const Plan& plan, const PlannedKernel& planned, const Operator& op,
                                 const DeviceProfile& profile, const TuningOptions& options, const StopToken& stop)
{
    SpaceOptions knobs{.parts = options.parts};
    for (std::size_t i = 0; i < planned.kernel.inputs.size(); ++i) {
        if (is_value(plan, planned.kernel.inputs[i])) {
            knobs.kept_patterns.insert(i);
        }
    }
    if (options.parts.find('M') != std::string::npos) {
        knobs.choices['M'] = memories(plan, planned);
    }
    const ConfigurationSpace space = configuration_space(op, profile, knobs);
    const Calibration none;
    const ModelCosts costs(op, profile, space, none, ModelVariant::bottleneck, stop);
    std::vector<Schedule> chosen{planned.schedule};
    std::set<std::string> texts{to_string(planned.schedule)};
    std::map<std::pair<std::vector<AccessPattern>, std::vector<Memory>>, std::size_t> of_class;
    for (const RankedConfiguration& each : rank_by_descent(costs, 0).best) {
        Schedule schedule = each.schedule;
        schedule.output = planned.schedule.output;
        std::size_t& alike = of_class[{schedule.patterns, schedule.memory}];
        if (chosen.size() < options.candidates && alike < options.of_a_class &&
            texts.insert(to_string(schedule)).second) {
            ++alike;
            chosen.push_back(std::move(schedule));
        }
    }
    return chosen;
}

std::vector<std::vector<float>> drawn_texels(const LoopNest& nest)
{
    std::vector<std::vector<float>> packed;
    std::mt19937_64 random(1);
    for (const Operand& input : nest.inputs) {
        std::vector<float> numbers;
        for (std::int64_t i = 0; i < input.tensor.size(); ++i) {
            numbers.push_back(static_cast<float>(2 * base::uniform_real(random) - 1));
        }
        packed.push_back(codegen::pack(input, numbers));
    }
    return packed;
}

/// Of a kernel alone; nothing where the device cannot run it.
std::optional<double> measured_ns(const LoopNest& nest, const devices::OpenClDevice& device, int samples,
                                  const StopToken& stop)
{
    if (beyond_limits(device.info(), nest)) {
        return std::nullopt;
    }
    devices::RunOptions run;
    run.warm_up = 1;
    run.samples = samples;
    run.stop = stop;
    const devices::Measurement measured = device.run(nest, drawn_texels(nest), run);
    return measured.status == devices::Measurement::Status::ok ? std::optional(measured.median_ns()) : std::nullopt;
}

struct Fastest {
    Schedule schedule;
    TunedKernel tuned;
};

Fastest fastest(const Plan& plan, const PlannedKernel& planned, const DeviceProfile& profile,
                const devices::OpenClDevice& device, const TuningOptions& options, const StopToken& stop)
{
    const Operator op = placed_operator(plan, planned);
    Fastest found{planned.schedule, {}};
    for (const Schedule& schedule : candidates(plan, planned, op, profile, options, stop)) {
        check_stop(stop);
        const auto ns = is_legal(op, schedule) ? measured_ns(op.nest(schedule), device, options.samples, stop) : std::nullopt;
        if (!ns) {
            ++found.tuned.failed;
            continue;
        }
        if (schedule == planned.schedule) {
            found.tuned.planned_ns = *ns;
        }
        if (found.tuned.measured++ == 0 || *ns < found.tuned.best_ns) {
            found.tuned.best_ns = *ns;
            found.schedule = schedule;
        }
    }
    if (found.tuned.measured == 0) {
        throw bad_input("no schedule of the kernel runs", planned.kernel.op.name + " on " + device.info().name);
    }
    return found;
}

} // namespace

std::vector<TunedKernel> tune_plan(PredictedPlan& planned, const DeviceProfile& profile,
                                   const devices::OpenClDevice& device, const TuningOptions& options,
                                   const Progress& progress, const StopToken& stop)
{
    Plan& plan = planned.plan;
    std::map<std::string, Fastest> known;
    std::vector<Fastest> chosen;
    for (const PlannedKernel& each : plan.kernels) {
        tell(progress, "tuning kernels on the device", chosen.size(), plan.kernels.size());
        const std::string text = opencl_text(each.nest, codegen::TexelBackend::native);
        auto found = known.find(text);
        if (found == known.end()) {
            found = known.emplace(text, fastest(plan, each, profile, device, options, stop)).first;
        }
        chosen.push_back(found->second);
    }
    std::vector<TunedKernel> tuned;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
        PlannedKernel& kernel = plan.kernels[k];
        kernel.schedule = chosen[k].schedule;
        if (const auto price = bottleneck_price(placed_operator(plan, kernel), profile, kernel.schedule, stop)) {
            planned.predicted[k] = *price;
        }
        tuned.push_back(chosen[k].tuned);
    }
    networks::lower(plan);
    return tuned;
}

} // namespace texelscope::experiments
