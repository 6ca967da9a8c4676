#pragma once

#include "base/layers.hpp"
#include "base/progress.hpp"
#include "base/stop.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace texelscope::python {
namespace nb = nanobind;

/// One call that may take long: it runs without the interpreter's lock, tells how far it is, and stops on Ctrl-C, or on whatever
/// else a signal handler of Python raises.
class LongCall {
public:
    /// `progress`: a callable (stage, fraction); None: a bar on standard error, once half a second has passed; False: nobody
    /// wants to know.
    explicit LongCall(nb::object progress = nb::bool_(false));
    ~LongCall();
    LongCall(const LongCall&) = delete;
    LongCall& operator=(const LongCall&) = delete;

    [[nodiscard]] Progress progress();
    [[nodiscard]] StopToken stop();

    /// What `work` returns. Throws what Python's code has raised meanwhile, whatever became of the work.
    template <class Work>
    auto run(Work&& work)
    {
        try {
            auto result = [&] {
                nb::gil_scoped_release unlocked;
                return std::forward<Work>(work)();
            }();
            rethrow();
            return result;
        } catch (const Interrupted&) {
            rethrow();
            throw;
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    /// Runs Python's code; keeps what that raises, and has the work end.
    template <class Code>
    void ask(Code&& code);
    void tell(const std::string& stage, double fraction);
    void rethrow();

    nb::object progress_;
    bool wants_bar_;
    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point began_ = Clock::now();
    Clock::time_point next_question_ = began_ + std::chrono::milliseconds(50);
    Clock::time_point next_progress_ = began_;
    std::atomic<bool> ended_ = false;
    std::exception_ptr raised_;
};

} // namespace texelscope::python
