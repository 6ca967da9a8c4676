#include "sim/repetition/first_touches.hpp"

#include "sim/cache/flat_map.hpp"

#include <utility>

namespace texelscope::sim {
namespace {

/// A set of granules for each core, kept as words of 64 bits in one hash map.
class Granules {
public:
    explicit Granules(std::size_t cores) : cores_(static_cast<std::int64_t>(cores)) {}

    /// Inserts a granule; returns whether it was absent.
    bool insert(std::int64_t core, std::int64_t granule)
    {
        std::uint64_t& bits = words_[key(core, granule)];
        const bool absent = (bits & bit(granule)) == 0;
        bits |= bit(granule);
        return absent;
    }
    [[nodiscard]] bool contains(std::int64_t core, std::int64_t granule) const
    {
        const auto word = words_.find(key(core, granule));
        return word != words_.end() && (word->second & bit(granule)) != 0;
    }

private:
    [[nodiscard]] std::int64_t key(std::int64_t core, std::int64_t granule) const
    {
        return granule / 64 * cores_ + core;
    }
    static std::uint64_t bit(std::int64_t granule) { return std::uint64_t{1} << (granule % 64); }

    std::int64_t cores_;
    FlatMap<std::uint64_t> words_; ///< by core and 64 granules
};

} // namespace

void FirstTouches::walk(AccessLog::Position from, AccessLog::Position to, const AccessLog& log,
                        const LaneShapes& shapes, LinePatterns& patterns, const IsNew& is_new,
                        const Visit& visit) const
{
    // Repetitions stand between accesses: each is walked where it happened (`at`), because what
    // came before has touched its granules already.
    const auto walk_accesses = [&](std::size_t begin, std::size_t end) {
        for (std::size_t a = begin; a < end; ++a) {
            const LoggedAccess& access = log.accesses()[a];
            const LinePatterns::Placed placed =
                patterns.find(access.image, access.shape, access.first);
            const std::vector<std::int32_t>& granules = placed.pattern->granules;
            for (std::size_t i = 0; i < granules.size(); ++i) {
                const std::int64_t granule = placed.first + granules[i];
                if (is_new(access.core, granule)) {
                    const Texel lane = shapes[access.shape].lanes[placed.pattern->first_lane[i]];
                    visit(FirstTouch{access.core,
                                     access.image,
                                     granule,
                                     {access.first.x + lane.x, access.first.y + lane.y}});
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
            distance.push_back(
                bytes_moved(repeat.step[image], patterns.period(static_cast<int>(image))) /
                granule_);
            moves = moves || distance.back() != 0;
        }
        if (!moves) {
            continue;
        }
        // The granules that the stretch would touch first if nothing were before it. Each of them
        // moves on by d with every repetition. A granule at g has new granules to find only until
        // it comes to another one of the stretch, at g + k d: that one is k repetitions ahead and
        // has already touched everything beyond.
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

void FirstTouches::add(const AccessLog& log, const LaneShapes& shapes, LinePatterns& patterns,
                       StopCheck& check_stop, const Visit& visit)
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
