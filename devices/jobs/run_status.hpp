#pragma once

// C++17, as everything that texelscope-agent is built from.

#include <optional>
#include <string>

namespace texelscope::devices {

/// What became of a kernel, or of several launched as one job, on a device: a value, not an
/// exception.
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
/// Nothing for another word.
[[nodiscard]] std::optional<RunStatus> run_status_named(const std::string& word);

/// The word of a run in messages and in what `run` prints, where the reason says whether it was the
/// build that failed: to_string() but for "failed" in its place.
[[nodiscard]] std::string run_word(RunStatus status);

/// What to do about a run that ended so, other than ok.
[[nodiscard]] std::string remedy(RunStatus status);

} // namespace texelscope::devices
