#include "workbench/machines/logged_kernels.hpp"

#include "base/error.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/space/kernel_choice.hpp"

#include <fmt/format.h>

namespace texelscope::workbench::machines {

std::vector<MeasuredKernel> measured_kernels(const kernel_logs::MeasuredTasks& logs,
                                             const std::string& device, std::size_t fewest,
                                             const std::string& where)
{
    std::vector<MeasuredKernel> kernels;
    for (const kernel_logs::MeasuredTask& task : logs.histories) {
        if (task.device != device || task.kernels.size() < fewest) {
            continue;
        }
        const Operator op = parse_operator(task.op, task.shape, task.padding);
        for (const kernel_logs::MeasuredRow& logged : task.kernels) {
            MeasuredKernel& kernel = kernels.emplace_back();
            kernel.op = op;
            kernel.schedule = parse_schedule(logged.kernel.config);
            kernel.ns = logged.ns;
            kernel.task = fmt::format("{} {} {}", task.op, task.shape, task.dtype);
            kernel.with_copies = true;
            kernel.clock = logged.clock == kernel_logs::Clock::slow ? kernel_logs::slow_clock : 1.0;
            if (!is_legal(op, kernel.schedule)) {
                kernels.pop_back();
            }
        }
    }
    if (kernels.empty()) {
        throw bad_input(fmt::format("no task of {} has {} kernels", device, fewest), where,
                        "name the device whose logs these are");
    }
    return kernels;
}

} // namespace texelscope::workbench::machines
