#pragma once

#include "base/stop.hpp"
#include "base/units.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/profile/device_profile.hpp"
#include "model/tmmodel/calibration.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// What decides how long a kernel takes on the simulated device. Counts are of the whole launch.
struct KernelFacts {
    // From the timed simulation.
    std::int64_t l1_lookups = 0;
    std::int64_t l1_misses = 0;
    Bytes from_memory{0};
    std::int64_t warps = 0;
    int resident_warps = 1;   ///< warps that a core holds at once
    std::string limited_by;   ///< what keeps a core from holding more warps, with its numbers
    std::string stalled_by;   ///< where most cycles went in which no read was issued, in words
    double stalled_share = 0; ///< its share of all cycles of the issue ports
    // From the description of the machine that model and simulator share, and from the bottleneck
    // model.
    int registers = 0; ///< 32-bit registers of a work-item, spilled ones included
    /// Cycles that the issue ports need for the instructions of all warps.
    double issue_cycles = 0;
    std::string bound_by;   ///< the bottleneck with the largest part of the predicted time
    double bound_share = 0; ///< that part, as a share of the predicted time
};

/// Collects the facts of a configuration; simulates its whole launch for them. Throws bad_input for
/// an illegal schedule, Interrupted when `stop` answers true.
[[nodiscard]] KernelFacts kernel_facts(const Operator& op, const Schedule& schedule,
                                       const DeviceProfile& device, const Calibration& model,
                                       const StopToken& stop = {});

/// The facts in one line: the bottleneck, where the simulator's cycles went, resident warps and
/// what limits them.
[[nodiscard]] std::string facts_text(const KernelFacts& facts);

/// One of the facts as a name and a text for a table.
struct KernelFact {
    std::string name;            ///< "L1 misses"
    std::string text;            ///< "12,288"
    std::optional<double> value; ///< the number; nothing where the fact is a word
};
[[nodiscard]] std::vector<KernelFact> facts_list(const KernelFacts& facts);

/// A count that differs between two kernels.
struct FactDifference {
    std::string name;
    std::string here;
    std::string there;
    double ratio = 1; ///< here over there; infinite where `there` is 0
};
/// The counts that differ by 5 percent or more, sorted by the size of their ratio (either way), the
/// largest first.
[[nodiscard]] std::vector<FactDifference> differences(const KernelFacts& here,
                                                      const KernelFacts& there);
/// The first `most` differences in a line: "L1 misses 12,288 instead of 24,576, registers 64
/// instead of 52".
[[nodiscard]] std::string differences_text(const std::vector<FactDifference>& differences,
                                           std::size_t most = 3);

} // namespace texelscope::workbench::study
