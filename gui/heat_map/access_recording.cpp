#include "gui/heat_map/access_recording.hpp"

#include <algorithm>

namespace texelscope::gui {

void LineHistory::fill(std::int64_t access, const HeldLine& line,
                       std::optional<std::int64_t> evicted)
{
    // Once as many changes have come as a snapshot takes: all snapshots together are no longer than
    // the changes, and the way from a snapshot to a moment is no longer than a few times the cache.
    constexpr std::size_t least = 64;
    const std::size_t last = snapshots_.empty() ? 0 : snapshots_.back().changes;
    if (changes_.size() - last >= std::max(least, held_.size())) {
        snapshots_.push_back({changes_.size(), held_});
        size_ += held_.size();
    }
    changes_.push_back({access, line, evicted.value_or(-1)});
    apply(changes_.back(), held_);
    ++size_;
}

std::vector<HeldLine> LineHistory::after(std::int64_t access) const
{
    const auto end =
        std::upper_bound(changes_.begin(), changes_.end(), access,
                         [](std::int64_t at, const Change& change) { return at < change.access; });
    const auto done = static_cast<std::size_t>(end - changes_.begin());
    const auto later = std::upper_bound(
        snapshots_.begin(), snapshots_.end(), done,
        [](std::size_t at, const Snapshot& snapshot) { return at < snapshot.changes; });
    std::vector<HeldLine> held;
    std::size_t from = 0;
    if (later != snapshots_.begin()) {
        held = std::prev(later)->held;
        from = std::prev(later)->changes;
    }
    for (std::size_t i = from; i < done; ++i) {
        apply(changes_[i], held);
    }
    return held;
}

void LineHistory::apply(const Change& change, std::vector<HeldLine>& held) const
{
    const auto at = [&](std::int64_t address) {
        return std::lower_bound(
            held.begin(), held.end(), address,
            [](const HeldLine& line, std::int64_t wanted) { return line.address < wanted; });
    };
    if (change.evicted >= 0) {
        // with sectors, all that are there
        held.erase(at(change.evicted), at(change.evicted + line_));
    }
    held.insert(at(change.line.address), change.line);
}

AccessRecording::AccessRecording(const SimulationOptions& options, std::size_t limit)
    : limit_(limit), l1_(static_cast<std::size_t>(options.machine.cores),
                         LineHistory(options.machine.l1().geometry.line))
{}

std::size_t AccessRecording::kept() const
{
    std::size_t sum = accesses_.size() + shape_lanes_;
    for (const LineHistory& history : l1_) {
        sum += history.size();
    }
    return sum;
}

void AccessRecording::on_access(int core, std::int64_t group, std::int32_t warp, std::uint32_t step,
                                std::int64_t, std::span<const LaneRead> lanes)
{
    full_ = full_ || kept() >= limit_; // asked here only: no access is kept without its lookups
    if (full_) {
        return;
    }
    x_.clear();
    y_.clear();
    for (const LaneRead& lane : lanes) {
        x_.push_back(lane.texel.x);
        y_.push_back(lane.texel.y);
    }
    const int shapes = shapes_.count();
    const int shape = shapes_.number(x_, y_);
    shape_lanes_ += shapes_.count() > shapes ? lanes.size() : 0;
    accesses_.push_back({.group = group,
                         .warp = warp,
                         .step = step,
                         .first = lanes.front().texel,
                         .shape = shape,
                         .image = lanes.front().image,
                         .core = static_cast<std::uint16_t>(core)});
}

void AccessRecording::on_lookup(const LookupEvent& event)
{
    if (full_) {
        return;
    }
    RecordedAccess& access = accesses_.back();
    ++access.lookups;
    if (!event.l1.hit()) {
        ++access.misses;
        l1_[access.core].fill(static_cast<std::int64_t>(accesses_.size()) - 1,
                              {event.address, {event.image, event.texel}}, event.l1.evicted);
    }
}

std::vector<Texel> AccessRecording::lanes(std::size_t number) const
{
    const RecordedAccess& access = accesses_[number];
    std::vector<Texel> texels = shapes_[access.shape].lanes;
    for (Texel& texel : texels) {
        texel = {access.first.x + texel.x, access.first.y + texel.y};
    }
    return texels;
}

std::vector<HeldLine> AccessRecording::held(std::size_t number) const
{
    return l1_[accesses_[number].core].after(static_cast<std::int64_t>(number));
}

AccessRecording record_accesses(const LaunchResult& launch, std::size_t limit,
                                const Progress& progress, const StopToken& stop)
{
    AccessRecording recording(launch.options, limit);
    SimulationObserver* const observer = &recording;
    const auto most = static_cast<double>(std::max<std::int64_t>(
        1, std::min(launch.simulation.steps, static_cast<std::int64_t>(limit))));
    const StopToken full_or_stopped = [&] {
        if (progress) {
            progress("recording", static_cast<double>(recording.size()) / most);
        }
        return recording.full() || (stop && stop());
    };
    SimulationOptions options = launch.options;
    options.mode.timed = false;
    try {
        (void)simulate(*launch.source, options, {&observer, 1}, full_or_stopped);
    } catch (const Interrupted&) {
        if (!recording.full()) { // a full one is a recording, up to where it ends
            throw;
        }
    }
    return recording;
}

} // namespace texelscope::gui
