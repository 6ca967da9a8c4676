#include "python/long_call.hpp"

#include <algorithm>

namespace texelscope::python {

LongCall::LongCall(const GivenProgress& progress)
{
    const nb::object& given = progress.value;
    const bool is_bool = nb::isinstance<nb::bool_>(given);
    wants_bar_ = given.is_none() || (is_bool && nb::cast<bool>(given));
    if (wants_bar_ || is_bool) {
        return;
    }
    if (PyCallable_Check(given.ptr()) == 0) {
        throw nb::type_error(
            "progress is a callable (stage, fraction), None or True for a bar, or False for none");
    }
    callable_ = given;
}

LongCall::~LongCall()
{
    // A destructor must not throw: an error of the bar is printed and dropped.
    if (bar_ && !bar_.is_none()) {
        try {
            bar_.attr("close")();
        } catch (nb::python_error& error) {
            error.discard_as_unraisable("texelscope: closing a progress bar");
        }
    }
}

template <class Code>
void LongCall::ask(Code&& code)
{
    const nb::gil_scoped_acquire locked;
    try {
        code();
    } catch (...) {
        raised_ = std::current_exception();
        ended_ = true;
    }
}

StopToken LongCall::stop()
{
    return [this] {
        // Only the calling thread asks: Python runs signal handlers in its main thread, which is
        // this one or none.
        if (!ended_ && std::this_thread::get_id() == caller_) {
            if (const auto now = Clock::now(); now >= next_question_) {
                next_question_ = now + std::chrono::milliseconds(50);
                ask([] {
                    // Runs Python's handlers of signals that have come; it fails where one of them
                    // raises.
                    if (PyErr_CheckSignals() != 0) {
                        throw nb::python_error();
                    }
                });
            }
        }
        return ended_.load();
    };
}

Progress LongCall::progress()
{
    if (!callable_ && !wants_bar_) {
        return {};
    }
    return [this](const std::string& stage, double fraction) {
        if (std::this_thread::get_id() == caller_) {
            tell(stage, fraction);
        }
    };
}

void LongCall::tell(const std::string& stage, double fraction)
{
    const auto now = Clock::now();
    if (ended_ || (now < next_progress_ && fraction < 1)) {
        return;
    }
    if (!callable_ && now - began_ < std::chrono::milliseconds(500)) {
        return; // over before anybody wonders
    }
    next_progress_ = now + std::chrono::milliseconds(100);
    // searches do not know how far they are to the last digit
    told_ = std::max(told_, std::min(fraction, 1.0));
    ask([&] {
        if (callable_) {
            callable_(stage, told_);
            return;
        }
        if (!bar_) {
            bar_ = nb::module_::import_("texelscope._progress").attr("bar")();
        }
        if (!bar_.is_none()) {
            bar_(stage, told_);
        }
    });
}

void LongCall::rethrow()
{
    if (raised_) {
        std::rethrow_exception(std::exchange(raised_, nullptr));
    }
}

} // namespace texelscope::python
