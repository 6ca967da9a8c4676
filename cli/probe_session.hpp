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
    /// The same with that seed.
    [[nodiscard]] ProbeSession seeded(std::uint64_t with) const;
};

/// What the target tells of itself.
[[nodiscard]] TargetInfo target_info(const ProbeSession& session);

/// Runs one probe; what goes wrong, on a real device the time limit as well, becomes its record. Throws Interrupted.
[[nodiscard]] ProbeRecord run_probe(const Probe& probe, const ProbeSession& session, const TargetInfo& info,
                                    const Known& known);

/// Adds what a probe found.
void learn(Known& known, const ProbeRecord& record);

} // namespace texelscope::cli
