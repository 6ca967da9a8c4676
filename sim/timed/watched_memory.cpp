#include "sim/timed/watched_memory.hpp"

#include <utility>

namespace texelscope::sim {

class WatchedMemory::Warp final : public TimedWarp {
public:
    Warp(WatchedMemory& memory, int core, WarpId id, std::unique_ptr<WarpStream> stream)
        : memory_(memory), core_(core), id_(id), stream_(std::move(stream)), done_(!stream_->next(access_))
    {}

    std::span<const TimedLookup> look_up() override
    {
        std::vector<TimedLookup>& lookups = memory_.lookups_;
        lookups.clear();
        for (const LookupEvent& event : memory_.run_.access(core_, id_, access_).lookups) {
            const bool in_l2 = event.l2 && event.l2->hit();
            lookups.push_back({event.address, event.l1.hit() ? FoundIn::l1 : in_l2 ? FoundIn::l2 : FoundIn::memory});
        }
        done_ = !stream_->next(access_);
        return lookups;
    }
    [[nodiscard]] bool done() const override { return done_; }

private:
    WatchedMemory& memory_;
    int core_;
    WarpId id_;
    std::unique_ptr<WarpStream> stream_;
    WarpAccess access_; ///< the next one
    bool done_;
};

std::unique_ptr<TimedWarp> WatchedMemory::open(int core, WarpId warp)
{
    auto reads =
        std::make_unique<Warp>(*this, core, warp, run_.source.open(warp.group, warp.warp, run_.options.warp_size));
    return reads->done() ? nullptr : std::move(reads);
}

} // namespace texelscope::sim
