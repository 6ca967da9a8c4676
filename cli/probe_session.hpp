#pragma once

#include "cli/target_arguments.hpp"
#include "experiments/probes/probe_record.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>

namespace texelscope::cli {

/// A target and how probes run on it.
struct ProbeSession {
    TargetArguments target;
    double time_limit = 120; ///< seconds of a probe on a real device
    std::uint64_t seed = 1;
    ProbeOptions options;

    /// Those of the target, `--time-limit`, `--largest-image`, `--largest-chase`.
    void add_to(CLI::App& parser);
    /// The same with the seed and the interrupts of the program.
    [[nodiscard]] ProbeSession seeded(std::uint64_t with) const;
};

/// What the target tells of itself. A real device is opened in a process of its own, as a driver does not survive a fork.
[[nodiscard]] TargetInfo target_info(const ProbeSession& session);

/// Runs one probe, on a real device in a process of its own; what goes wrong becomes its record.
[[nodiscard]] ProbeRecord run_probe(const Probe& probe, const ProbeSession& session, const TargetInfo& info,
                                    const Known& known);

/// Adds what a probe found.
void learn(Known& known, const ProbeRecord& record);

} // namespace texelscope::cli
