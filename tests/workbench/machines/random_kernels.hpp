#pragma once

#include "base/random.hpp"
#include "workbench/machines/machine_point.hpp"
#include "workbench/machines/measured_kernel.hpp"
#include "workbench/space/operator_space.hpp"

#include <random>
#include <string>
#include <vector>

namespace texelscope::workbench::machines {

/// Some kernels of an operator, of all schedules that the device takes.
inline std::vector<MeasuredKernel> random_kernels(const Operator& op, const DeviceProfile& device,
                                                  std::size_t count, std::mt19937_64& random)
{
    const ConfigurationSpace space = configuration_space(op, device);
    std::vector<MeasuredKernel> kernels;
    while (kernels.size() < count) {
        const auto at = static_cast<std::int64_t>(
            uniform_below(random, static_cast<std::uint64_t>(space.size())));
        kernels.push_back({.op = op, .schedule = space.at(at), .ns = 1, .task = to_string(op)});
    }
    return kernels;
}

/// Values that go together, drawn from the prior.
inline std::vector<std::string> random_machine(const DeviceProfile& device,
                                               const std::vector<Unknown>& unknowns,
                                               std::mt19937_64& random)
{
    for (;;) {
        Places places;
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            places.push_back(uniform_real(random));
        }
        std::vector<std::string> texts = texts_of(unknowns, places);
        if (machine_of(device, unknowns, texts)) {
            return texts;
        }
    }
}

/// The profile with these values, set one by one.
inline DeviceProfile with_values(DeviceProfile device, const std::vector<Unknown>& unknowns,
                                 const std::vector<std::string>& texts)
{
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
        set_value(device, unknowns[i].key,
                  {texts[i], unknowns[i].unit, Provenance::assumed, "a test"});
    }
    return device;
}

} // namespace texelscope::workbench::machines
