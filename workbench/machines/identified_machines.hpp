#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "workbench/machines/figure.hpp"
#include "workbench/machines/machine_search.hpp"
#include "workbench/machines/machine_set.hpp"
#include "workbench/machines/measured_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::machines {

/// Which machines can a device be, by kernels that were measured on it?
struct MachinesQuestion {
    DeviceProfile
        device; ///< its values are known by `datasheet` and `driver`, the others asked for
    std::vector<MeasuredKernel> kernels;
    std::vector<Figure> figures = {};
    std::vector<std::string> hold_out = {}; ///< tasks that are kept for judging: split()
    /// More than 1: so many parts of the tasks, each of which is foretold by a search among the
    /// others; the set itself is made from all.
    std::size_t folds = 1;
    std::size_t kernels_of_task = 40;   ///< at most, drawn by the seed; 0: all
    std::vector<std::string> also = {}; ///< unknowns_of()
    std::vector<std::string> keep = {};
    SearchOptions search = {};
    /// So many machines are judged by the simulator as well (search_by_simulator()).
    std::size_t simulated = 0;
    std::size_t simulated_kernels = 12; ///< of each task, at most
    std::int64_t sample = 5'000;        ///< warp accesses of a simulated time
    /// Machines that are known to agree by the model: what a search would find. nullopt: it is
    /// searched.
    std::optional<MachineSet> set = {};
    std::string state_file = {};           ///< what an interrupted search goes on from; empty: none
    std::vector<std::string> sources = {}; ///< what the set says it was made from
    int threads = 1;                       ///< on which the result does not depend
};

/// Prices thousands of machines by the bottleneck model and keeps those that agree
/// (MachineSearch). Throws bad_input where there is nothing to identify, or by; Interrupted, with
/// the state in its file.
[[nodiscard]] MachineSet identified_machines(const MachinesQuestion& question,
                                             const Progress& progress = {},
                                             const StopToken& stop = {});

/// The files of a question's searches: those of its folds, then that of the set. Empty where none
/// are asked for.
[[nodiscard]] std::vector<std::string> state_files(const MachinesQuestion& question);

/// The profile with the values of the set's best machine. What the kernels tell is `identified`;
/// what they do not is `assumed`, and says so. The sources have the range of 80 % of the machines,
/// and how well they do on what was held out. Throws bad_input where they do not fit the profile.
[[nodiscard]] DeviceProfile identified_device(const MachineSet& set, DeviceProfile profile);

} // namespace texelscope::workbench::machines
