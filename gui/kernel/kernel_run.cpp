#include "gui/kernel/kernel_run.hpp"

namespace texelscope::gui {

KernelRun run_kernel(const KernelRunRequest& request, const Progress& progress, const StopToken& stop)
{
    const auto next = [&](const std::string& stage, double fraction) {
        if (stop && stop()) {
            throw Interrupted{};
        }
        if (progress) {
            progress(stage, fraction);
        }
    };
    next("Opening the device", 0.1);
    const OpenClDevice device(request.device);
    next("Computing the reference", 0.3);
    const auto inputs = as_stored(random_inputs(request.op, request.seed), request.nest.output.storage);
    const Reference reference = make_reference(request.op, inputs);
    next("Building and running", 0.6);
    RunOptions options;
    options.samples = request.samples;
    options.stop = stop;
    return {device.info(), run_checked(request.op, request.nest, device, inputs, reference, options),
            request.nest.flops};
}

} // namespace texelscope::gui
