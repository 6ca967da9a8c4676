#include "experiments/training/training_copies.hpp"

#include "base/averages.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "devices/targets/probe_kernels.hpp"
#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "workbench/store/shipped_measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace texelscope::experiments {
// The four networks are trained for some steps on a device, and the copies that such a step would
// need are measured one by one. The simulator has no host, so it tells computing alone.
namespace {

using networks::Pass;
using networks::Plan;
using networks::PlannedKernel;
using networks::TrainingStep;
using networks::ValueId;

constexpr networks::Loss loss_of_all = networks::Loss::cross_entropy;
constexpr std::uint64_t drawn_with = 1;
constexpr const char* kept_file = "training-steps.csv";

/// A step whose gradients are outputs, as they are copied back to the host.
TrainingStep copied_step(const std::string& name, std::int64_t batch)
{
    const networks::BuiltInModel* const model = networks::find_model(name);
    if (model == nullptr) {
        throw bad_input("there is no network of that name", name);
    }
    networks::TrainingOptions options;
    options.loss = loss_of_all;
    options.keep_gradients = true;
    return networks::training_step(networks::simplified(model->make(batch, drawn_with), false),
                                   options);
}

/// The bytes of a tensor as the plan lays it out, padding included.
Transfer transfer_of(const Operand& operand, bool to_device)
{
    const std::int64_t bytes = operand.image.extent.area() * operand.image.bytes_per_texel.value;
    return {bytes, to_device, operand.memory};
}

/// A product of matrices, which the study has copy its data by itself.
bool is_product(const Plan& plan, const PlannedKernel& kernel)
{
    const std::string& op = plan.graph.nodes[kernel.nodes.front()].op;
    return !kernel.conversion && (op == "Gemm" || op == "MatMul");
}

/// How many copies, and how many bytes; their time is measured apart.
StepCopies copies_of(const std::vector<Transfer>& transfers)
{
    StepCopies copies;
    for (const Transfer& transfer : transfers) {
        ++copies.count;
        copies.bytes += transfer.bytes;
    }
    return copies;
}

/// Times of copies on a device; copies of one size, direction and kind of memory are measured once.
class CopyTimes {
public:
    CopyTimes(const OpenClDevice& on, int samples, const StopToken& stop)
        : on_(on), samples_(samples), stop_(stop)
    {}

    double ns(const Transfer& transfer)
    {
        const auto [found, fresh] = known_.try_emplace(
            std::tuple(transfer.bytes, transfer.to_device, transfer.memory), 0.0);
        if (fresh) {
            devices::Job job = devices::copy_job(transfer);
            job.samples = samples_;
            const devices::JobResult result = on_.run(job, stop_);
            if (result.status != devices::RunStatus::ok) {
                throw missing(run_word(result.status) + ": " + result.reason, on_.info().name,
                              remedy(result.status));
            }
            // The host's clock: the call blocks, so what counts is what the host waits for.
            found->second = base::median(result.enqueue_ns);
        }
        return found->second;
    }
    double ns(const std::vector<Transfer>& transfers)
    {
        double sum = 0;
        for (const Transfer& transfer : transfers) {
            sum += ns(transfer);
        }
        return sum;
    }

private:
    const OpenClDevice& on_;
    int samples_;
    const StopToken& stop_;
    std::map<std::tuple<std::int64_t, bool, Memory>, double> known_;
};

/// The times of one judged network, and what it copies.
CopiedStep copied(const std::string& name, const JudgedNetwork& network, Judge judge)
{
    CopiedStep step;
    step.network = name;
    step.kernels = std::ssize(network.planned.plan.kernels);
    const auto pass = [&](Pass which) {
        const auto ns = network.total(judge, which);
        if (!ns) {
            throw bad_input("a kernel of the step has no time", name);
        }
        return *ns;
    };
    step.forward_ns = pass(Pass::forward);
    step.backward_ns = pass(Pass::backward);
    step.update_ns = pass(Pass::update);
    step.step = copies_of(step_transfers(*network.training, network.planned.plan));
    step.products = copies_of(product_transfers(network.planned.plan));
    return step;
}

/// Planned by our search, with a few candidates that are tuned where the step runs.
JudgingOptions judging_of(const CopiedStepOptions& options)
{
    JudgingOptions judging;
    judging.search.candidates = options.candidates;
    judging.most_accesses = options.accesses;
    return judging;
}

/// ns in us, to the nanosecond.
double us_of(double ns)
{
    return std::round(ns) / 1000;
}

ResultTable::Value tenths_of_percent(std::optional<double> share)
{
    return share ? ResultTable::Value(std::round(1000 * *share) / 10) : ResultTable::Value("-");
}

const std::vector<std::string> step_columns{"network",
                                            "device",
                                            "judge",
                                            "processor",
                                            "kernels",
                                            "forward_us",
                                            "backward_us",
                                            "update_us",
                                            "copies",
                                            "copied_bytes",
                                            "copies_us",
                                            "computing_percent",
                                            "product_copies",
                                            "product_copied_bytes",
                                            "product_copies_us",
                                            "product_computing_percent",
                                            "copy_us_at_91_percent"};

} // namespace

