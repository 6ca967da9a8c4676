#pragma once

#include "devices/profile/device_profile.hpp"
#include "workbench/probes/probe.hpp"

#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// The profile `base` with what probes have found (`measured`), and what the device answers when it
/// is asked (`datasheet`: cores, clock, limits), in place of its values. Other keys keep those of
/// the base.
///
/// Without a layout in the base, the layout is made from the shape of a line and, where it is
/// fetched in parts, of a sector: sectors of the found sides in rows, lines of these in rows, all
/// in rows (`inferred`: the order within a line is not seen by a probe). A cache without ways among
/// the findings is fully associative.
///
/// Latencies in cycles are those at the device's highest clock. Throws bad_input where values do
/// not fit together.
[[nodiscard]] DeviceProfile measured_profile(DeviceProfile base, const TargetInfo& info,
                                             const std::vector<ProbeFinding>& findings,
                                             const std::string& source);

} // namespace texelscope::workbench::probes
