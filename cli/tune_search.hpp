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

/// What `tune` is asked, with texts of the command line made values. rank_and_print() or
/// search_and_print() answers it, by who judges.
struct TuneQuestion {
    Strategy strategy;
    Operator op;
    DeviceProfile device;
    std::string parts; ///< keys; empty: the strategy's own
    std::vector<Constraint> where;
    ModelArguments model;
    SearchArguments search;
    std::size_t top = 10; ///< that are printed; 0: all
};

/// Where a judge answers: searches what fulfils the conditions, prints the trials by time, beside
/// what the model predicted where its order was followed, and returns the exit code. Interrupted,
/// it prints the trials that are done, then throws Interrupted. Throws bad_input where the time is
/// over before the first trial.
int search_and_print(const TuneQuestion& question, const GlobalOptions& global);

} // namespace texelscope::cli
