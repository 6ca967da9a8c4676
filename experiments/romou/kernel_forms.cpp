#include "experiments/romou/kernel_forms.hpp"

#include "base/averages.hpp"
#include "base/progress.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/passes/address_elimination.hpp"
#include "devices/launch/launch_options.hpp"
#include "experiments/shared/choices.hpp"
#include "sim/sampled_time.hpp"
#include "workbench/space/operator_space.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/study.hpp"
#include "workbench/tuning/baseline_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <variant>

namespace texelscope::experiments {
// The forms are judged in three steps: form_pairs() chooses kernels with and without each form,
// judge_forms() simulates both and runs them where there is a device, and kernel_forms_findings.cpp
// decides the papers' statements.
namespace {

/// The fastest kernel that a learned search finds, with half floats as in Romou and with R one of
/// these values.
Schedule chosen(const Operator& op, const DeviceProfile& device,
                const std::vector<std::string>& splits, const FormOptions& options,
                const StopToken& stop)
{
    SpaceOptions parts;
    parts.values = {{'P', {"fp16"}}, {'R', splits}};
    KernelTimes times(op, {device}, options.sample, stop);
    const ConfigurationSpace space = configuration_space(op, device, parts);
    return timed(best_of(parse_strategy("learned"), space, {.runs = options.runs}, times,
                         options.seed),
                 times)
        .choice.schedule;
}

/// The widest vector that scalars are written out as in a kernel's text; 0 where they stand as they
/// are.
int splat_width(const std::vector<NestStatement>& body)
{
    int width = 0;
    for (const NestStatement& statement : body) {
        if (const auto* loop = std::get_if<NestLoop>(&statement)) {
            width = std::max(width, splat_width(loop->body));
        } else if (const auto* sum = std::get_if<NestMultiplyAdd>(&statement)) {
            width = std::max(width, sum->splat);
        }
    }
    return width;
}

/// Operations of one work-item, loops counted as often as they run.
double operations(const std::vector<Statement>& body)
{
    double sum = 0;
    for (const Statement& statement : body) {
        if (const auto* work = std::get_if<Work>(&statement)) {
            sum += work->operations;
        } else if (const auto* loop = std::get_if<Loop>(&statement)) {
            sum += static_cast<double>(loop->extent()) * operations(loop->body);
        }
    }
    return sum;
}

void scale_operations(std::vector<Statement>& body, double factor)
{
    for (Statement& statement : body) {
        if (auto* work = std::get_if<Work>(&statement)) {
            work->operations *= factor;
        } else if (auto* loop = std::get_if<Loop>(&statement)) {
            scale_operations(loop->body, factor);
        }
    }
}

/// Runs kernels on a device and checks their outputs. Inputs and reference of the last operator are
/// kept, because making the reference takes longer than running a kernel.
class CheckedRuns {
public:
    CheckedRuns(const OpenClDevice& on, const FormOptions& options, const StopToken& stop)
        : on_(on), seed_(options.seed), run_(options.run)
    {
        run_.stop = stop;
    }

    CheckedRun run(const Operator& op, const Schedule& schedule)
    {
        const auto key = std::pair(to_string(op), schedule.storage);
        auto found = known_.find(key);
        if (found == known_.end()) {
            known_.clear(); // pairs of one operator follow each other
            std::vector<std::vector<float>> inputs =
                as_stored(random_inputs(op, seed_), schedule.storage);
            Reference reference = make_reference(op, inputs, schedule.storage);
            found = known_.emplace(key, std::pair(std::move(inputs), std::move(reference))).first;
        }
        const auto& [inputs, reference] = found->second;
        return run_checked(op, loop_nest(op, schedule), on_, inputs, reference, run_);
    }

private:
    const OpenClDevice& on_;
    std::uint64_t seed_;
    RunOptions run_;
    std::map<std::pair<std::string, Storage>, std::pair<std::vector<std::vector<float>>, Reference>>
        known_;
};

/// Why a run cannot be compared; empty where it can.
std::string failure_of(const CheckedRun& run)
{
    if (run.measurement.status != RunStatus::ok) {
        return run.measurement.reason;
    }
    return run.check.passed ? "" : "the output is wrong";
}

/// Runs the two kernels by turns, so that whatever changes on the device meanwhile, such as its
/// clock, meets both.
void measure(JudgedPair& judged, CheckedRuns& runs, int rounds)
{
    std::array<std::vector<double>, 2> samples;
    for (int round = 0; round < rounds; ++round) {
        std::array<double, 2> medians{};
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const CheckedRun run =
                runs.run(judged.pair.op, k == 0 ? judged.pair.with : judged.pair.without);
            judged.failure = failure_of(run);
            if (!judged.failure.empty()) {
                return;
            }
            const std::vector<double>& more = run.measurement.samples_ns;
            samples[k].insert(samples[k].end(), more.begin(), more.end());
            medians[k] = run.measurement.median_ns();
        }
        judged.rounds.push_back(medians[1] / medians[0]);
    }
    judged.measured = FormTimes{Nanoseconds{median(samples[0])}, Nanoseconds{median(samples[1])}};
}

} // namespace

