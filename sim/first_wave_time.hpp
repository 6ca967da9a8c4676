#pragma once

#include "base/stop.hpp"
#include "base/units.hpp"
#include "sim/options/options.hpp"

namespace texelscope::traces {
struct Launch;
} // namespace texelscope::traces

namespace texelscope::sim {

/// A rough time of a launch, for whoever compares many: of the first wave of work-groups of one
/// core in the timed mode (of all cores, where the next core that is free takes the next group).
/// Up to two waves are simulated whole; of up to four the first and as many groups as the last has.
/// Further groups take as long as these. It takes a small part of the time of sampled_time(), and
/// is wrong by a fifth as a rule, by a half at times: what cores bring each other into L2 is
/// missing. Throws what simulate() throws.
[[nodiscard]] Nanoseconds first_wave_time(const Launch& launch, SimulationOptions options,
                                          const StopToken& stop = {});

} // namespace texelscope::sim
