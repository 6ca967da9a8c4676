#pragma once

#include <map>

namespace texelscope {

/// Something that serves one transfer at a time. Transfers are booked in the order of simulation, which is not always the
/// order of time: a request for an earlier time takes the first gap that fits, so that nobody waits behind a transfer
/// that has been booked for later.
class Port {
public:
    /// Books `duration` cycles at the first free moment >= `time`; returns when it starts. No later booking may be for
    /// a time before `now`, so what lies before it is forgotten.
    double book(double time, double duration, double now);

private:
    std::map<double, double> busy_; ///< start -> end; disjoint, touching intervals are merged
};

} // namespace texelscope
