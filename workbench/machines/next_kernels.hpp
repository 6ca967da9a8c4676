#pragma once

#include "workbench/machines/machine_set.hpp"

#include <cstddef>
#include <vector>

namespace texelscope::workbench::machines {

/// A kernel to measure next.
struct NextKernel {
    std::size_t kernel = 0; ///< place among the candidates
    /// Standard deviation of the logarithm of its time over the machines, given what is measured
    /// before it.
    double spread = 0;
    double bits = 0; ///< what a measurement of that error tells of the machines

    bool operator==(const NextKernel&) const = default;
};

/// The kernels whose measured times would tell most about which of the machines it is: one after
/// the other the one that tells most beside those before it. The logarithms of times are taken for
/// normally distributed over the machines, and measured with the relative `error`, so that a kernel
/// tells log2(1 + variance / error^2) / 2 bits, and takes its share out of the covariance of all
/// others (Krause, Singh and Guestrin, JMLR 2008). `ns` as times_on_machines() has it; kernels that
/// a machine cannot run are left out. At most `count`, fewer where nothing more is told.
[[nodiscard]] std::vector<NextKernel> next_kernels(const MachineSet& set,
                                                   const std::vector<std::vector<double>>& ns,
                                                   std::size_t count, double error);

} // namespace texelscope::workbench::machines
