#pragma once

#include "base/layers.hpp"

namespace texelscope::workbench::study {

/// A kernel's time where one does not know which machine the device is (MachineSet).
struct TimeOverMachines {
    double median_ns = 0;
    double low_ns = 0, high_ns = 0; ///< 80 % of the possible times lie between
    double machines = 1;            ///< share of the machines, by weight, that can run the kernel

    [[nodiscard]] bool contains(double ns) const { return low_ns <= ns && ns <= high_ns; }

    bool operator==(const TimeOverMachines&) const = default;
};

} // namespace texelscope::workbench::study
