#pragma once

#include "sim/simulate.hpp"

#include <cstdint>

namespace texelscope {

/// Asks a stop token now and then from inside of a long loop, the first time at its first call, and ends it with Interrupted.
class Poll {
public:
    /// `stop` must outlive this.
    explicit Poll(const StopToken& stop) : stop_(stop) {}

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

} // namespace texelscope
