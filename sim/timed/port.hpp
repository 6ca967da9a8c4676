#pragma once

#include "base/layers.hpp"

#include <algorithm>

namespace texelscope::sim {

/// Something that serves one transfer after the other, in the order in which they are asked for.
class Port {
public:
    /// Starts a transfer of `duration` cycles at `time`, or when the last one is done; returns its start. Times do not
    /// fall from one call to the next.
    double book(double time, double duration)
    {
        const double start = std::max(time, free_);
        free_ = start + duration;
        return start;
    }

private:
    double free_ = 0;
};

} // namespace texelscope::sim
