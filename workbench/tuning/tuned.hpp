#pragma once

#include "devices/kernels/nest_job.hpp"
#include "devices/runners/job_runner_options.hpp"
#include "workbench/tuning/operator_timer.hpp"
#include "workbench/tuning/ordering_model.hpp"
#include "workbench/tuning/ranked_rows.hpp"
#include "workbench/tuning/searched_space.hpp"
#include "workbench/tuning/settled_leaders.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace texelscope::workbench::tuning {

/// What `tune` is asked, by the command line and by Python.
struct TuneQuestion {
    Strategy strategy;
    Operator op;
    DeviceProfile device;
    std::string parts = {}; ///< keys; empty: the strategy's own
    std::vector<Constraint> where = {};
    ModelQuestion model = {}; ///< of strategies that ask the model
    std::size_t top = 10;     ///< configurations that are listed; 0: all
    std::uint64_t seed = 1;
    // Of strategies that ask a judge.
    std::optional<std::int64_t> budget = {}; ///< runs; nothing: the strategy's own
    std::optional<double> seconds = {};      ///< wall clock
    std::int64_t sample = 20'000;            ///< warp accesses of a simulation; 0: all
    std::string on = {};                     ///< OpenCL device that judges; empty: the simulator
    JobRunnerOptions how = {};               ///< how it is opened and jobs run there
    std::string store = {};                  ///< file; empty: none
    RunOptions run = {};
};

/// What a search found, best first: a value that command line and Python render.
struct Tuned {
    TuneQuestion question;
    std::string parts; ///< keys of the parts that were searched; empty: the strategy's own space
    SpaceCounts space; ///< the space, and what the conditions leave of it
    std::optional<OrderingModel> model; ///< where it was asked
    Judge judge = Judge::model;         ///< whose times they are
    std::string judged_on;  ///< the profile, or the device with its driver; empty: the model's
    std::string judge_name; ///< "the model", "the simulator", or the device's
    std::int64_t evaluated = 0;
    std::int64_t rough = 0;      ///< of those evaluated, what a quick judge alone was asked about
    std::int64_t not_priced = 0; ///< what the model looked at and refuses
    std::string refusal;         ///< why, of one of them
    std::int64_t failed = 0;     ///< of those evaluated, what cannot run
    std::int64_t ruled_out = 0;  ///< by the strategy's rules
    JudgeCounts answers;
    /// Probability that a configuration that was not evaluated is 1 % faster, where the strategy
    /// tells it.
    std::optional<double> chance_left = {};
    /// Of a device: what repeats of the fastest say; their times are those of the repeats.
    std::optional<SettledLeaders> leaders = {};
    bool by_model = false;    ///< configurations that are alike are in the model's order
    bool interrupted = false; ///< the rows are of what was done until then
    double seconds = 0;       ///< wall clock
    std::vector<RankedRow> rows;

    /// Configurations that were left out before they were looked at.
    [[nodiscard]] std::int64_t pruned() const { return model ? model->excluded() : ruled_out; }
};

/// Told what is known so far, first in the model's order, then by the judge; from the thread that
/// called.
using TunedSoFar = std::function<void(const Tuned&)>;

/// Searches what fulfils the conditions: by the model alone, or asking a judge. `program`: the
/// version, of stored results. Throws Interrupted before there are results, and bad_input where
/// nothing is left to search.
[[nodiscard]] Tuned tune(TuneQuestion question, const std::string& program,
                         const Progress& progress = {}, const StopToken& stop = {},
                         const TunedSoFar& so_far = {});

} // namespace texelscope::workbench::tuning