std::optional<double> CopiedStep::computing_share(const StepCopies& copies) const
{
    return copies.ns ? std::optional(computing_ns() / (computing_ns() + *copies.ns)) : std::nullopt;
}

std::optional<double> CopiedStep::step_ns() const
{
    if (!measured) {
        // A CPU computes where the data are.
        return std::nullopt;
    }
    return computing_ns() + (cpu ? 0 : step.ns.value_or(0));
}

double CopiedStep::copy_ns_at(double share) const
{
    // copies / (copies + computing) = share, solved for the time of one copy.
    return step.count == 0 ? 0
                           : computing_ns() * share / (1 - share) / static_cast<double>(step.count);
}

std::vector<Transfer> step_transfers(const TrainingStep& step, const Plan& plan)
{
    std::vector<Transfer> transfers;
    // An input of several kernels is copied once.
    std::set<ValueId> there;
    for (const PlannedKernel& each : plan.kernels) {
        for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
            const ValueId input = each.kernel.inputs[i];
            if (std::ranges::count(plan.graph.inputs, input) > 0 && there.insert(input).second) {
                transfers.push_back(transfer_of(each.nest.inputs[i], true));
            }
        }
    }
    for (const auto& [weight, gradient] : step.gradients) {
        const auto makes = [made = gradient](const PlannedKernel& each) {
            return each.kernel.output == made;
        };
        transfers.push_back(
            transfer_of(std::ranges::find_if(plan.kernels, makes)->nest.output, false));
    }
    return transfers;
}

/// Each product by itself: what it reads goes to the device, what it makes comes back.
std::vector<Transfer> product_transfers(const Plan& plan)
{
    std::vector<Transfer> transfers;
    for (const PlannedKernel& each : plan.kernels) {
        if (is_product(plan, each)) {
            for (std::size_t i = 0; i < each.kernel.inputs.size(); ++i) {
                if (networks::is_made(plan, each.kernel.inputs[i])) {
                    transfers.push_back(transfer_of(each.nest.inputs[i], true));
                }
            }
            transfers.push_back(transfer_of(each.nest.output, false));
        }
    }
    return transfers;
}

/// Computing alone: the simulator has no host and no bus.
std::vector<CopiedStep> simulated_steps(const DeviceProfile& device,
                                        const CopiedStepOptions& options, const Progress& progress,
                                        const StopToken& stop)
{
    JudgingOptions judging = judging_of(options);
    judging.simulate = true;
    std::vector<CopiedStep> steps;
    for (const std::string& name : options.networks) {
        const Progress part = part_progress(progress, steps.size(), options.networks.size(), name);
        const JudgedNetwork network =
            judge_training(copied_step(name, options.batch), device, judging, nullptr, part, stop);
        steps.push_back(copied(name, network, Judge::simulator));
        steps.back().device = device.name;
    }
    return steps;
}

std::vector<CopiedStep> steps_on(const OpenClDevice& on, const DeviceProfile& device,
                                 const CopiedStepOptions& options, const Progress& progress,
                                 const StopToken& stop)
{
    CopyTimes times(on, options.copies, stop);
    std::vector<CopiedStep> steps;
    for (const std::string& name : options.networks) {
        const Progress part = part_progress(progress, steps.size(), options.networks.size(), name);
        const TrainingStep step = copied_step(name, options.batch);
        JudgingOptions judging = judging_of(options);
        judging.training =
            TrainingRun{.data = drawn_data(step, loss_of_all, options.batch, drawn_with),
                        .steps = options.steps,
                        .at_once = options.steps};
        const JudgedNetwork network = judge_training(step, device, judging, &on, part, stop);
        CopiedStep& measured = steps.emplace_back(copied(name, network, Judge::device));
        measured.device = on.info().name;
        measured.measured = true;
        measured.cpu = on.info().cpu;
        measured.step.ns = times.ns(step_transfers(*network.training, network.planned.plan));
        measured.products.ns = times.ns(product_transfers(network.planned.plan));
    }
    return steps;
}

