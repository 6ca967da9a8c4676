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

/// What decides how long a kernel takes on a simulated device. Counts are of the whole launch.
struct KernelFacts {
    // By the timed simulation.
    std::int64_t l1_lookups = 0;
    std::int64_t l1_misses = 0;
    Bytes from_memory{0};
    std::int64_t warps = 0;
    int resident_warps = 1;   ///< of a core
    std::string limited_by;   ///< what keeps more from being there, with its numbers
    std::string stalled_by;   ///< where most cycles went in which no read was issued, in words
    double stalled_share = 0; ///< of all cycles of the issue ports
    // By the machine that model and simulator share.
    int registers = 0;       ///< of a work-item
    double issue_cycles = 0; ///< of the issue ports, for the instructions of all warps
    std::string bound_by;    ///< the bottleneck that decides most of the time, in words
    double bound_share = 0;  ///< of the time
};

/// Simulates the whole launch once more. Throws bad_input for an illegal schedule, Interrupted when
/// `stop` answers true.
[[nodiscard]] KernelFacts kernel_facts(const Operator& op, const Schedule& schedule,
                                       const DeviceProfile& device, const Calibration& model,
                                       const StopToken& stop = {});

/// In a line: the bottleneck, where the simulator's cycles went, warps and their limit.
[[nodiscard]] std::string facts_text(const KernelFacts& facts);

/// One of the facts, as a reader wants it.
struct KernelFact {
    std::string name;            ///< "L1 misses"
    std::string text;            ///< "12,288"
    std::optional<double> value; ///< nothing for what is no count
};
[[nodiscard]] std::vector<KernelFact> facts_list(const KernelFacts& facts);

/// Something that two kernels have in different amounts.
struct FactDifference {
    std::string name;
    std::string here;
    std::string there;
    double ratio = 1; ///< here over there; infinite where there is none there
};
/// What differs by a twentieth or more, the largest ratio (either way) first.
[[nodiscard]] std::vector<FactDifference> differences(const KernelFacts& here,
                                                      const KernelFacts& there);
/// In a line, the `most` first: "L1 misses 12,288 for 24,576, registers 64 for 52".
[[nodiscard]] std::string differences_text(const std::vector<FactDifference>& differences,
                                           std::size_t most = 3);

} // namespace texelscope::workbench::study
