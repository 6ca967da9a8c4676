#include "workbench/machines/machine_loss.hpp"

#include "model/statistics/kendall.hpp"
#include "model/statistics/least_deviation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace texelscope::workbench::machines {

LossFunction::LossFunction(const std::vector<MeasuredKernel>& kernels, std::vector<Figure> figures)
    : tasks_(tasks_of(kernels)), figures_(std::move(figures))
{
    for (const MeasuredKernel& kernel : kernels) {
        measured_.push_back(kernel.ns);
    }
    for (const Task& task : tasks_) {
        with_copies_.push_back(std::ranges::any_of(task.kernels, [&](std::size_t kernel) {
            return kernels[kernel].copies == CopiesIn::constant;
        }));
    }
}

MachineLoss LossFunction::operator()(std::span<const double> ns, const DeviceProfile& device) const
{
    MachineLoss loss;
    std::vector<std::pair<double, double>> errors;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
        const Task& task = tasks_[t];
        const double weight = 1 / static_cast<double>(task.kernels.size());
        std::vector<double> predicted;
        std::vector<double> measured;
        for (const std::size_t kernel : task.kernels) {
            if (std::isnan(ns[kernel])) {
                errors.emplace_back(1.0, weight);
            } else {
                predicted.push_back(ns[kernel]);
                measured.push_back(measured_[kernel]);
            }
        }
        const auto tau = kendall_tau_b(predicted, measured);
        loss.order += (1 - tau.value_or(0)) / static_cast<double>(tasks_.size());
        const double constant = with_copies_[t] ? added_constant(predicted, measured) : 0;
        loss.constants.push_back(constant);
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            const double residual = std::log(measured[i] / (predicted[i] + constant));
            errors.emplace_back(std::abs(residual), weight);
            loss.residuals.push_back(residual);
        }
    }
    std::ranges::sort(loss.residuals);
    loss.error = weighted_quantile(std::move(errors), 0.5);
    for (const Figure& figure : figures_) {
        const double off = std::log(quantity_on(figure.quantity, device) / figure.value);
        loss.figures += std::min(1.0, std::abs(off) / std::log1p(figure.error)) /
                        static_cast<double>(figures_.size());
    }
    loss.all = loss.order + loss.error + loss.figures;
    return loss;
}

std::vector<double> with_copies(std::vector<double> ns, const MachineLoss& loss,
                                const std::vector<Task>& tasks)
{
    for (std::size_t t = 0; t < tasks.size(); ++t) {
        for (const std::size_t kernel : tasks[t].kernels) {
            ns[kernel] += loss.constants[t];
        }
    }
    return ns;
}

} // namespace texelscope::workbench::machines