ResultTable copied_steps_table(const std::vector<CopiedStep>& steps)
{
    // Copies take 91 % of a step in the study (section IV-C).
    constexpr double in_the_study = 0.91;
    ResultTable table{step_columns, {}};
    for (const CopiedStep& one : steps) {
        const auto time = [](const StepCopies& copies) {
            return copies.ns ? ResultTable::Value(us_of(*copies.ns)) : ResultTable::Value("-");
        };
        table.rows.push_back({one.network, one.device, one.measured ? "device" : "simulator",
                              !one.measured ? "-"
                              : one.cpu     ? "CPU"
                                            : "GPU",
                              one.kernels, us_of(one.forward_ns), us_of(one.backward_ns),
                              us_of(one.update_ns), one.step.count, one.step.bytes, time(one.step),
                              tenths_of_percent(one.computing_share(one.step)), one.products.count,
                              one.products.bytes, time(one.products),
                              tenths_of_percent(one.computing_share(one.products)),
                              us_of(one.copy_ns_at(in_the_study))});
    }
    return table;
}

std::vector<CopiedStep> parse_copied_steps(const std::string& csv, const std::string& where)
{
    const std::vector<std::vector<std::string>> lines = base::parse_csv(csv, where);
    std::vector<CopiedStep> steps;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        const std::vector<std::string>& cells = lines[line];
        if ((line == 0 && cells != step_columns) || cells.size() != step_columns.size()) {
            throw bad_input("these are not the columns of experiment percom-fig4",
                            fmt::format("{}, line {}", where, line + 1));
        }
        const auto cell = [&](const char* name) -> const std::string& {
            return cells[static_cast<std::size_t>(std::ranges::find(step_columns, name) -
                                                  step_columns.begin())];
        };
        // The table has microseconds.
        const auto ns = [&](const char* name) { return 1000 * std::stod(cell(name)); };
        // Simulated rows are made anew each time.
        if (line > 0 && cell("judge") == "device") {
            steps.push_back(
                {cell("network"),
                 cell("device"),
                 true,
                 cell("processor") == "CPU",
                 std::stoll(cell("kernels")),
                 ns("forward_us"),
                 ns("backward_us"),
                 ns("update_us"),
                 {std::stoll(cell("copies")), std::stoll(cell("copied_bytes")), ns("copies_us")},
                 {std::stoll(cell("product_copies")), std::stoll(cell("product_copied_bytes")),
                  ns("product_copies_us")}});
        }
    }
    return steps;
}

std::vector<CopiedStep> measured_steps()
{
    return parse_copied_steps(std::string(training_steps()), kept_file);
}

ExperimentResult run_training_copies(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    // Steps that were measured before are shown beside; a device that is measured now takes their
    // place.
    const CopiedStepOptions options;
    std::vector<CopiedStep> steps = simulated_steps(device.profile, options, progress, stop);
    std::vector<CopiedStep> kept = measured_steps();
    if (device.real()) {
        std::erase_if(kept, [&](const CopiedStep& one) { return one.device == device.name(); });
        std::ranges::move(steps_on(*device.on, device.profile, options, progress, stop),
                          std::back_inserter(steps));
    }
    std::ranges::move(kept, std::back_inserter(steps));
    ExperimentResult::Conditions conditions{
        {"device", device.profile.name},
        {"networks",
         fmt::format(
             "the study's four, a batch of {} as in the study, drawn numbers; cross entropy, "
             "stochastic gradient descent, single floats",
             options.batch)},
        {"computing", "kernels of the forward and the backward pass, planned by our search and "
                      "tuned where they run; "
                      "without what the host does between them, and without the step of the "
                      "weights (update_us)"},
        {"copies", "from pageable memory by a call that blocks, one for each tensor as the plan "
                   "has it, by the wall "
                   "clock: the batch and the weights to the device and the gradients back; beside "
                   "it, of every product "
                   "of matrices what it reads and what it makes, as the study has each operation "
                   "move its data"},
        {"a step", "computing and copies; on a CPU computing alone"},
        {"simulated", "computing alone: nothing says what a copy takes on these phones. "
                      "copy_us_at_91_percent is what "
                      "a copy would have to take on average for copies to be 91 %"},
        {"measured", device.real()
                         ? fmt::format("on {}, medians; others: experiments/measurements/{}",
                                       device.name(), kept_file)
                         : std::string("experiments/measurements/") + kept_file},
    };
    return {std::move(conditions), copied_steps_table(steps), copied_steps_findings(steps),
            copied_steps_plot(steps)};
}

} // namespace texelscope::experiments
