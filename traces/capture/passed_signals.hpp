#pragma once

#include "base/layers.hpp"

#include <signal.h>
#include <sys/types.h>

namespace texelscope::traces {

/// While it is there, this thread does not end by SIGINT, SIGTERM and SIGHUP (those
/// that are ignored stay so). It is for a thread that waits for a child.
class PassedSignals {
public:
    PassedSignals();
    ~PassedSignals();
    PassedSignals(const PassedSignals&) = delete;
    PassedSignals& operator=(const PassedSignals&) = delete;

    /// What was blocked before, for the child.
    [[nodiscard]] const sigset_t& before() const { return before_; }
    /// Waits for the child's end. What another process asks of this one alone is passed on to the child; what comes from the
    /// terminal has reached it already.
    struct End {
        int status = 0;           ///< of waitpid()
        bool interrupted = false; ///< one of the signals came
        int error = 0;            ///< errno where there is no such child
    };
    [[nodiscard]] End wait(pid_t child) const;

private:
    sigset_t caught_{};
    sigset_t before_{};
};

} // namespace texelscope::traces
