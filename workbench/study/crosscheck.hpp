#pragma once

#include "codegen/operators/operator.hpp"
#include "devices/kernels/opencl_device.hpp"
#include "devices/profile/device_profile.hpp"
#include "workbench/study/checked_run.hpp"
#include "workbench/study/default_variant.hpp"
#include "workbench/study/judge.hpp"
#include "workbench/study/prediction.hpp"
#include "workbench/study/study.hpp"

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
    std::optional<Nanoseconds> measured; ///< median; nothing where the run was not possible
    bool checked = false;                ///< the output agreed with the reference
    std::string reason;                  ///< why not
    /// `measured` is the host's time, as the device's cannot be.
    bool wall_clock = false;
    Precision arithmetic = Precision::fp32; ///< that the device ran it in

    /// Nothing where the device did not run it. A wrong output has a time as well.
    [[nodiscard]] std::optional<Nanoseconds> time(Judge judge) const;
    /// The same where the output was right.
    [[nodiscard]] std::optional<Nanoseconds> right_time(Judge judge) const;
};

/// Rows in the order of a judge's right times, those without one left out. What the model or the
/// simulator cannot tell apart is in the order of the other of the two, then of the rows.
[[nodiscard]] std::vector<std::size_t> order_by(std::span<const CrosscheckRow> rows, Judge judge);

/// How far one judge agrees with another, which is taken for the truth.
struct JudgePair {
    Judge judge, truth;
    /// Kendall's tau-b over the rows that both have; nothing for fewer than two such rows.
    std::optional<double> kendall = {};
    /// Time, by the truth, of the judge's first choice over that of the best, minus 1. Of
    /// configurations that the judge cannot tell apart, the choice is the first row where the
    /// simulator is the truth, and the first by order_by() where the device is.
    std::optional<double> regret = {};

    /// Their names with something in between: "model against device".
    [[nodiscard]] std::string name(const std::string& between) const
    {
        return to_string(judge) + between + to_string(truth);
    }
};

struct CrosscheckResult {
    std::vector<CrosscheckRow> rows;
    std::array<JudgePair, 3> pairs{{{Judge::model, Judge::simulator},
                                    {Judge::model, Judge::device},
                                    {Judge::simulator, Judge::device}}};
    std::int64_t space = 0; ///< size of the space that the rows were drawn from
    std::size_t wanted = 0; ///< the first rows, which were judged in any case
    VariantChoice variant;  ///< of the model
    std::string profile;    ///< its name
    std::string device;     ///< that ran; empty: none
    /// Whether the profile describes the device that ran; nothing: it does not say, or nothing ran.
    std::optional<bool> like_with_like;
    bool interrupted = false; ///< stopped early: the rows are those that were done
};

struct CrosscheckOptions {
    std::size_t samples = 24; ///< configurations, drawn without repetition
    /// Configurations that are judged in any case; they need not be of the space.
    std::vector<Schedule> first;
    std::uint64_t seed = 1;
    std::optional<ModelVariant> variant = {}; ///< nothing: default_variant()
    /// The model was fitted to measurements that somebody gave.
    bool calibrated = false;
    RunOptions run;

    /// Whose time is the model's.
    [[nodiscard]] VariantChoice model_variant() const
    {
        return variant ? VariantChoice{*variant, {}} : default_variant(calibrated);
    }
    /// Of the sample, how many kernels are to be the model's first over all parts that have a
    /// price: what a search takes.
    [[nodiscard]] std::size_t over_all_parts() const { return samples / 6; }
};

/// What is judged: first the configurations that are wanted in any case. Then, up to half of the
/// sample (rounded down), the first of `ranking` of each kernel choice, so that they differ in more
/// than the group; the other half is drawn from the whole space.
[[nodiscard]] std::vector<Schedule> crosscheck_sample(const ConfigurationSpace& space,
                                                      const Ranking& ranking,
                                                      const CrosscheckOptions& options);

/// Runs that were made before, on one device.
struct KnownRuns {
    std::string device;                 ///< its name
    std::optional<bool> like_with_like; ///< as of CrosscheckResult
    std::vector<CrosscheckRow> rows;    ///< without predicted and simulated times
};
/// Judges a sample of configurations that were run before by model and simulator: as many of the
/// known rows as options.samples says, drawn with its seed; options.first is not looked at. Throws
/// bad_input where there are fewer than two.
[[nodiscard]] CrosscheckResult crosscheck_known(const Operator& op, const DeviceProfile& profile,
                                                const Calibration& model, const KnownRuns& known,
                                                const CrosscheckOptions& options,
                                                const Progress& progress = {},
                                                const StopToken& stop = {});

/// Judges a sample of the configuration space by the model, the timed simulator and, where `device`
/// is given, by running and checking the kernels. When `stop` answers true, the rows that are done
/// are kept.
[[nodiscard]] CrosscheckResult crosscheck(const Operator& op, const DeviceProfile& profile,
                                          const Calibration& model, const OpenClDevice* device,
                                          const CrosscheckOptions& options,
                                          const Progress& progress = {},
                                          const StopToken& stop = {});

/// Where the rows come from: "24 configurations: 5 given or first over all parts, 19 of a space of
/// 1,234".
[[nodiscard]] std::string rows_text(const CrosscheckResult& result);

/// Of a cross-check that does not compare like with like, or of which that is not known: what its
/// agreement with the device does not say, in one line; else nothing.
[[nodiscard]] std::optional<std::string> unlike_note(const CrosscheckResult& result);

} // namespace texelscope::workbench::study
