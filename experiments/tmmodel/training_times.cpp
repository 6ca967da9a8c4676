#include "experiments/tmmodel/training_times.hpp"

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/parallel.hpp"
#include "base/progress.hpp"
#include "workbench/network_studies/network_measurement.hpp"
#include "workbench/network_studies/network_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace texelscope::experiments {
// Steps of training, planned in five ways and simulated; each time is that of one sample, the
// update of the weights shared out over the samples of a step.
namespace {

using networks::Pass;
using networks::TrainingStep;

constexpr const char* our_planner = "ours";

/// One network planned in one way, and simulated. A plan that the framework would refuse, e.g. for
/// an image beyond the device's limit, has no time, and says why.
TrainingTime simulated_training(const std::string& network, const NetworkPlanner& planner,
                                const TrainingStep& step, const DeviceProfile& device,
                                const TunedNetworkOptions& options, const StopToken& stop)
{
    TrainingTime time{.network = network, .planner = planner.name};
    try {
        const TunedNetwork tuned = tuned_network(planner, step.graph, {device}, options, {}, stop);
        time.kernels = std::ssize(tuned.kernel_ns);
        time.forward_ns = tuned.total_ns(step, Pass::forward);
        time.backward_ns = tuned.total_ns(step, Pass::backward);
        time.update_ns = tuned.total_ns(step, Pass::update);
    } catch (const Error& error) { // e.g. an image beyond the device's limit, which the framework
        if (error.kind() != Error::Kind::bad_input) {
            throw;
        }
        time.why_not = error.what();
    }
    return time;
}

/// The same on a real device. A framework on a phone tunes on that phone, so kernels are tuned
/// anew.
double measured_training(const NetworkPlanner& planner, const TrainingStep& step,
                         const ExperimentDevice& device, const TrainingTimesOptions& options,
                         const Progress& progress, const StopToken& stop)
{
    const PredictedPlan plan =
        tuned_plan(planner, step.graph, device, options.tuning, progress, stop);
    networks::TensorNumbers inputs = step.first;
    // Two dimensions are a batch of classes; maps have more.
    const bool classes = step.graph.value(step.target).shape.size() == 2;
    const networks::Loss loss =
        classes ? networks::Loss::cross_entropy : networks::Loss::mean_squared_error;
    constexpr std::uint64_t seed = 1;
    for (auto& [input, numbers] : drawn_data(step, loss, 1, seed).numbers) {
        inputs[input] = numbers;
    }
    networks::NetworkRunOptions run;
    run.samples = options.samples;
    return measure_network(step.graph, plan.plan, inputs, *device.on, run, false, stop)
        .in_kernels();
}

/// To the microsecond.
ResultTable::Value ms_of(double ns)
{
    return std::round(ns / 1000) / 1000;
}

ResultTable::Value or_dash(std::optional<double> value)
{
    return value ? ResultTable::Value(*value) : ResultTable::Value("-");
}

double to_hundredths(double value)
{
    return std::round(100 * value) / 100;
}

} // namespace

std::optional<double> PublishedTraining::ms(const std::string& planner) const
{
    return planner == "MNN"         ? mnn_ms
           : planner == "DNNFusion" ? dnnfusion_ms
           : planner == our_planner ? ours_ms
                                    : std::nullopt;
}

std::optional<double> PublishedTraining::over_ours(const std::string& planner) const
{
    return planner == "MNN"         ? std::optional(over_mnn)
           : planner == "DNNFusion" ? over_dnnfusion
                                    : std::nullopt;
}

std::vector<PublishedTraining> published_table4()
{
    // Table 4 has times; the ratios follow from them.
    const auto row = [](const char* network, const char* called, double mnn, double dnnfusion,
                        double ours) {
        return PublishedTraining{network, called,    mnn / ours, dnnfusion / ours,
                                 mnn,     dnnfusion, ours};
    };
    return {row("mobilenet-v2", "MobileNetV2", 1916, 41, 29),
            row("resnet-18", "ResNet-18", 88, 66, 48), row("fsrcnn", "Fsrcnn", 921, 57, 32),
            row("vit-b-16", "ViT", 2105, 1224, 575)};
}

std::vector<PublishedTraining> published_table6()
{
    return {{.network = "mobilenet-v2", .called = "MobileNetV2", .over_mnn = 68.8},
            {.network = "vit-b-16", .called = "ViT", .over_mnn = 3.09}};
}

