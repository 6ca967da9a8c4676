#pragma once

#include "sim/options/machine.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/result/timed_observer.hpp"
#include "sim/timed/miss_path.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

namespace texelscope::sim {

/// The texture unit of one core, which serves the lookups of one access after the other.
///
/// An access holds the unit until its addresses are worked out and its lookups have left. Each
/// lookup, at the time t of its turn,
/// 1. waits for room in the latency FIFO, where there is one (Igehy, Eldridge and Proudfoot 1998);
/// 2. a miss waits for an entry; a request for a line on its way merges with the miss, and where
///    that has merged all that it can it waits until the line has come, and is then a hit;
/// 3. a miss waits until the ports of the core's own levels behind L1 that it passes are free;
/// 4. leaves: the next one's turn is 1 / lookups per cycle later. Its data are there at t + hit
///    latency, or when the fill arrives if that is later; with a FIFO, not before those of the
///    lookups ahead of it. An entry is free again when its data have come.
class TextureUnit {
public:
    /// `notes_fills`: for fills().
    TextureUnit(const Machine& machine, int core, bool notes_fills = false)
        : core_(core), timing_(machine.timing),
          hit_latency_(static_cast<double>(machine.l1().latency.value)), notes_fills_(notes_fills)
    {}

    /// Takes an access at `time` >= free_at().
    void start(const TimedAccess& access, double time);

    /// The time of the next step; never while there is nothing to do.
    [[nodiscard]] double next_step() const { return done() ? never : time_; }
    /// Serves a lookup, or finds that it has to wait; then the hits that follow it. Steps of all
    /// cores in the order of time.
    void step(MissPath& misses);

    [[nodiscard]] bool done() const { return served_ == lookups_.size(); }
    /// When it takes another access; never while it has lookups left.
    [[nodiscard]] double free_at() const { return done() ? std::max(time_, addresses_) : never; }
    /// When the last data of the access are there; it is done().
    [[nodiscard]] double data_at() const { return data_; }

    enum class WaitFor { entry, merge_slot, latency_fifo };
    struct Wait {
        double begin = 0;
        double end = 0;
        WaitFor what = WaitFor::entry;
    };
    /// While it served the present access.
    [[nodiscard]] std::span<const Wait> waits() const { return waits_; }
    /// Of the present access, those so far.
    [[nodiscard]] std::span<const ServedAccess::Fill> fills() const { return noted_; }
    [[nodiscard]] const ReservationFailures& failures() const { return failures_; }

private:
    void serve(MissPath& misses);
    void wait(double until, WaitFor what);

    int core_;
    Timing timing_;
    double hit_latency_;
    bool notes_fills_;
    std::vector<ServedAccess::Fill> noted_;
    std::vector<TimedLookup> lookups_;
    std::size_t served_ = 0; ///< of `lookups_`
    double time_ = 0;        ///< turn of the next lookup
    double addresses_ = 0;   ///< when those of the access are worked out
    double data_ = 0;
    std::vector<Wait> waits_;
    FillsUnderWay fills_;
    std::deque<double> fifo_; ///< when each lookup in it leaves; ascending
    ReservationFailures failures_;
};

} // namespace texelscope::sim
