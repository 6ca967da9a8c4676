#include "base/error.hpp"
#include "base/parallel.hpp"
#include "python/bind_study.hpp"
#include "python/long_call.hpp"
#include "python/tables.hpp"
#include "workbench/machines/machines_json.hpp"
#include "workbench/machines/over_machines.hpp"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

namespace texelscope::python {
namespace {

/// Configurations on all machines that the study's device can be.
struct OverMachines {
    std::string about; ///< operator and device
    std::size_t machines = 0;
    std::vector<std::string> configurations;
    std::vector<KernelOverMachines> kernels;
};

OverMachines over_machines_of(const Study& study, const std::vector<std::string>& configurations)
{
    const std::optional<MachineSet> set = machines_of(study.device());
    if (!set) {
        throw bad_input("nobody knows which machines it can be", study.device().name,
                        "take a profile that identify --kernels wrote, e.g. adreno-740");
    }
    std::vector<Schedule> schedules;
    for (const std::string& configuration : configurations) {
        schedules.push_back(parse_schedule(configuration));
    }
    if (schedules.empty()) {
        schedules.push_back(study.schedule());
    }
    LongCall call;
    return call.run([&] {
        const auto threads = processor_threads();
        OverMachines over{to_string(study.op()) + " on " + study.device().name,
                          set->machines.size(),
                          {},
                          kernels_over_machines(*set, study.device(), study.op(), schedules,
                                                threads, call.stop())};
        for (const Schedule& schedule : schedules) {
            over.configurations.push_back(to_string(schedule));
        }
        return over;
    });
}

/// An empty text where no machine can run the kernel.
ResultTable table_of(const OverMachines& over)
{
    ResultTable table{{"configuration", "median ns", "low ns", "high ns", "first",
                       "within 5 percent", "mean loss", "worst decile loss"},
                      {}};
    for (std::size_t k = 0; k < over.kernels.size(); ++k) {
        const auto& [time, choice] = over.kernels[k];
        const auto ns = [&](double TimeOverMachines::*member) {
            return time ? ResultTable::Value((*time).*member) : ResultTable::Value(std::string());
        };
        table.rows.push_back({over.configurations[k], ns(&TimeOverMachines::median_ns),
                              ns(&TimeOverMachines::low_ns), ns(&TimeOverMachines::high_ns),
                              choice.first, choice.near_best, choice.mean_loss, choice.worst_loss});
    }
    return table;
}

std::string heading_of(const OverMachines& over)
{
    return fmt::format("{}: {} configurations on {} machines", over.about, over.kernels.size(),
                       over.machines);
}

/// What the machines of a device have: a row for each value in which they differ.
ResultTable values_of(const DeviceProfile& device)
{
    ResultTable table{{"key", "best", "low", "high", "spread", "told"}, {}};
    if (const std::optional<MachineSet> set = machines_of(device)) {
        for (std::size_t v = 0; v < set->values.size(); ++v) {
            const MachineSet::Value& value = set->values[v];
            table.rows.push_back({value.key, set->machines.front().values[v], value.low, value.high,
                                  value.spread, std::string(value.told() ? "yes" : "no")});
        }
    }
    return table;
}

} // namespace

void add_machines(nb::module_& module, nb::class_<Study>& study)
{
    nb::class_<OverMachines> type(
        module, "OverMachines",
        "Configurations on all machines that a device can be, by what was measured on it.");
    type.def_ro("machines", &OverMachines::machines, "How many machines there are.")
        .def_prop_ro(
            "robust",
            [](const OverMachines& self) {
                const auto least = std::ranges::min_element(
                    self.kernels, {},
                    [](const KernelOverMachines& kernel) { return kernel.choice.mean_loss; });
                return self.configurations[static_cast<std::size_t>(least - self.kernels.begin())];
            },
            "The configuration that loses least in the mean of the machines.")
        .def("__len__", [](const OverMachines& self) { return self.kernels.size(); })
        .def("__repr__",
             [](const OverMachines& self) { return "OverMachines(" + heading_of(self) + ")"; });
    add_table_members(type, table_of, heading_of);

    study.def("over_machines", &over_machines_of,
              nb::arg("configurations") = std::vector<std::string>(),
              "The time of configurations of the operator on the machines that the device can be: "
              "median and 80 % interval, and among these configurations the share of the machines "
              "on which each is first, or within 5 % of the best, and what it loses. None: the "
              "study's own configuration.");
    module.def(
        "machine_values", [](const DeviceProfile& device) { return rows_of(values_of(device)); },
        nb::arg("device"),
        nb::sig("def machine_values(device: Device) -> list[dict[str, typing.Any]]"),
        "In what the machines that a device can be differ: the best machine's value, what 80 % of "
        "them have, and whether what was measured tells it. Empty where nothing is known.");
}

} // namespace texelscope::python
