#include "workbench/study/study.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/launch/buffer_reads.hpp"
#include "devices/launch/launch_options.hpp"
#include "devices/launch/limits.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "traces/launch_source.hpp"
#include "workbench/space/operator_space.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace texelscope::workbench::study {

PredictedStudy predict_study(StudyRequest request, Calibration calibration, VariantChoice variant,
                             const StopToken& stop)
{
    PredictedStudy study{std::move(request), {}, std::move(calibration), {},
                         std::move(variant), {}};
    const StudyRequest& asked = study.request;
    study.nest = loop_nest(asked.op, asked.schedule);
    check_limits(study.nest, asked.device);
    study.prediction = predict(asked.op, asked.schedule, asked.device, study.calibration, stop);
    const ModelKernel::Rounds& rounds = study.prediction.kernel.rounds.value();
    study.parts =
        time_parts(bottleneck_cost(rounds.stream, rounds.grid, rounds.options, rounds.model),
                   rounds.options.machine);
    return study;
}

StudyResult run_study(const StudyRequest& request, const Progress& progress, const StopToken& stop)
{
    const auto report = [&](const char* stage, double fraction) {
        tell(progress, stage, fraction, 1);
        check_stop(stop);
    };
    report("generating", 0);
    const LoopNest nest = loop_nest(request.op, request.schedule);
    check_limits(nest, request.device);
    const std::string kernel_text = opencl_text(nest, TexelBackend::native);
    if (request.device.compiler) {
        report("compiling the kernel", 0);
        request.device.compiler->prepare({&kernel_text, 1}, 1, {}, stop);
    }
    const std::shared_ptr<const TraceSource> source = make_trace_source(launch_of(nest));
    // Share of the progress after which the simulations are done.
    constexpr double simulated = 0.5;
    const Progress part = [&](const std::string& stage, double fraction) {
        tell(progress, stage, 0.05 + (simulated - 0.05) * fraction, 1);
    };
    // Heat maps show images alone. In time the buffers count as well, so the timed simulation gets
    // the same kernel with each buffer as an image of one row.
    std::optional<TimedLaunch> in_time;
    if (reads_buffers(nest)) {
        check_simulated(nest, request.device);
        const LoopNest rows = buffers_as_rows(nest);
        in_time =
            TimedLaunch{make_trace_source(launch_of(rows)), options_for(rows, request.device)};
    }
    StudyResult result{run_launch(to_string(request.op) + " " + to_string(request.schedule), source,
                                  request.device.name, options_for(nest, request.device), part,
                                  stop, in_time),
                       {},
                       kernel_text,
                       {}};
    // The images of the launch are the inputs that lie in images, so an image has to find its input
    // before it knows its pattern and tensor.
    const auto texels = item_texels(*source, 0, 0);
    const std::vector<int> images = launch_images(nest);
    for (std::size_t i = 0; i < result.images.size(); ++i) {
        const auto input =
            std::find(images.begin(), images.end(), static_cast<int>(i)) - images.begin();
        result.images[i].pattern = request.schedule.patterns[static_cast<std::size_t>(input)];
        result.images[i].operand = nest.inputs[static_cast<std::size_t>(input)];
        result.images[i].histogram = cross_block_histogram(texels[i]);
    }

    report("calibrating the model", simulated);
    static_cast<PredictedStudy&>(result) = predict_study(
        request,
        request.calibration ? *request.calibration
                            : calibrate_profile(request.device, request.seed, stop),
        request.variant ? VariantChoice{*request.variant, {}} : default_variant(false), stop);
    if (request.rank) {
        report("ranking", 0.7);
        const ConfigurationSpace space = configuration_space(request.op, request.device);
        const ModelCosts costs(request.op, request.device, space, result.calibration,
                               result.variant.variant, stop);
        costs.compile([&](double fraction) {
            report("compiling the ranking's kernels", 0.7 + 0.15 * fraction);
        });
        constexpr std::size_t keep = 1000;
        result.ranking = rank_by_model(
            costs, keep, [&](double fraction) { report("ranking", 0.85 + 0.15 * fraction); });
    }
    report("done", 1);
    return result;
}

} // namespace texelscope::workbench::study
