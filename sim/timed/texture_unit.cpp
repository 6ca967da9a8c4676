#include "sim/timed/texture_unit.hpp"

#include <algorithm>

namespace texelscope::sim {

bool TextureUnit::take(const TimedAccess& access, std::size_t reader, double time)
{
    const bool at_once = waiting_ == 0 && free_at() <= time;
    waiting_ += at_once ? 0 : 1;
    Access& place = accesses_[(present_ + waiting_) % accesses_.size()];
    place.lookups.assign(access.lookups.begin(), access.lookups.end());
    place.held = access.held;
    place.buffer = access.buffer;
    place.reader = reader;
    if (at_once) {
        begin(time);
    }
    return at_once;
}

void TextureUnit::begin(double time)
{
    served_ = 0;
    began_ = time;
    time_ = time;
    held_until_ = time + present().held;
    // The latency holds a cycle of both, addresses and handing back.
    data_ = time + hit_latency_ - service().sooner + std::max(0.0, present().held - 1);
    waits_.clear();
    noted_.clear();
}

void TextureUnit::wait(double until, WaitFor what)
{
    waits_.push_back({time_, until, what});
    time_ = until;
}

void TextureUnit::step(MissPath& misses)
{
    if (begins_next()) {
        const double time = free_at();
        present_ = (present_ + 1) % accesses_.size();
        --waiting_;
        begin(time);
    }
    // A hit in L1 touches nothing that cores share, so hits need no event of their own.
    while (!done()) {
        serve(misses);
        if (done() || present().lookups[served_].found != 0) {
            break;
        }
    }
}

void TextureUnit::serve(MissPath& misses)
{
    const TimedLookup& lookup = present().lookups[served_];
    // Step 1: room in the latency FIFO.
    const auto fifo_depth = static_cast<std::size_t>(timing_.latency_fifo.value_or(0));
    while (!fifo_.empty() && fifo_.front() <= time_) {
        fifo_.pop_front();
    }
    if (fifo_depth > 0 && fifo_.size() == fifo_depth) {
        return wait(fifo_.front(), WaitFor::latency_fifo);
    }
    fills_.release(time_);
    const double hit = time_ + hit_latency_ - service().sooner;
    double data = hit;
    if (lookup.found != 0) {
        if (fills_.size() == static_cast<std::size_t>(timing_.outstanding_misses)) {
            ++failures_.no_entry;
            return wait(fills_.first_arrival(), WaitFor::entry);
        }
        if (const double free = misses.free_at(core_, lookup); free > time_) {
            time_ = free; // no Wait: these cycles count as the unit's own
            return;
        }
        double filled = misses.arrival(core_, lookup, time_);
        if (service().sooner != 0) {
            filled = std::max(hit, filled - service().sooner);
        }
        fills_.add(lookup.address, filled);
        if (notes_fills_) {
            noted_.push_back({time_, filled});
        }
        data = filled;
    } else if (FillsUnderWay::Fill* const fill = fills_.find(lookup.address)) {
        if (fill->merges == timing_.misses_merges) {
            ++failures_.no_merge_slot;
            return wait(fill->arrival, WaitFor::merge_slot);
        }
        ++fill->merges;
        data = std::max(data, fill->arrival);
    }
    if (fifo_depth > 0) {
        data = std::max(data, fifo_.empty() ? 0 : fifo_.back());
        fifo_.push_back(data);
    }
    data_ = std::max(data_, data);
    time_ += 1 / service().lookups_per_cycle;
    ++served_;
}

} // namespace texelscope::sim
