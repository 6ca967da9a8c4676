#include "gui/network/network_request.hpp"

#include "networks/models/models.hpp"
#include "networks/passes/simplify.hpp"
#include "networks/plan/kernel_operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <utility>

namespace texelscope::gui {
namespace {

/// Leaves the constants without their numbers, which are most of a network's memory and are not
/// looked at any more.
void drop_numbers(networks::Graph& graph)
{
    for (auto& [id, numbers] : graph.constants) {
        numbers = {};
    }
}

/// A few steps on drawn samples, where there is a device.
TrainingRun steps_on_drawn(const networks::TrainingStep& step,
                           const networks::TrainingOptions& options, std::uint64_t seed)
{
    constexpr std::int64_t samples = 32;
    TrainingRun run;
    run.data = drawn_data(step, options.loss, samples, seed);
    run.accumulate = options.accumulate;
    return run;
}

} // namespace

std::string network_name(const std::string& model)
{
    return networks::find_model(model) != nullptr ? model
                                                  : std::filesystem::path(model).stem().string();
}

std::optional<double> NetworkResult::share(std::size_t kernel) const
{
    const auto total = judged.total(judged.last_judge());
    const auto time = judged.time(judged.last_judge(), kernel);
    return total && *total > 0 && time ? std::optional(*time / *total) : std::nullopt;
}

const TensorCheck* NetworkResult::check(std::size_t kernel) const
{
    return judged.measured ? judged.measured->check_of(kernels()[kernel].kernel.output) : nullptr;
}

NetworkResult judge_network(const NetworkRequest& request, const Progress& progress,
                            const StopToken& stop)
{
    std::optional<OpenClDevice> device;
    if (!request.place.on.empty()) {
        // Opened before the plan is made, so that a device that is not there is found out at once.
        device.emplace(request.place.on, request.place.how);
    }
    const DeviceProfile profile = device_of(request.form);
    base::tell(progress, "reading the network", 0, 1);
    NetworkResult result;
    result.request = request;
    networks::Graph graph =
        simplified(networks::open_network(request.model, request.batch, seed_of(request.form)),
                   !request.training);
    check_stop(stop);
    JudgingOptions options;
    options.simulate = request.simulate;
    options.most_accesses = request.most_accesses;
    options.check = request.check;
    JudgedNetwork& network = result.judged;
    const OpenClDevice* const on = device ? &*device : nullptr;
    if (request.training) {
        networks::TrainingStep step = training_step(graph, *request.training);
        options.training = steps_on_drawn(step, *request.training, seed_of(request.form));
        network = judge_training(std::move(step), profile, options, on, progress, stop);
        // Numbers of tensors are most of the memory, and the window shows none of them.
        network.training->first.clear();
        network.trained.carried.clear();
    } else {
        const networks::TensorNumbers inputs = drawn_inputs(graph, seed_of(request.form));
        network = workbench::network_studies::judge_network(std::move(graph), profile, options, on,
                                                            inputs, progress, stop);
    }
    if (network.measured) {
        network.measured->found.clear();
        network.measured->fetched.clear();
    }
    result.memory = memory_plan(network.planned.plan);
    result.layers = training_layers(network);
    result.kept = kept_for_backward(network);
    drop_numbers(network.graph);
    drop_numbers(network.planned.plan.graph);
    return result;
}

StudyForm study_of_kernel(const NetworkResult& network, std::size_t kernel)
{
    Operator op = kernel_operator(network.judged.planned.plan, kernel);
    op.name = fmt::format("{} kernel {}: {}", network_name(network.request.model), kernel, op.name);
    StudyForm form = network.request.form;
    form.op = op.name;
    form.shape = fmt::format("{}", fmt::join(op.shape, ","));
    form.padding.clear();
    form.config = to_string(op.default_schedule);
    form.registers = StudyForm().registers; // as the network was planned
    // No ranking yet: a kernel of four inputs and more has very many patterns. The ranking dock
    // does it when asked.
    form.rank = false;
    // The kernel is no operator of the table, so the form carries it.
    form.given = std::make_shared<const Operator>(std::move(op));
    return form;
}

} // namespace texelscope::gui
