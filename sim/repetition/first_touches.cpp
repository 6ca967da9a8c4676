#include "sim/repetition/first_touches.hpp"

#include <utility>

namespace texelscope::sim {
namespace {

/// A set of granules of all cores: words of bits in an open-addressing table.
class Granules {
public:
    explicit Granules(std::size_t cores) : cores_(static_cast<std::int64_t>(cores)), slots_(64) {}

    /// Whether it was absent.
    bool insert(std::int64_t core, std::int64_t granule)
    {
        Slot& slot = slots_[place(key(core, granule))];
        if (slot.key < 0) {
            slot.key = key(core, granule);
            slot.bits = bit(granule);
            if (++used_ * 2 > slots_.size()) {
                grow();
            }
            return true;
        }
        const bool absent = (slot.bits & bit(granule)) == 0;
        slot.bits |= bit(granule);
        return absent;
    }
    [[nodiscard]] bool contains(std::int64_t core, std::int64_t granule) const
    {
        return (slots_[place(key(core, granule))].bits & bit(granule)) != 0;
    }

private:
    struct Slot {
        std::int64_t key = -1; ///< of a core and 64 granules; -1: free
        std::uint64_t bits = 0;
    };
    [[nodiscard]] std::int64_t key(std::int64_t core, std::int64_t granule) const
    {
        return granule / 64 * cores_ + core;
    }
    static std::uint64_t bit(std::int64_t granule) { return std::uint64_t{1} << (granule % 64); }
    /// Slot of the key, or the free one where it would go.
    [[nodiscard]] std::size_t place(std::int64_t key) const
    {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (static_cast<std::uint64_t>(key) * 0x9e3779b97f4a7c15ULL >> 20) & mask;
        while (slots_[at].key >= 0 && slots_[at].key != key) {
            at = (at + 1) & mask;
        }
        return at;
    }
    void grow()
    {
        const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
        for (const Slot& slot : old) {
            if (slot.key >= 0) {
                slots_[place(slot.key)] = slot;
            }
        }
    }

    std::int64_t cores_;
    std::vector<Slot> slots_; ///< a power of two of them, at most half of them in use
    std::size_t used_ = 0;
};

} // namespace

void FirstTouches::walk(AccessLog::Position from, AccessLog::Position to, const AccessLog& log,
                        const LaneShapes& shapes, LinePatterns& patterns, const IsNew& is_new, const Visit& visit) const
{
    const auto walk_accesses = [&](std::size_t begin, std::size_t end) {
        for (std::size_t a = begin; a < end; ++a) {
            const LoggedAccess& access = log.accesses()[a];
            const LinePatterns::Placed placed = patterns.find(access.image, access.shape, access.first);
            const std::vector<std::int32_t>& granules = placed.pattern->granules;
            for (std::size_t i = 0; i < granules.size(); ++i) {
                const std::int64_t granule = placed.first + granules[i];
                if (is_new(access.core, granule)) {
                    const Texel lane = shapes[access.shape].lanes[placed.pattern->first_lane[i]];
                    visit(FirstTouch{
                        access.core, access.image, granule, {access.first.x + lane.x, access.first.y + lane.y}});
                }
            }
        }
    };
    std::size_t done = from.accesses;
    for (std::size_t r = from.repeats; r < to.repeats; ++r) {
        const AccessLog::Repeat& repeat = log.repeats()[r];
        walk_accesses(done, repeat.at.accesses);
        done = repeat.at.accesses;
        std::vector<std::int64_t> distance;
        bool moves = false;
        for (std::size_t image = 0; image < repeat.step.size(); ++image) {
            distance.push_back(bytes_moved(repeat.step[image], patterns.period(static_cast<int>(image))) / granule_);
            moves = moves || distance.back() != 0;
        }
        if (!moves) {
            continue;
        }
        // What the stretch touches first, were it alone; a granule that it touches is touched again at each step. On the
        // way from one of its granules to the next that lies some steps further on, it is the first to come by: whatever
        // lies beyond, the other one has reached before.
        Granules alone(touched_.size());
        std::vector<FirstTouch> touches;
        walk(
            repeat.from, repeat.to, log, shapes, patterns,
            [&](std::uint16_t core, std::int64_t granule) { return alone.insert(core, granule); },
            [&](const FirstTouch& touch) { touches.push_back(touch); });
        for (const FirstTouch& touch : touches) {
            const std::int64_t d = distance[touch.image];
            const Texel step = repeat.step[touch.image];
            FirstTouch moved = touch;
            for (std::int64_t k = 1; d != 0 && k <= repeat.times; ++k) {
                moved.granule += d;
                moved.texel = {moved.texel.x + step.x, moved.texel.y + step.y};
                if (alone.contains(touch.core, moved.granule)) {
                    break;
                }
                if (is_new(touch.core, moved.granule)) {
                    visit(moved);
                }
            }
        }
    }
    walk_accesses(done, to.accesses);
}

void FirstTouches::add(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns, StopCheck& check_stop,
                       const Visit& visit)
{
    walk(
        {}, log.position(), log, shapes, patterns,
        [&](std::uint16_t core, std::int64_t granule) {
            check_stop();
            return touch(core, granule);
        },
        visit);
}

bool FirstTouches::touch(std::uint16_t core, std::int64_t granule)
{
    BitField& touched = touched_[core];
    if (touched.contains(granule)) {
        return false;
    }
    touched.insert(granule);
    return true;
}

} // namespace texelscope::sim
