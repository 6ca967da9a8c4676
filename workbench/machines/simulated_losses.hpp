#pragma once

#include "workbench/machines/identified_machines.hpp"

namespace texelscope::workbench::machines {

/// Judges the first `question.simulated` machines of a set by the timed simulator, from samples of
/// each launch, and puts them in the order of its losses, in front of the others; the weights go
/// with the machines. Throws Interrupted.
void order_by_simulator(MachineSet& set, const std::vector<MeasuredKernel>& kernels,
                        const MachinesQuestion& question, const Progress& progress,
                        const StopToken& stop);

} // namespace texelscope::workbench::machines
