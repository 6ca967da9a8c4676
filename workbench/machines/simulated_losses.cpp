#include "workbench/machines/simulated_losses.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "codegen/nest/loop_nest.hpp"
#include "workbench/machines/image_copies.hpp"
#include "workbench/study/launch_result.hpp"
#include "workbench/study/study.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::machines {

void order_by_simulator(MachineSet& set, const std::vector<MeasuredKernel>& kernels,
                        const MachinesQuestion& question, const Progress& progress,
                        const StopToken& stop)
{
    const std::size_t count = std::min(question.simulated, set.machines.size());
    const std::vector<PricedMachine> machines = priced_machines(set, question.device);
    std::vector<std::vector<double>> ns(count, std::vector<double>(kernels.size(), 0.0));
    parallel_for(
        kernels.size(), question.threads,
        [&](std::size_t k) {
            const LoopNest nest = loop_nest(kernels[k].op, kernels[k].schedule);
            const ImageCopies copies = foretold_copies(kernels[k]);
            for (std::size_t m = 0; m < count; ++m) {
                DeviceProfile device = machines[m].device;
                device.simulation.machine =
                    at_clock(std::move(device.simulation.machine), kernels[k].clock);
                try {
                    ns[m][k] = simulated_time(nest, device, question.sample, stop).value +
                               copies_ns(copies, device.simulation.machine.timing);
                } catch (const Error&) { // no room for the kernel
                    ns[m][k] = std::nan("");
                }
            }
        },
        stop,
        [&](std::size_t done) {
            tell(progress, "simulating the best machines", done, kernels.size());
        });
    const LossFunction loss(kernels, question.figures);
    for (std::size_t m = 0; m < count; ++m) {
        set.machines[m].simulated_loss = loss(ns[m], machines[m].device).all;
    }
    std::stable_sort(set.machines.begin(),
                     set.machines.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const IdentifiedMachine& a, const IdentifiedMachine& b) {
                         return *a.simulated_loss < *b.simulated_loss;
                     });
}

} // namespace texelscope::workbench::machines
