#pragma once

#include "cli/probe_record.hpp"
#include "devices/device_profile.hpp"

#include <cstdint>
#include <string>

namespace texelscope::cli {

/// A target and how probes run on it.
struct ProbeSession {
    std::string on =
        "sim:adreno-740";    ///< "sim:NAME": the simulator with a profile; else an OpenCL device of this machine
    double noise = 0;        ///< of a simulated device's times
    double time_limit = 120; ///< seconds of a probe on a real device
    std::uint64_t seed = 1;
    ProbeOptions options;

    /// `--on`, `--noise`, `--time-limit`, `--largest-image`.
    void add_to(CLI::App& parser);
    [[nodiscard]] bool simulated() const;
    /// Throws bad_input where `on` is on another machine.
    void check() const;
};

/// The profile that a simulated target has.
[[nodiscard]] DeviceProfile simulated_profile(const std::string& on);

/// What the target tells of itself. A real device is opened in a process of its own, as a driver does not survive a fork.
[[nodiscard]] TargetInfo target_info(const ProbeSession& session);

/// Runs one probe, on a real device in a process of its own; what goes wrong becomes its record.
[[nodiscard]] ProbeRecord run_probe(const Probe& probe, const ProbeSession& session, const TargetInfo& info,
                                    const Known& known);

/// Adds what a probe found.
void learn(Known& known, const ProbeRecord& record);

} // namespace texelscope::cli
