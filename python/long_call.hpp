#pragma once

#include "base/layers.hpp"
#include "base/progress.hpp"
#include "base/stop.hpp"

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <utility>

namespace texelscope::python {
namespace nb = nanobind;

/// What a caller gives to be told of progress, as help() and type checkers know it.
struct GivenProgress {
    nb::object value = nb::none();
};

/// One call that may take long: it runs without the interpreter's lock, tells how far it is, and
/// stops on Ctrl-C, or on whatever else a signal handler of Python raises.
///
/// Use: make one on the stack of the function that Python calls, and give progress() and stop() to
/// the library inside run(). Python's code is run only from the calling thread, and only while the
/// lock is taken for it. What it raises is kept (`raised_`), ends the work by the stop token, and
/// is thrown again by run().
class LongCall {
public:
    /// Nobody wants to know how far it is.
    LongCall() = default;
    /// `progress`: a callable (stage, fraction), which is told fractions that rise and 1 at the
    /// end; None or True: a bar on standard error, once half a second has passed; False: nobody
    /// wants to know. Throws TypeError for anything else.
    explicit LongCall(const GivenProgress& progress);
    ~LongCall();
    LongCall(const LongCall&) = delete;
    LongCall& operator=(const LongCall&) = delete;

    [[nodiscard]] Progress progress();
    [[nodiscard]] StopToken stop();

    /// What `work` returns. Throws what Python's code has raised meanwhile, whatever became of the
    /// work.
    template <class Work>
    auto run(Work&& work)
    {
        try {
            auto result = [&] {
                nb::gil_scoped_release unlocked;
                return std::forward<Work>(work)();
            }();
            if (callable_) {
                tell("done", 1);
            }
            rethrow();
            return result;
        } catch (...) {
            rethrow(); // Interrupted, or an error that followed from it
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

    nb::object callable_; ///< the caller's
    nb::object bar_;      ///< ours
    bool wants_bar_ = false;
    /// The largest fraction that was told: progress never goes back.
    double told_ = 0;
    /// The thread that called. Work on other threads neither asks nor tells.
    std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point began_ = Clock::now();
    /// When Python is asked next whether a signal came, and when progress is told next. Both take
    /// the interpreter's lock, so they are rare: every 50 ms and 100 ms.
    Clock::time_point next_question_ = began_ + std::chrono::milliseconds(50);
    Clock::time_point next_progress_ = began_;
    std::atomic<bool> ended_ = false;
    std::exception_ptr raised_;
};

} // namespace texelscope::python

namespace nanobind::detail {
template <>
struct type_caster<texelscope::python::GivenProgress> {
    NB_TYPE_CASTER(texelscope::python::GivenProgress,
                   const_name("collections.abc.Callable[[str, float], object] | bool | None"))
    bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept
    {
        value.value = borrow(source);
        return true;
    }
    static handle from_cpp(const texelscope::python::GivenProgress& given, rv_policy,
                           cleanup_list*) noexcept
    {
        return given.value.inc_ref();
    }
};
} // namespace nanobind::detail
