#pragma once

#include "base/layers.hpp"

#include <cstdint>
#include <functional>

namespace texelscope::base {

/// Asked now and then by long work; true ends it with Interrupted.
using StopToken = std::function<bool()>;
struct Interrupted {};
/// Throws Interrupted where the token, if there is one, says so.
inline void check_stop(const StopToken& stop)
{
    if (stop && stop()) {
        throw Interrupted{};
    }
}

/// Asks a stop token now and then from inside of a long loop, the first time at its first call, and
/// ends it with Interrupted.
class StopCheck {
public:
    /// `stop` must outlive this.
    explicit StopCheck(const StopToken& stop) : stop_(stop) {}

    void operator()()
    {
        constexpr std::uint32_t between_questions = 4096;
        if (calls_++ % between_questions == 0 && stop_ && stop_()) {
            throw Interrupted{};
        }
    }

private:
    const StopToken& stop_;
    std::uint32_t calls_ = 0;
};

} // namespace texelscope::base
