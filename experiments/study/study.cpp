#include "experiments/study/study.hpp"

#include "codegen/nest/kernel_launch.hpp"
#include "codegen/text/kernel_source.hpp"
#include "devices/compilers/kernel_compiler.hpp"
#include "devices/registers/register_estimate.hpp"
#include "experiments/study/buffer_reads.hpp"
#include "model/tmmodel/item_histogram.hpp"
#include "traces/launch_source.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace texelscope::experiments {

void set_registers(SimulationOptions& options, const DeviceProfile& device, int needed, std::int64_t items)
{
    int most = device.limits.registers_per_item.value_or(std::numeric_limits<int>::max());
    if (options.machine.group_schedule == GroupSchedule::whole &&
        options.machine.registers_per_core) { // it must fit the core
        const std::int64_t in_warps =
            ceil_div(items, options.machine.warp_size) * options.machine.warp_size;
        const auto share = static_cast<int>(*options.machine.registers_per_core / in_warps);
        most = std::min(most, std::max(1, share / options.machine.register_step *
                                              options.machine.register_step));
    }
    const int kept = std::min(needed, most);
    options.kernel.registers_per_item = kept;
    options.kernel.spilled_registers = needed - kept;
}

void set_local_memory(SimulationOptions& options, const DeviceProfile& device, std::int64_t bytes, std::int64_t items)
{
    const auto groups = device.limits.groups_by_local_memory(bytes);
    options.kernel.local_warps = {};
    if (groups) {
        const std::int64_t warps =
            std::max<std::int64_t>(1, *groups) * ceil_div(items, options.machine.warp_size);
        options.kernel.local_warps =
            static_cast<int>(std::min<std::int64_t>(warps, options.machine.warps_per_core));
    }
}

SimulationOptions options_for(const LoopNest& nest, const DeviceProfile& device)
{
    SimulationOptions options = device.simulation;
    if (std::ranges::any_of(nest.inputs, [](const Operand& input) { return input.image.buffer; })) {
        options.kernel.buffers = buffer_path(device);
    }
    const Precision arithmetic = nest.arithmetic(options.machine.timing.half_lanes.has_value());
    const std::int64_t items = std::int64_t{nest.local[0]} * nest.local[1] * nest.local[2];
    if (!options.kernel.local_warps) { // unless the user knows better
        set_local_memory(options, device, local_memory_bytes(nest, arithmetic), items);
    }
    if (!options.kernel.registers_per_item) { // likewise
        if (!device.compiler) {
            set_registers(options, device, estimated_registers(nest, device), items);
        } else {
            const CompiledKernel& made = device.compiler->of(opencl_text(nest, TexelBackend::native));
            options.kernel.registers_per_item = made.registers;
            options.kernel.compiled_warps =
                std::max(1, made.warps * made.warp_size / options.machine.warp_size);
        }
    }
    if (arithmetic == Precision::fp16) {
        options.kernel.operation =
            options.machine.timing.alu_lanes.value_or(0) / *options.machine.timing.half_lanes;
    }
    return options;
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
    constexpr double simulated = 0.5; // of the whole
    const Progress part = [&](const std::string& stage, double fraction) {
        tell(progress, stage, 0.05 + (simulated - 0.05) * fraction, 1);
    };
    std::optional<TimedLaunch> in_time;
    if (reads_buffers(nest)) {
        check_simulated(nest, request.device);
        const LoopNest rows = buffers_as_rows(nest);
        in_time = TimedLaunch{make_trace_source(launch_of(rows)), options_for(rows, request.device)};
    }
    StudyResult result{run_launch(to_string(request.op) + " " + to_string(request.schedule), source,
                                  request.device.name, options_for(nest, request.device), part, stop, in_time),
                       request,
                       nest,
                       kernel_text,
                       {},
                       {},
                       {},
                       {}};
    const auto texels = item_texels(*source, 0, 0);
    const std::vector<int> images = launch_images(nest);
    for (std::size_t i = 0; i < result.images.size(); ++i) {
        const auto input = std::find(images.begin(), images.end(), static_cast<int>(i)) - images.begin();
        result.images[i].pattern = request.schedule.patterns[static_cast<std::size_t>(input)];
        result.images[i].operand = nest.inputs[static_cast<std::size_t>(input)];
        result.images[i].histogram = cross_block_histogram(texels[i]);
    }

    report("calibrating the model", simulated);
    result.calibration =
        request.calibration ? *request.calibration : calibrate_profile(request.device, request.seed, stop);
    result.prediction = predict(request.op, request.schedule, request.device, result.calibration, stop);
    result.variant = request.variant ? VariantChoice{*request.variant, {}} : default_variant(false);
    if (request.rank) {
        report("ranking", 0.7);
        const ConfigurationSpace space = configuration_space(request.op, request.device);
        const ModelCosts costs(request.op, request.device, space, result.calibration, result.variant.variant, stop);
        costs.compile([&](double fraction) { report("compiling the ranking's kernels", 0.7 + 0.15 * fraction); });
        constexpr std::size_t keep = 1000;
        result.ranking =
            rank_by_model(costs, keep, [&](double fraction) { report("ranking", 0.85 + 0.15 * fraction); });
    }
    report("done", 1);
    return result;
}

} // namespace texelscope::experiments
