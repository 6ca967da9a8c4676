#pragma once

#include "devices/targets/target.hpp"
#include "experiments/shared/experiment_result.hpp"
#include "model/curves/register_pool.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace texelscope::experiments {

// Romou, section 3.1 with listing 1 and figure 5: one work-group of 1 to 1024 work-items, with more
// and more registers in each. Where time jumps, the registers of the core do not suffice for all
// work-items at once.

struct RegisterSweepOptions {
    /// The paper's from 384 on; rounded up to warps.
    std::vector<std::int64_t> items{64, 384, 512, 768, 1024};
    int most_registers = 256; ///< 32-bit, of a work-item
};

struct RegisterSweep {
    struct Series {
        std::int64_t items = 1;
        std::vector<Nanoseconds> times; ///< by registers, from 1 on
    };
    int warp_size = 1;
    std::vector<Series> series; ///< by work-items, ascending
};

/// Leaves out numbers of work-items that the target does not take. Of a real target, each time is
/// the median of a few samples.
[[nodiscard]] RegisterSweep measure_register_sweep(Target& target, int warp_size,
                                                   const RegisterSweepOptions& options = {},
                                                   const Progress& progress = {},
                                                   const StopToken& stop = {});

/// The first registers with which some warps wait for others (some_wait); nothing where that never
/// happens.
[[nodiscard]] std::optional<RegisterJump> register_jump(const RegisterSweep::Series& series,
                                                        int warp_size);

/// What the paper says of figure 5, decided by the data.
[[nodiscard]] std::vector<Finding> romou_registers_findings(const RegisterSweep& data);

/// Its conditions say what was run, and on which devices.
MeasuredExperiment run_romou_registers;

} // namespace texelscope::experiments
