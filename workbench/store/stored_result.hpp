#pragma once

#include "codegen/operators/operator.hpp"
#include "codegen/text/kernel_source.hpp"
#include "workbench/study/checked_run.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace texelscope::workbench::store {

/// Identifies one judgement of a configuration: two judgements with the same key would give the
/// same result but for noise.
struct ResultKey {
    std::string kernel;   ///< digest of the kernel's text and launch, see kernel_digest()
    std::string judge;    ///< "device", "simulator", "model" ...
    std::string device;   ///< name of the device, or of the profile
    std::string driver;   ///< its version; empty where there is none
    std::string program;  ///< version of the program that judged
    std::string settings; ///< digest of every setting that matters, see settings_digest()

    bool operator==(const ResultKey&) const = default;
};

/// Digest of the kernel that runs: its OpenCL text, whose header names operator, schedule and
/// launch, and its work-groups.
[[nodiscard]] std::string kernel_digest(const LoopNest& nest, TexelBackend backend);
/// Digest of settings, e.g. the lines KEY=VALUE of a simulated profile, in an order that the caller
/// keeps to.
[[nodiscard]] std::string settings_digest(std::string_view settings);

/// The status of that name, as rows, tables and files of results write it. Throws bad_input for
/// another word.
[[nodiscard]] RunStatus parse_result_status(const std::string& text);

/// How long the parts of a judgement took, in ns of wall time; 0 where it is not known.
struct ResultTimes {
    double compile = 0;
    double benchmark = 0;    ///< warm-up and samples
    double verification = 0; ///< comparing the output
    double strategy = 0;     ///< choosing the configuration
    double framework = 0;    ///< everything else
    double total = 0;

    bool operator==(const ResultTimes&) const = default;
};

/// One judged configuration.
struct StoredResult {
    ResultKey key;
    std::string op;                   ///< as on the command line: matmul
    std::string shape;                ///< as on the command line: 64,64,64
    std::string padding;              ///< as on the command line; empty where the operator has none
    std::string config;               ///< a schedule's text
    RunStatus status = RunStatus::ok; ///< never `crashed`, which is stored as `failed`
    std::string reason;               ///< one line; empty where ok
    /// Every measured time of the kernel, in order; a judge that computes the time has one alone.
    std::vector<double> samples_ns;
    /// The times are the host's, because the device's own clock cannot be read.
    bool wall_clock = false;
    ReferenceTimes reference; ///< what tells the device's clock around the samples
    OutputCheck check;        ///< `passed` is not stored, since `status` says it
    ResultTimes times;
    std::string timestamp; ///< ISO 8601 in UTC, 2026-11-22T07:41:24Z; empty where it is not known
    std::optional<std::uint64_t> seed;

    /// The median of the samples; of an even number, the mean of the middle two. 0 where there is
    /// no sample, NaN where one is NaN.
    [[nodiscard]] double median_ns() const;
};

/// The row of a configuration before it is judged.
[[nodiscard]] StoredResult row_of(ResultKey key, const Operator& op, const Schedule& schedule);

/// A run on a device as a row, without times, timestamp and seed.
[[nodiscard]] StoredResult stored_result(ResultKey key, const Operator& op,
                                         const Schedule& schedule, const CheckedRun& run);

/// The present time in UTC, to the second: 2026-11-22T07:41:24Z.
[[nodiscard]] std::string utc_timestamp();

} // namespace texelscope::workbench::store
