#include "sim/timed/timed_memories.hpp"

#include "sim/repetition/program_core.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::sim {

class StreamedMemory::Warp final : public TimedWarp {
public:
    Warp(StreamedMemory& memory, int core, WarpId id)
        : memory_(memory), core_(core), id_(id),
          stream_(memory.source_.open(id.group, id.warp, memory.options_.machine.warp_size)),
          done_(!stream_->next(access_))
    {}

    TimedAccess look_up() override
    {
        memory_.memory_.access(core_, id_, access_, &memory_.lookups_);
        const double held = std::max<double>(memory_.turns_.of(access_.lanes),
                                             memory_.texel_return_.of(access_.lanes));
        const bool buffer =
            !access_.lanes.empty() && memory_.memory_.images()[access_.lanes.front().image].buffer;
        done_ = !stream_->next(access_);
        return {memory_.lookups_, held, buffer};
    }
    void skip() override { done_ = !stream_->next(access_); }
    [[nodiscard]] bool done() const override { return done_; }

private:
    StreamedMemory& memory_;
    int core_;
    WarpId id_;
    std::unique_ptr<WarpStream> stream_;
    WarpAccess access_; ///< the next one
    bool done_;
};

std::unique_ptr<TimedWarp> StreamedMemory::open(int core, WarpId warp)
{
    auto reads = std::make_unique<Warp>(*this, core, warp);
    return reads->done() ? nullptr : std::move(reads);
}

class ProgramMemory::Warp final : public TimedWarp {
public:
    Warp(ProgramMemory& memory, int core, std::vector<PlacedAccess> placed)
        : memory_(memory), core_(core), placed_(std::move(placed)), cursor_(memory.program_),
          next_(cursor_.next())
    {}

    TimedAccess look_up() override
    {
        const PlacedAccess& at = placed_[static_cast<std::size_t>(next_->number)];
        const Texel offset = cursor_.offset();
        const LinePatterns::Placed found = memory_.patterns_.find(
            next_->image, at.shape, {at.first.x + offset.x, at.first.y + offset.y});
        const LinePattern& pattern = *found.pattern;
        const auto lanes =
            static_cast<std::int64_t>(memory_.program_.shapes()[at.shape].lanes.size());
        MemoryHierarchy& hierarchy = memory_.memory_;
        if (memory_.miss_kinds_) {
            for (const std::int32_t granule : pattern.granules) {
                hierarchy.touch(core_, static_cast<std::size_t>(next_->image),
                                found.first + granule);
            }
        }
        hierarchy.access(core_, static_cast<std::size_t>(next_->image), found.lines(),
                         pattern.texel_reads, lanes - pattern.texel_reads, memory_.lookups_);
        const double held = std::max<double>(
            pattern.turns, memory_.texel_return_.of(static_cast<std::size_t>(next_->image), lanes));
        const bool buffer = memory_.memory_.images()[static_cast<std::size_t>(next_->image)].buffer;
        next_ = cursor_.next();
        return {memory_.lookups_, held, buffer};
    }
    void skip() override { next_ = cursor_.next(); }
    [[nodiscard]] bool done() const override { return next_ == nullptr; }

private:
    ProgramMemory& memory_;
    int core_;
    std::vector<PlacedAccess> placed_;
    ProgramCursor cursor_;
    const LaunchProgram::Access* next_;
};

std::unique_ptr<TimedWarp> ProgramMemory::open(int core, WarpId warp)
{
    auto reads = std::make_unique<Warp>(*this, core, program_.place(warp.group, warp.warp));
    return reads->done() ? nullptr : std::move(reads);
}

} // namespace texelscope::sim
