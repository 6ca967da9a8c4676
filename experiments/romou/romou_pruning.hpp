#pragma once

#include "experiments/shared/experiment_device.hpp"
#include "workbench/space/pruning_conditions.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::experiments {

// Romou, section 4.2 with table 1 and section 5.3 with figure 18: how far the criteria shrink the
// space of two kernels.

/// An operator of the experiment and what the paper gives for its space.
struct PruningExample {
    std::string name;
    Operator op;
    std::int64_t paper_before = 0;
    std::int64_t paper_after = 0;
};
/// Figure 18. The paper gives [H,W,Cout,Cin]: H and W are taken as those of the input, with padding
/// "same".
[[nodiscard]] std::vector<PruningExample> romou_examples();

/// The space of one example, pruned in one way.
struct PruningCase {
    std::size_t example = 0;
    Storage storage = Storage::fp16;
    LoadCounting counting = LoadCounting::each_item;
    std::int64_t combinations = 0; ///< before anything is left out
    std::int64_t refused = 0;      ///< that the device cannot run
    SpaceCounts pruned;            ///< by romou_criteria

    [[nodiscard]] double share() const
    {
        return combinations > 0
                   ? static_cast<double>(pruned.kept) / static_cast<double>(combinations)
                   : 0;
    }
};
/// Every example with half and single floats and both ways to count loads.
[[nodiscard]] std::vector<PruningCase> measure_pruning(const std::vector<PruningExample>& examples,
                                                       const DeviceProfile& device,
                                                       const Progress& progress = {},
                                                       const StopToken& stop = {});

/// What the paper says, decided by the data.
[[nodiscard]] std::vector<Finding>
romou_pruning_findings(const std::vector<PruningExample>& examples,
                       const std::vector<PruningCase>& cases);

/// Its conditions say what was run, and on which devices.
DeviceExperiment run_romou_pruning;

} // namespace texelscope::experiments
