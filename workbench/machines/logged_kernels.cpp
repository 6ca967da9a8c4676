#include "workbench/machines/logged_kernels.hpp"

#include "base/error.hpp"
#include "workbench/kernel_logs/measured_tasks.hpp"
#include "workbench/space/kernel_choice.hpp"

#include <fmt/format.h>

#include <map>

namespace texelscope::workbench::machines {

std::vector<MeasuredKernel> measured_kernels(const kernel_logs::MeasuredTasks& logs,
                                             const std::string& device, std::size_t fewest,
                                             const std::string& where)
{
    std::vector<MeasuredKernel> kernels;
    const auto add = [&](const kernel_logs::MeasuredTask& task, const std::string& name,
                         CopiesIn copies) {
        const Operator op = parse_operator(task.op, task.shape, task.padding);
        for (const kernel_logs::MeasuredRow& logged : task.kernels) {
            MeasuredKernel kernel{.op = op,
                                  .schedule = parse_schedule(logged.kernel.config),
                                  .ns = logged.ns,
                                  .task = name,
                                  .copies = copies};
            kernel.clock = logged.clock == kernel_logs::Clock::slow ? kernel_logs::slow_clock : 1.0;
            if (is_legal(op, kernel.schedule)) {
                kernels.push_back(std::move(kernel));
            }
        }
    };
    for (const kernel_logs::MeasuredTask& task : logs.histories) {
        if (task.device == device && task.kernels.size() >= fewest) {
            add(task, fmt::format("{} {} {}", task.op, task.shape, task.dtype), CopiesIn::constant);
        }
    }
    // The best kernels of layers are of one task by operator and numbers.
    std::map<std::string, std::vector<const kernel_logs::MeasuredTask*>> layers;
    for (const kernel_logs::MeasuredTask& task : logs.layers) {
        if (task.device == device) {
            layers[fmt::format("layers {} {}", task.op, task.dtype)].push_back(&task);
        }
    }
    for (const auto& [name, tasks] : layers) {
        for (const kernel_logs::MeasuredTask* const task : tasks) {
            if (tasks.size() >= fewest) {
                add(*task, name, CopiesIn::foretold);
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
