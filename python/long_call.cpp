#include "python/long_call.hpp"

namespace texelscope::python {

LongCall::LongCall(nb::object progress) : progress_(std::move(progress)), wants_bar_(progress_.is_none())
{
    if (wants_bar_ || (nb::isinstance<nb::bool_>(progress_) && !nb::cast<bool>(progress_))) {
        progress_ = nb::object();
    }
}

LongCall::~LongCall()
{
    if (progress_ && nb::hasattr(progress_, "close")) {
        try {
            progress_.attr("close")();
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
        // Signals are for the thread that Python's code called from; there Python looks at them where that is its main one.
        if (!ended_ && std::this_thread::get_id() == caller_) {
            if (const auto now = Clock::now(); now >= next_question_) {
                next_question_ = now + std::chrono::milliseconds(50);
                ask([] {
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
    if (!progress_ && !wants_bar_) {
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
    if (wants_bar_ && now - began_ < std::chrono::milliseconds(500)) {
        return; // over before anybody wonders
    }
    next_progress_ = now + std::chrono::milliseconds(100);
    ask([&] {
        if (wants_bar_) {
            wants_bar_ = false;
            progress_ = nb::module_::import_("texelscope._progress").attr("bar")();
        }
        if (progress_ && !progress_.is_none()) {
            progress_(stage, fraction);
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
