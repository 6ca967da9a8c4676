#pragma once

#include "devices/runners/job_runner_options.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace texelscope::cli {

/// `--agent FILE --opencl LIBRARY`, beside `--on`: what opens the devices of that place.
struct PlaceArguments {
    std::string agent;  ///< the agent's program for that machine; empty: looked for
    std::string opencl; ///< the library that it loads there; empty: looked for

    void add_to(CLI::App& parser);
    /// Throws bad_input where one was given and no real device is opened; `why` goes on behind
    /// "does not apply".
    void refuse(const std::string& why) const;
    [[nodiscard]] JobRunnerOptions runner_options() const;
};

} // namespace texelscope::cli
