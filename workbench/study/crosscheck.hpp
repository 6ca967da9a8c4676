#pragma once

#include "base/progress.hpp"
#include "base/stop.hpp"
#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/judge.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study_request.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace texelscope::workbench::study {

/// One configuration as the three judges see it.
struct CrosscheckRow {
    Schedule schedule;
    Nanoseconds predicted{0};
    Nanoseconds simulated{0};
    /// Median of the samples; nothing where the kernel could not run.
    std::optional<Nanoseconds> measured;
    bool checked = false; ///< the output agreed with the reference
    /// Why there is no right output: it did not run, or the output is wrong.
    std::string reason;
    /// Whether `measured` was taken with the host's clock, because the device's own clock cannot be
    /// read.
    bool wall_clock = false;
    Precision arithmetic = Precision::fp32; ///< precision in which the device computed

    /// Nothing where the device did not run it. A wrong output has a time as well.
    [[nodiscard]] std::optional<Nanoseconds> time(Judge judge) const;
    /// The same where the output was right.
    [[nodiscard]] std::optional<Nanoseconds> right_time(Judge judge) const;
};

/// Rows in the order of a judge's right times, those without one left out. What the model or the
/// simulator cannot tell apart is in the order of the other of the two, then of the rows.
[[nodiscard]] std::vector<std::size_t> order_by(std::span<const CrosscheckRow> rows, Judge judge);

/// How well the order of one judge agrees with that of another judge, which counts as the truth.
struct JudgePair {
    Judge judge, truth;
    /// Kendall's tau-b over the rows that both have; nothing for fewer than two such rows.
    std::optional<double> kendall = {};
    /// What it costs to trust the judge, over the rows that both have: the truth's time of the
    /// judge's first choice among them, divided by the truth's least, minus 1. If the judge gives
    /// several configurations the same least time, its choice is the first row where the simulator
    /// is the truth, and the first by order_by() where the device is.
    std::optional<double> regret = {};

    /// The names of both with `between` in the middle: "model against device".
    [[nodiscard]] std::string name(const std::string& between) const
    {
        return to_string(judge) + between + to_string(truth);
    }
};

/// What a cross-check found: the three judges' times of the same configurations, and how well their
/// orders agree.
///
/// What goes in: an operator, a device profile (for model and simulator), a calibration of the
/// model, CrosscheckOptions, and either an OpenCL device that runs the kernels, or runs that were
/// made before (KnownRuns), or neither. What comes out: this value.
///
/// Order of calls: crosscheck() ranks the space by the model, draws the rows (crosscheck_sample()),
/// judges one row after the other, and fills in `pairs`; crosscheck_known() draws the rows from
/// known runs. judge_choices() then tells what each judge would take, and why.
///
/// What always holds: every row has a predicted and a simulated time; a measured time is there only
/// where the device ran the kernel; all judges look at the same loop nest of a row.
struct CrosscheckResult {
    std::vector<CrosscheckRow> rows;
    std::array<JudgePair, 3> pairs{{{Judge::model, Judge::simulator},
                                    {Judge::model, Judge::device},
                                    {Judge::simulator, Judge::device}}};
    std::int64_t space = 0; ///< size of the space that the rows were drawn from
    std::size_t wanted = 0; ///< how many rows, from the first on, are of CrosscheckOptions::first
    VariantChoice variant;  ///< of the model
    std::string profile;    ///< its name
    std::string device;     ///< that ran; empty: none
    /// Whether the profile describes the device that ran; nothing: it does not say, or nothing ran.
    std::optional<bool> like_with_like;
    bool interrupted = false; ///< stopped early: only the rows that were done are here
};

struct CrosscheckOptions {
    std::size_t samples = 24; ///< how many configurations are judged, all different
    /// Configurations that are judged in any case, before the others; they need not belong to the
    /// space.
    std::vector<Schedule> first;
    std::uint64_t seed = 1;
    std::optional<ModelVariant> variant = {}; ///< nothing: default_variant()
    /// Whether the caller gave a calibration, rather than the one of the simulated device.
    bool calibrated = false;
    RunOptions run;

    /// The variant of the model that is the judge.
    [[nodiscard]] VariantChoice model_variant() const
    {
        return variant ? VariantChoice{*variant, {}} : default_variant(calibrated);
    }
    /// How many rows of the sample should be the model's best kernels when every part of a schedule
    /// that the model can price is searched, as a search would find them. The caller puts them into
    /// `first`.
    [[nodiscard]] std::size_t over_all_parts() const { return samples / 6; }
};

/// The configurations to judge, in this order:
/// 1. those of options.first, each once;
/// 2. until half of the sample is full (rounded down), the best of `ranking`, but only the best
///    work-group of each kernel, so that rows differ in more than the work-group;
/// 3. the rest, drawn at random from the whole space without repetition.
[[nodiscard]] std::vector<Schedule> crosscheck_sample(const ConfigurationSpace& space,
                                                      const Ranking& ranking,
                                                      const CrosscheckOptions& options);

/// Runs that were made before, on one device.
struct KnownRuns {
    std::string device;                 ///< name of the device
    std::optional<bool> like_with_like; ///< see CrosscheckResult::like_with_like
    std::vector<CrosscheckRow> rows;    ///< without predicted and simulated times
};
/// Cross-checks runs that were made before: model and simulator judge a sample of them. The sample
/// has options.samples of the known rows, drawn with options.seed; options.first is not looked at.
/// Throws bad_input where fewer than two runs are known.
[[nodiscard]] CrosscheckResult crosscheck_known(const Operator& op, const DeviceProfile& profile,
                                                const Calibration& model, const KnownRuns& known,
                                                const CrosscheckOptions& options,
                                                const Progress& progress = {},
                                                const StopToken& stop = {});

/// Cross-checks a sample of the configuration space (crosscheck_sample()) by model and timed
/// simulator and, where `device` is not null, by running the kernels and checking their outputs.
/// When `stop` answers true, the rows that are done are kept and `interrupted` is set. While the
/// space is still being ranked there are none to keep: then it throws Interrupted.
[[nodiscard]] CrosscheckResult crosscheck(const Operator& op, const DeviceProfile& profile,
                                          const Calibration& model, const OpenClDevice* device,
                                          const CrosscheckOptions& options,
                                          const Progress& progress = {},
                                          const StopToken& stop = {});

/// Where the rows come from: "24 configurations: 5 given or first over all parts, 19 of a space of
/// 1,234".
[[nodiscard]] std::string rows_text(const CrosscheckResult& result);

/// A warning in one line where the profile describes another device than the one that ran, or where
/// that is not known: agreement with the device then says nothing about the profile. Nothing where
/// the two are the same device, or none ran.
[[nodiscard]] std::optional<std::string> unlike_note(const CrosscheckResult& result);

} // namespace texelscope::workbench::study