const TrainingTime* TrainingTimes::find(const std::string& network,
                                        const std::string& planner) const
{
    const auto found = std::ranges::find_if(times, [&](const TrainingTime& time) {
        return time.network == network && time.planner == planner;
    });
    return found == times.end() ? nullptr : &*found;
}

std::vector<NetworkPlanner> training_planners()
{
    return {planner_of("MNN", "mnn"), planner_of("TFLite", "mldrift"), planner_of("TVM", "tvm"),
            planner_of("DNNFusion", "smartmem"), planner_of("ours", "ours")};
}

TrainingTimes measure_training(const ExperimentDevice& device,
                               std::vector<PublishedTraining> published,
                               const TrainingTimesOptions& options, const Progress& progress,
                               const StopToken& stop)
{
    TrainingTimes data{device.profile.name,
                       device.real() ? device.name() : std::string{},
                       std::move(published),
                       {}};
    const std::vector<NetworkPlanner>& planners = options.planners;
    std::vector<TrainingStep> steps;
    for (const PublishedTraining& network : data.published) {
        steps.push_back(planned_training(network.network, options.samples));
    }
    data.times.resize(steps.size() * planners.size());
    const auto planner = [&](std::size_t i) -> const NetworkPlanner& {
        return planners[i % planners.size()];
    };
    const auto step = [&](std::size_t i) -> const TrainingStep& {
        return steps[i / planners.size()];
    };
    parallel_for(
        data.times.size(), processor_threads(),
        [&](std::size_t job) {
            const std::size_t i = data.times.size() - 1 - job; // ours, the longest, first
            data.times[i] =
                simulated_training(data.published[i / planners.size()].network, planner(i), step(i),
                                   device.profile, options.tuning, stop);
        },
        stop, [&](std::size_t done) { tell(progress, "plans", done, data.times.size()); });
    for (std::size_t i = 0; device.real() && i < data.times.size(); ++i) {
        if (data.times[i].why_not.empty()) {
            data.times[i].measured_ns =
                measured_training(planner(i), step(i), device, options,
                                  part_progress(progress, i, data.times.size()), stop);
        }
    }
    return data;
}

ResultTable training_table(const TrainingTimes& data)
{
    ResultTable table{{"network", "planner", "kernels", "forward_ms", "backward_ms", "update_ms",
                       "simulated_ms", "over_ours", "paper_ms", "paper_over_ours", "measured_ms",
                       "refused"},
                      {}};
    for (const TrainingTime& time : data.times) {
        const auto paper =
            std::ranges::find(data.published, time.network, &PublishedTraining::network);
        const TrainingTime* const ours = data.find(time.network, our_planner);
        std::vector<ResultTable::Value>& row = table.rows.emplace_back(
            std::vector<ResultTable::Value>{time.network, time.planner, time.kernels});
        const bool planned = time.why_not.empty();
        for (const double ns :
             {time.forward_ns, time.backward_ns, time.update_ns, time.simulated_ns()}) {
            row.push_back(planned ? ms_of(ns) : ResultTable::Value("-"));
        }
        // A ratio needs both plans.
        const bool compared = planned && ours != nullptr && ours->simulated_ns() > 0;
        row.push_back(
            compared ? ResultTable::Value(to_hundredths(time.simulated_ns() / ours->simulated_ns()))
                     : ResultTable::Value("-"));
        const std::optional<double> over_ours = paper->over_ours(time.planner);
        row.push_back(or_dash(paper->ms(time.planner)));
        row.push_back(over_ours ? ResultTable::Value(to_hundredths(*over_ours))
                                : ResultTable::Value("-"));
        row.push_back(time.measured_ns ? ms_of(*time.measured_ns) : ResultTable::Value("-"));
        row.emplace_back(planned ? "-" : time.why_not);
    }
    return table;
}

