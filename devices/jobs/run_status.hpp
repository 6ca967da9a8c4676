#pragma once

// C++17, as everything that texelscope-agent is built from.

#include <optional>
#include <string>

namespace texelscope::devices {

/// How a run of a job on a device ended. Failures are values, not exceptions.
enum class RunStatus {
    ok,           ///< it ran; where its output is compared, it agrees with the reference
    unsupported,  ///< a limit of the device does not allow the launch
    build_failed, ///< the kernel's text does not build
    failed,       ///< the launch ended in an error
    timed_out,    ///< a launch took longer than it may
    crashed,      ///< the process that ran it died: the driver, or the whole machine
    wrong_output, ///< it ran, and its output differs from the reference
};

/// "ok", "unsupported", "build-failed", "failed", "timed-out", "crashed", "wrong-output".
[[nodiscard]] std::string to_string(RunStatus status);
/// The inverse of to_string(); nothing for any other word.
[[nodiscard]] std::optional<RunStatus> run_status_named(const std::string& word);

/// The word for a status in messages and in the output of `run`. It is to_string(), except that
/// build_failed is "failed", too: there the reason says that the build failed.
[[nodiscard]] std::string run_word(RunStatus status);

/// What a user can do about a run that ended with this status, which is not ok.
[[nodiscard]] std::string remedy(RunStatus status);

} // namespace texelscope::devices
