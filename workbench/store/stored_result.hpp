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

/// What tells one judgement of a configuration from every other. Two judgements with the same key would say the same but
/// for noise.
struct ResultKey {
    std::string kernel;   ///< digest of the kernel's text and launch, see kernel_digest()
    std::string judge;    ///< "device", "simulator", "model" ...
    std::string device;   ///< name of the device, or of the profile
    std::string driver;   ///< its version; empty where there is none
    std::string program;  ///< version of the program that judged
    std::string settings; ///< digest of every setting that matters, see settings_digest()

    bool operator==(const ResultKey&) const = default;
};

/// Digest of what runs: the OpenCL text of a nest, in whose head operator, schedule and launch stand, and its work-groups.
[[nodiscard]] std::string kernel_digest(const LoopNest& nest, TexelBackend backend);
/// Digest of settings, e.g. the lines KEY=VALUE of a simulated profile, in an order that the caller keeps to.
[[nodiscard]] std::string settings_digest(std::string_view settings);

/// What became of a configuration.
enum class ResultStatus {
    ok,           ///< it has a time, and where there is an output it agrees with the reference
    unsupported,  ///< a limit of the device does not allow it
    build_failed, ///< the kernel's text did not build
    failed,       ///< the launch ended in an error
    timed_out,    ///< a launch took too long
    wrong_output, ///< it ran, and its output differs from the reference
};
/// ok, unsupported, build-failed, failed, timed-out, wrong-output.
[[nodiscard]] std::string to_string(ResultStatus status);
/// Throws bad_input for an unknown name.
[[nodiscard]] ResultStatus parse_result_status(const std::string& text);

/// What became of a run. A failure is one of the build where its reason says so; `output_passed`: where the run is ok.
[[nodiscard]] ResultStatus result_status(Measurement::Status status, const std::string& reason, bool output_passed);

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
    std::string op;      ///< as on the command line: matmul
    std::string shape;   ///< as on the command line: 64,64,64
    std::string padding; ///< as on the command line; empty where the operator has none
    std::string config;  ///< a schedule's text
    ResultStatus status = ResultStatus::ok;
    std::string reason;             ///< one line; empty where ok
    std::vector<double> samples_ns; ///< every time of the kernel, in order; one alone for a judge that computes it
    bool wall_clock = false;        ///< they are the host's, as the device's cannot be
    OutputCheck check;              ///< `passed` is not kept: it is what status says
    ResultTimes times;
    std::string timestamp; ///< ISO 8601 in UTC, 2026-11-22T07:41:24Z; empty where it is not known
    std::optional<std::uint64_t> seed;

    /// The mean of the middle two for an even number; 0 where there is no sample, NaN where one is.
    [[nodiscard]] double median_ns() const;
};

/// The row of a configuration before it is judged.
[[nodiscard]] StoredResult row_of(ResultKey key, const Operator& op, const Schedule& schedule);

/// A run on a device as a row, without times, timestamp and seed.
[[nodiscard]] StoredResult stored_result(ResultKey key, const Operator& op, const Schedule& schedule,
                                         const CheckedRun& run);

/// The present time in UTC, to the second: 2026-11-22T07:41:24Z.
[[nodiscard]] std::string utc_timestamp();

/// What a file calls a status.
struct StatusName {
    ResultStatus status;
    const char* name;
};

/// The name in a list that has all of them.
[[nodiscard]] std::string name_of(std::span<const StatusName> names, ResultStatus status);
/// Nothing for a name that is not in the list.
[[nodiscard]] std::optional<ResultStatus> status_named(std::span<const StatusName> names, const std::string& name);

} // namespace texelscope::workbench::store
