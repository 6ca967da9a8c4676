#include "traces/capture/passed_signals.hpp"

#include <sys/wait.h>

#include <cerrno>
#include <initializer_list>

namespace texelscope::traces {

PassedSignals::PassedSignals()
{
    sigemptyset(&caught_);
    sigaddset(&caught_, SIGCHLD);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) { // as under nohup
            sigaddset(&caught_, signal);
        }
    }
    pthread_sigmask(SIG_BLOCK, &caught_, &before_);
}

PassedSignals::~PassedSignals()
{
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

PassedSignals::End PassedSignals::wait(pid_t child) const
{
    End end;
    while (true) {
        const pid_t done = ::waitpid(child, &end.status, WNOHANG);
        if (done == child) {
            return end;
        }
        if (done < 0 && errno != EINTR) {
            end.error = errno;
            return end;
        }
        // The child's end is a signal, too. Should it be lost, as where the caller ignores SIGCHLD, the next round sees it.
        siginfo_t info{};
        const timespec a_while{1, 0};
        const int signal = sigtimedwait(&caught_, &info, &a_while);
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
            end.interrupted = true;
            if (info.si_code <= 0) { // from a process, not from the kernel's terminal
                ::kill(child, signal);
            }
        }
    }
}

} // namespace texelscope::traces
