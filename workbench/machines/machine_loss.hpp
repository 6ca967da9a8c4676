#pragma once

#include "workbench/machines/figure.hpp"
#include "workbench/machines/measured_kernel.hpp"

#include <optional>
#include <span>
#include <vector>

namespace texelscope::workbench::machines {

/// How far the times of one machine are from those measured.
struct MachineLoss {
    double order = 0;   ///< mean over the tasks of 1 - Kendall's tau; 1 for a task that has none
    double error = 0;   ///< median of |log(predicted / measured)|, each task with equal weight
    double figures = 0; ///< mean over the figures of their distance in errors, at most 1 each
    double all = 0;     ///< the sum
    std::vector<double> constants; ///< of each task in the order of tasks_of(), ns
    /// log(measured / predicted) of each kernel that the machine can run, sorted.
    std::vector<double> residuals;
};

/// Times with the copies that measured ones include: those that the loss has fitted.
[[nodiscard]] std::vector<double> with_copies(std::vector<double> ns, const MachineLoss& loss,
                                              const std::vector<Task>& tasks);

/// Judges machines by measured kernels, and by figures that were published.
class LossFunction {
public:
    LossFunction(const std::vector<MeasuredKernel>& kernels, std::vector<Figure> figures);

    /// `ns`: of each kernel, NaN where the machine cannot run it, which counts as an error of a
    /// factor of e. `device`: for the figures.
    [[nodiscard]] MachineLoss operator()(std::span<const double> ns,
                                         const DeviceProfile& device) const;
    [[nodiscard]] const std::vector<Task>& tasks() const { return tasks_; }

private:
    std::vector<Task> tasks_;
    std::vector<double> measured_;
    std::vector<bool> with_copies_; ///< by task
    std::vector<Figure> figures_;
};

} // namespace texelscope::workbench::machines
