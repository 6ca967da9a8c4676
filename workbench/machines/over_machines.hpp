#pragma once

#include "base/stop.hpp"
#include "workbench/machines/machine_set.hpp"
#include "workbench/machines/measured_kernel.hpp"
#include "workbench/study/time_over_machines.hpp"

#include <span>
#include <vector>

namespace texelscope::workbench::study {
struct StudyRequest;
} // namespace texelscope::workbench::study

namespace texelscope::workbench::machines {

/// The times of a kernel on the machines of a set, NaN where one cannot run it, as one: each
/// machine counts by its weight, and errs as it did on the kernels that it was identified on.
/// `constant` is added to each. Nothing where no machine can run it.
[[nodiscard]] std::optional<TimeOverMachines>
over_machines(const MachineSet& set, std::span<const double> ns, double constant = 0);

/// [kernel][machine] of times that are [machine][kernel].
[[nodiscard]] std::vector<std::vector<double>>
by_kernel(const std::vector<std::vector<double>>& by_machine);

/// [kernel][machine]: the times of kernels of one operator on the machines of a set. `device`: the
/// profile with its other values. Throws bad_input for an illegal schedule.
[[nodiscard]] std::vector<std::vector<double>>
times_on_machines(const MachineSet& set, const DeviceProfile& device, const Operator& op,
                  const std::vector<Schedule>& schedules, int threads, const StopToken& stop = {});

/// What one gives up by choosing one kernel without knowing the machine.
struct ChoiceOverMachines {
    double first = 0;      ///< share of the machines, by weight, on which it is the fastest
    double near_best = 0;  ///< on which it takes at most 1.05 times the fastest's time
    double mean_loss = 0;  ///< time over the fastest's less 1: mean over the machines
    double worst_loss = 0; ///< what 90 % of the machines stay below

    bool operator==(const ChoiceOverMachines&) const = default;
};
/// Of each kernel; `ns` as times_on_machines() has it. A kernel that a machine cannot run loses as
/// much as the worst of those that it can.
[[nodiscard]] std::vector<ChoiceOverMachines>
choices_over_machines(const MachineSet& set, const std::vector<std::vector<double>>& ns);

/// A kernel among others, over the machines of a set.
struct KernelOverMachines {
    std::optional<TimeOverMachines> time; ///< nothing: no machine can run it
    ChoiceOverMachines choice;            ///< among the kernels that were asked about
};
/// Of each schedule, in their order. Throws as times_on_machines() does.
[[nodiscard]] std::vector<KernelOverMachines>
kernels_over_machines(const MachineSet& set, const DeviceProfile& device, const Operator& op,
                      const std::vector<Schedule>& schedules, int threads,
                      const StopToken& stop = {});

/// The time of one configuration. Nothing where its device has no machines, and where none of them
/// can run it. Throws bad_input as machines_of() does, and for an illegal schedule.
[[nodiscard]] std::optional<TimeOverMachines>
time_over_machines(const StudyRequest& request, int threads, const StopToken& stop = {});

/// The share of measured kernels whose times lie inside of their 80 % intervals. Copies are those
/// that the best machine fits. Throws as times_on_machines() does.
[[nodiscard]] double coverage(const MachineSet& set, const DeviceProfile& device,
                              const std::vector<MeasuredKernel>& kernels, int threads,
                              const StopToken& stop = {});

/// Agreement of times with those measured. `intervals`: of each kernel, for the coverage; may be
/// empty.
[[nodiscard]] Judgement judged(const std::vector<MeasuredKernel>& kernels,
                               std::span<const double> ns,
                               std::span<const std::optional<TimeOverMachines>> intervals = {});

} // namespace texelscope::workbench::machines
