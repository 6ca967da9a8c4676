#pragma once

#include "sim/options/machine.hpp"
#include "sim/result/simulation_result.hpp"
#include "sim/result/timed_observer.hpp"
#include "sim/timed/miss_path.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <span>
#include <vector>

namespace texelscope::sim {

/// The texture unit of one core. It serves one warp access at a time, and the lookups of an access
/// one after another: take() gives it an access, step() serves the next lookup at next_step(),
/// and done() tells that all lookups have left. All times are in cycles.
///
/// Accesses that come while it serves another wait in its queue, in order, as many as that has room
/// for (texture.queue). The first of them begins when the unit is free_at(). An access holds the
/// unit until its addresses are computed, all its lookups have left, and there was time to hand
/// back the texels of all of its lanes. Each lookup has a turn at some time t, and then goes
/// through these steps:
/// 1. It waits for room in the latency FIFO, if the device has one (Igehy, Eldridge and Proudfoot
///    1998).
/// 2. A miss waits for a free miss-status entry (MSHR). A lookup of a line that is on its way
///    merges with the miss that fetches it. If that miss has merged as many lookups as it can, the
///    lookup waits until the line has arrived, and is then a hit.
/// 3. A miss waits until the ports of the core's own levels behind L1 that it passes are free.
/// 4. It leaves at a time u >= t, and the next lookup has its turn at u + 1 / (lookups per cycle).
///    The data of a hit are there at u + hit latency, or when the fill that it merged with arrives,
///    if that is later; those of a miss when its fill arrives. Where reads of buffers are quicker
///    (buffers.latency), a fill arrives as much sooner, but not before the data of a hit. With a
///    FIFO, data are not there before those of the lookups ahead. An entry is free again when its
///    data arrive.
class TextureUnit {
public:
    /// `notes_fills`: whether fills() is wanted.
    TextureUnit(const Machine& machine, int core, bool notes_fills = false)
        : core_(core), timing_(machine.timing),
          hit_latency_(static_cast<double>(machine.l1().latency.value)),
          services_{machine.service_of(false), machine.service_of(true)}, notes_fills_(notes_fills),
          accesses_(static_cast<std::size_t>(machine.timing.texture_queue) + 1)
    {}

    /// Takes an access at `time` >= takes_from(). `reader`: whose it is, for the caller. Whether it
    /// begins at once.
    bool take(const TimedAccess& access, std::size_t reader, double time);

    /// The time of the next step; `never` while the unit has nothing to do.
    [[nodiscard]] double next_step() const
    {
        return !done() ? time_ : waiting_ > 0 ? free_at() : never;
    }
    /// Whether the next step begins the first access of the queue, and so forgets the one before.
    [[nodiscard]] bool begins_next() const { return done() && waiting_ > 0; }
    /// Serves one lookup, or finds that it has to wait; then also serves the hits that follow it.
    /// Steps are taken in the order of their times, over all cores.
    void step(MissPath& misses);

    /// Whether all lookups of the access have left.
    [[nodiscard]] bool done() const { return served_ == present().lookups.size(); }
    /// When the unit can begin another access; `never` while lookups are left.
    [[nodiscard]] double free_at() const { return done() ? std::max(time_, held_until_) : never; }
    /// When it takes another access, to begin or to wait: since the present one began, which made
    /// room in the queue, or when it is free_at(). `never` while that is not known.
    [[nodiscard]] double takes_from() const
    {
        return waiting_ + 1 < accesses_.size() ? began_ : free_at();
    }
    /// When the access began.
    [[nodiscard]] double began() const { return began_; }
    /// When the last data of the access are there; known once done().
    [[nodiscard]] double data_at() const { return data_; }
    /// Whose the access is, and how many lookups it has.
    [[nodiscard]] std::size_t reader() const { return present().reader; }
    [[nodiscard]] std::int64_t lookups() const { return std::ssize(present().lookups); }

    /// What a lookup waits for: a miss-status entry, room in one to merge, or room in the FIFO.
    enum class WaitFor { entry, merge_slot, latency_fifo };
    struct Wait {
        double begin = 0;
        double end = 0;
        WaitFor what = WaitFor::entry;
    };
    /// The waits of the present access so far.
    [[nodiscard]] std::span<const Wait> waits() const { return waits_; }
    /// The fills that the present access has started so far; empty without `notes_fills`.
    [[nodiscard]] std::span<const ServedAccess::Fill> fills() const { return noted_; }
    /// How often a lookup found no entry or no room to merge, over all accesses.
    [[nodiscard]] const ReservationFailures& failures() const { return failures_; }

private:
    struct Access {
        std::vector<TimedLookup> lookups;
        double held = 0; ///< see TimedAccess
        bool buffer = false;
        std::size_t reader = 0;
    };
    [[nodiscard]] const Access& present() const { return accesses_[present_]; }
    [[nodiscard]] const ReadService& service() const { return services_[present().buffer ? 1 : 0]; }
    /// Begins the present access.
    void begin(double time);
    /// Serves the next lookup, or moves time_ on to when it can be tried again.
    void serve(MissPath& misses);
    void wait(double until, WaitFor what);

    int core_;
    Timing timing_;
    double hit_latency_;                  ///< of reads of images
    std::array<ReadService, 2> services_; ///< of images, of buffers
    bool notes_fills_;
    std::vector<ServedAccess::Fill> noted_;
    std::vector<Access> accesses_; ///< a ring: the present one, and those that wait behind it
    std::size_t present_ = 0;      ///< place in the ring
    std::size_t waiting_ = 0;
    std::size_t served_ = 0; ///< number of lookups that have left
    double began_ = 0;
    double time_ = 0;       ///< turn of the next lookup
    double held_until_ = 0; ///< when addresses are computed and texels handed back
    double data_ = 0;       ///< when the last data so far are there
    std::vector<Wait> waits_;
    FillsUnderWay fills_;     ///< the miss-status entries of L1, by address
    std::deque<double> fifo_; ///< when each lookup in the latency FIFO leaves it; ascending
    ReservationFailures failures_;
};

} // namespace texelscope::sim
