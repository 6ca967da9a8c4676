#pragma once

#include "cli/command.hpp"
#include "cli/tune_model.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/tuning/searched_space.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::cli {

/// Options of `tune` for strategies that ask a judge.
struct SearchArguments {
    std::optional<std::int64_t> budget; ///< runs; nothing: the strategy's own
    std::optional<double> seconds;      ///< wall clock
    std::int64_t sample = 20'000;       ///< warp accesses of a simulation; 0: all
    std::string on;                     ///< OpenCL device that judges; empty: the simulator
    std::string store;                  ///< file; empty: none
    RunOptions run;

    void add_to(CLI::App& parser);
};

/// Runs `tune` with a strategy that asks a judge: searches the configurations that fulfil the
/// conditions, and prints the `top` best trials (0: all) by time. Where the strategy followed the
/// model's order, the model's predictions are printed beside. Returns the exit code. When
/// interrupted, prints the trials that are done and throws Interrupted. Throws bad_input where the
/// time is over before the first trial.
int search_and_print(const Strategy& strategy, const Operator& op, const DeviceProfile& device,
                     const std::string& parts, const std::vector<Constraint>& where,
                     const ModelArguments& model, const SearchArguments& arguments, std::size_t top,
                     const GlobalOptions& global);

} // namespace texelscope::cli