std::string to_string(KernelForm form)
{
    constexpr std::array names{"addresses", "scalars", "split", "blocks"};
    return names[static_cast<std::size_t>(form)];
}

std::vector<FormPair> form_pairs(const DeviceProfile& device, const FormOptions& options,
                                 const StopToken& stop)
{
    // Both from the same search result, so that the pair differs in one form only.
    std::vector<FormPair> pairs;
    for (const std::string& shape : options.convolutions) {
        const Operator op = parse_operator("conv2d", shape);
        // E and B are parts of the text alone, so one search serves both forms.
        const Schedule with = chosen(op, device, {""}, options, stop);
        Schedule without = with;
        without.eliminate_addresses = false;
        pairs.push_back({KernelForm::addresses, op, with, without});
        without = with;
        without.splat = true;
        pairs.push_back({KernelForm::scalars, op, with, without});
    }
    for (const std::string& shape : options.fully_connected) {
        const Operator op = parse_operator("matmul", shape);
        const Schedule with = chosen(op, device, {"4", "16", "64"}, options, stop);
        Schedule without = with;
        // Against itself without the split, and against the best kernel without: the first says
        // what the form does, the second what it gains.
        without.split = 1;
        pairs.push_back({KernelForm::split, op, with, without});
        pairs.push_back(
            {KernelForm::split, op, with, chosen(op, device, {""}, options, stop), false});
    }
    for (const std::int64_t n : options.sizes) {
        const Operator op = parse_operator("matmul", fmt::format("{0},{0},{0}", n));
        // Only the baseline's tiled kernels have blocks; without a stage they are the same kernel
        // without.
        for (const Schedule& with : baseline_schedules(Baseline::sgemm, op, device)) {
            if (with.stage > 0) {
                Schedule without = with;
                without.stage = 0;
                pairs.push_back({KernelForm::blocks, op, with, without});
            }
        }
    }
    std::ranges::stable_sort(pairs, {}, &FormPair::form);
    return pairs;
}

Nanoseconds simulated_as_written(const LoopNest& nest, const DeviceProfile& device,
                                 std::int64_t most_accesses, const StopToken& stop)
{
    Launch launch = launch_of(nest);
    SimulationOptions options = options_for(nest, device);
    options.mode.miss_kinds = false; // nobody asks
    options.machine.instructions.read = 1;
    const Timing& timing = device.simulation.machine.timing;
    const bool half = arithmetic_of(nest, device) == Precision::fp16;
    // Addresses are integers. Where the lanes do two half-float products in a cycle they still do
    // one integer operation, which is counted accordingly.
    const double addresses = static_cast<double>(address_operations(nest).executed) *
                             (half ? *timing.half_lanes / timing.alu_lanes.value_or(0) : 1);
    const int width = splat_width(nest.body); // every number that is multiplied is written first
    // Address operations are spread evenly over the arithmetic between two reads.
    scale_operations(launch.body, (width > 0 ? 2 : 1) + addresses / operations(launch.body));
    if (width > 0 && !device.simulation.kernel.registers_per_item && !device.compiler) {
        // The vector is live while it is used: its registers come on top, unless a compiler or a
        // test has said how many there are.
        const int needed =
            options.kernel.registers_per_item.value_or(0) + options.kernel.spilled_registers;
        options.kernel = with_registers(options.kernel, device, needed + (half ? width / 2 : width),
                                        launch.group_size());
    }
    return sampled_time(launch, options, most_accesses, stop).time;
}

std::vector<JudgedPair> judge_forms(const std::vector<FormPair>& pairs,
                                    const ExperimentDevice& device, const FormOptions& options,
                                    const Progress& progress, const StopToken& stop)
{
    std::optional<CheckedRuns> runs;
    if (device.real()) {
        runs.emplace(*device.on, options, stop);
    }
    std::vector<JudgedPair> all;
    for (const FormPair& pair : pairs) {
        // Simulated as the profile's compiler makes it, and, for forms of instructions, as it is
        // written.
        check_stop(stop);
        const LoopNest with = loop_nest(pair.op, pair.with);
        const LoopNest without = loop_nest(pair.op, pair.without);
        JudgedPair judged{pair,
                          {simulated_time(with, device.profile, options.close_sample, stop),
                           simulated_time(without, device.profile, options.close_sample, stop)},
                          {},
                          {}};
        if (pair.form == KernelForm::addresses || pair.form == KernelForm::scalars) {
            judged.as_written = {
                simulated_as_written(with, device.profile, options.close_sample, stop),
                simulated_as_written(without, device.profile, options.close_sample, stop)};
        }
        if (runs) {
            measure(judged, *runs, options.rounds);
        }
        all.push_back(std::move(judged));
        tell(progress, "pairs", all.size(), pairs.size());
    }
    return all;
}

} // namespace texelscope::experiments