PanelPlot training_plot(const TrainingTimes& data)
{
    // Time over ours, so that networks of any size share an axis.
    const std::vector<std::string> categories = mapped(data.published, &PublishedTraining::called);
    std::vector<std::string> names = mapped(training_planners(), &NetworkPlanner::name);
    std::erase(names, our_planner);
    using Ratio =
        std::function<std::optional<double>(const PublishedTraining&, const std::string&)>;
    const auto panel = [&](const Ratio& ratio) {
        std::vector<PanelPlot::Bars> series;
        for (const std::string& name : names) {
            PanelPlot::Bars& bars = series.emplace_back(PanelPlot::Bars{name, 1, {}});
            for (const PublishedTraining& network : data.published) {
                const double value = ratio(network, name).value_or(0);
                bars.points.push_back(
                    {0, value,
                     fmt::format("{}, {}: {:.2f} times ours", name, network.called, value)});
            }
        }
        return series;
    };
    const auto judged = [&](const std::function<std::optional<double>(const TrainingTime&)>& ns) {
        return panel([&](const PublishedTraining& network,
                         const std::string& name) -> std::optional<double> {
            const TrainingTime* const time = data.find(network.network, name);
            const TrainingTime* const ours = data.find(network.network, our_planner);
            const auto above = time == nullptr ? std::nullopt : ns(*time);
            const auto below = ours == nullptr ? std::nullopt : ns(*ours);
            return above && below && *below > 0 ? std::optional(*above / *below) : std::nullopt;
        });
    };
    std::vector<std::vector<PanelPlot::Bars>> panels{
        panel([](const PublishedTraining& network, const std::string& name)
                  -> std::optional<double> { return network.over_ours(name); }),
        judged([](const TrainingTime& time) { return std::optional(time.simulated_ns()); })};
    std::vector<std::string> titles{"paper", "simulated: " + data.device};
    if (!data.measured_on.empty()) {
        panels.push_back(judged(&TrainingTime::measured_ns));
        titles.push_back("measured: " + data.measured_on);
    }
    PanelPlot plot = grouped_bars(categories, std::move(panels), titles);
    plot.title = "Training of networks, planned in five ways";
    plot.x_label = "network";
    plot.left_label = "time of a sample over ours";
    plot.left_log = true;
    // The same whatever is simulated, so that plots of several devices can be compared.
    plot.left = PlotAxis{0.5, 100, true};
    for (const PanelPlot::Panel& shown : plot.panels) {
        for (const PanelPlot::Bars& bars : shown.bars) {
            for (const PanelPlot::Point& point : bars.points) {
                plot.left->low = point.y > 0 ? std::min(plot.left->low, point.y) : plot.left->low;
                plot.left->high = std::max(plot.left->high, point.y);
            }
        }
    }
    plot.panel_width = 300;
    return plot;
}

namespace {

ExperimentResult training_result(const ExperimentDevice& device,
                                 std::vector<PublishedTraining> published, const Progress& progress,
                                 const StopToken& stop)
{
    const TrainingTimesOptions options;
    const TrainingTimes data =
        measure_training(device, std::move(published), options, progress, stop);
    ExperimentResult::Conditions conditions{
        {"device", device.both_text()},
        {"training",
         fmt::format(
             "as in the paper (section 6.1): a batch of one, single floats, stochastic gradient "
             "descent with a "
             "step of the weights after {0} batches, and the time of one batch on average over {0}",
             options.samples)},
        {"networks", "mobilenet-v2, resnet-18 and vit-b-16 at 224x224 by their cross entropy; "
                     "fsrcnn from 85x85 to "
                     "255x255 by the squared error. The paper gives no sizes"},
        {"kernels", "all plans are of the same kernels with the same fusion: what differs is where "
                    "tensors lie and "
                    "what of a schedule is searched"},
        {"MNN",
         "images of ceil(C/4) W x N H for everything, its tiles, work-groups tuned (policy mnn)"},
        {"TFLite, TVM",
         "their rules for inference (policies mldrift and tvm): neither trains on a phone's GPU"},
        {"DNNFusion", "where it puts tensors is not published: taken is what SmartMem's paper has "
                      "of it, the memory "
                      "optimisation of the DNNFusion that TMModel is built on (policy smartmem), "
                      "tile and work-group "
                      "tuned"},
        {"ours",
         "kernels and layouts of values searched together by the bottleneck model (policy ours)"},
        {"tuning",
         fmt::format(
             "of each kernel the model's choice and up to {} more, these also with its values "
             "where other "
             "readers would have them, are timed on the simulated device{}, with any policy",
             options.tuning.candidates, device.real() ? ", and anew on the measured one" : "")},
        {"times",
         fmt::format(
             "the kernels one after the other, L2 kept, from samples of {} warp accesses each",
             options.tuning.accesses)},
        {"not in it", "what the frameworks' own kernel texts and fusion lose, and what the host "
                      "does between kernels"},
    };
    return {std::move(conditions), training_table(data), training_findings(data),
            training_plot(data)};
}

} // namespace

ExperimentResult run_training_table4(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    return training_result(device, published_table4(), progress, stop);
}

ExperimentResult run_training_table6(const ExperimentDevice& device, const Progress& progress,
                                     const StopToken& stop)
{
    return training_result(device, published_table6(), progress, stop);
}

} // namespace texelscope::experiments
