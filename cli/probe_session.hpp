#pragma once

#include "cli/target_arguments.hpp"
#include "workbench/probes/probe_run.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>

namespace texelscope::cli {

/// A target and how probes run on it: what `probe` and `calibrate` have in common. run() makes the
/// ProbeRun that run_probe() takes.
struct ProbeSession {
    TargetArguments target;
    double time_limit = 120; ///< seconds of a probe on a real device
    std::uint64_t seed = 1;
    ProbeOptions options;

    /// Adds the options of the target, `--time-limit`, `--largest-image` and `--largest-chase`.
    void add_to(CLI::App& parser);
    /// This session with that seed.
    [[nodiscard]] ProbeSession seeded(std::uint64_t with) const;
    /// How probes run in this session: on a real device within the time limit, and until the
    /// program is interrupted.
    [[nodiscard]] ProbeRun run() const;
};

/// What the target tells of itself.
[[nodiscard]] TargetInfo target_info(const ProbeSession& session);

} // namespace texelscope::cli
