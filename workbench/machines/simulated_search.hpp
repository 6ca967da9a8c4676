#pragma once

#include "workbench/machines/identified_machines.hpp"
#include "workbench/machines/search_state.hpp"

#include <functional>
#include <vector>

namespace texelscope::workbench::machines {

/// Looks for machines that agree with measured kernels by the simulator as well as by the model.
///
/// In goes a set that agrees by the model; question.simulated machines are simulated in all, on a
/// part of the kernels (question.simulated_kernels of each task). The first third is taken from
/// the set. The others are steps of differential evolution, as MachineSearch takes them, among the
/// machines whose two losses, by model and by simulator, add up to least. As the model is a hundred
/// times as fast it is asked first: a step that it rules out is not simulated. The set
/// then begins with the best of these, by both losses, and its first machines follow; the values of
/// the set (MachineSet::values) and the weights are left to the caller.
///
/// With question.folds, or with kernels that were held out, the choice of the best is judged: on
/// the tasks of each part by the best on the others, or on the kernels held out.
///
/// `simulated`: what was simulated before, which is not simulated again (SearchState::simulated);
/// `save` is told of every machine more. Throws Interrupted between two of them.
void search_by_simulator(MachineSet& set, const std::vector<Unknown>& unknowns,
                         const std::vector<MeasuredKernel>& known,
                         const std::vector<MeasuredKernel>& held_out,
                         const MachinesQuestion& question,
                         std::vector<std::vector<double>>& simulated,
                         const std::function<void()>& save, const Progress& progress = {},
                         const StopToken& stop = {});

} // namespace texelscope::workbench::machines
