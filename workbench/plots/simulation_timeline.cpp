#include "workbench/plots/simulation_timeline.hpp"

#include "base/error.hpp"
#include "workbench/plots/perfetto_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::plots {

using Track = PerfettoTrace::Track;

SimulationTimeline::SimulationTimeline(const sim::SimulationOptions& options,
                                       std::int64_t most_accesses)
    : ns_per_cycle_(1000.0 / options.machine.timing.clock_mhz), most_accesses_(most_accesses)
{}

SimulationTimeline::Core& SimulationTimeline::core(int number)
{
    const auto at = static_cast<std::size_t>(number);
    cores_.resize(std::max(cores_.size(), at + 1));
    return cores_[at];
}

void SimulationTimeline::on_warp_begin(int number, std::size_t slot, std::int64_t group,
                                       std::int32_t warp, double at)
{
    auto& slots = core(number).slots;
    slots.resize(std::max(slots.size(), slot + 1));
    slots[slot].push_back({{group, warp}, at, at, {}});
}

void SimulationTimeline::on_access(const sim::ServedAccess& access)
{
    // Viewers take no more.
    if (++accesses_ > most_accesses_) {
        throw base::bad_input(
            fmt::format("a timeline has room for {} warp accesses, the launch has more",
                        most_accesses_),
            "--timeline", "take a smaller shape");
    }
    Core& of = core(access.core);
    Warp& warp = of.slots[access.slot].back();
    warp.accesses.push_back(of.accesses.size());
    of.accesses.push_back(
        {access.from, access.to, access.data, access.lookups, std::ssize(access.fills), warp.id});
    for (const auto& fill : access.fills) {
        of.fills.emplace_back(fill.from, fill.to);
    }
}

void SimulationTimeline::on_warp_end(int number, std::size_t slot, double at)
{
    core(number).slots[slot].back().to = at;
}

// Everything is kept until the simulation has ended, because a track's events must be written in
// the order of time, and the tracks of a core one after the other.
class SimulationTimeline::Writer {
public:
    Writer(const SimulationTimeline& timeline, const std::string& name)
        : ns_per_cycle_(timeline.ns_per_cycle_), root_(trace_.add_track(name))
    {
        for (std::size_t number = 0; number < timeline.cores_.size(); ++number) {
            write(timeline.cores_[number], trace_.add_track(fmt::format("core {}", number), root_));
        }
    }

    [[nodiscard]] std::string bytes() && { return std::move(trace_).bytes(); }

private:
    [[nodiscard]] std::int64_t ns(double cycles) const
    {
        return std::llround(cycles * ns_per_cycle_);
    }

    void write(const Core& core, Track track)
    {
        std::vector<std::pair<double, double>> lives;
        for (const auto& slot : core.slots) {
            for (const Warp& warp : slot) {
                lives.emplace_back(warp.from, warp.to);
            }
        }
        count_at_once(trace_.add_counter("resident warps", "warps", track), lives);
        count_at_once(trace_.add_counter("misses under way", "misses", track), core.fills);
        write_hits(core.accesses, track);
        const Track unit = trace_.add_track("texture unit", track);
        for (const Access& access : core.accesses) {
            write(access, unit, name_of(access.warp), access.to);
        }
        for (std::size_t slot = 0; slot < core.slots.size(); ++slot) {
            const Track of_slot = trace_.add_track(fmt::format("warp slot {}", slot), track);
            for (const Warp& warp : core.slots[slot]) {
                const PerfettoTrace::Annotation accesses[] = {
                    {"accesses", std::ssize(warp.accesses)}};
                trace_.begin(of_slot, ns(warp.from), name_of(warp.id), accesses);
                for (const std::size_t access : warp.accesses) {
                    write(core.accesses[access], of_slot, "access", warp.to);
                }
                trace_.end(of_slot, ns(warp.to));
            }
        }
    }

    /// Writes an access. `last`: the cycle at which the slice around it ends; an access is cut
    /// there, as slices must lie within each other.
    void write(const Access& access, Track track, std::string_view name, double last)
    {
        const PerfettoTrace::Annotation annotations[] = {
            {"lookups", access.lookups},
            {"misses", access.misses},
            {"data after ns", (access.data - access.from) * ns_per_cycle_}};
        trace_.slice(track, ns(access.from), ns(std::min(access.to, last)), name, annotations);
    }

    static std::string name_of(WarpId warp)
    {
        return fmt::format("group {} warp {}", warp.group, warp.warp);
    }

    /// A counter of how many spans cover each moment, written whenever that changes.
    void count_at_once(Track track, const std::vector<std::pair<double, double>>& spans)
    {
        std::vector<std::pair<std::int64_t, int>> changes;
        for (const auto& [from, to] : spans) {
            changes.emplace_back(ns(from), 1);
            changes.emplace_back(ns(to), -1);
        }
        // At the same time, ends (-1) come before beginnings (+1).
        std::ranges::sort(changes);
        std::int64_t count = 0;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            count += changes[i].second;
            if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first) {
                trace_.count(track, changes[i].first, static_cast<double>(count));
            }
        }
    }

    /// Hit rate of L1 in percent, for each hundredth of the time that has lookups.
    void write_hits(const std::vector<Access>& accesses, Track parent)
    {
        if (accesses.empty()) {
            return;
        }
        constexpr std::size_t parts = 100;
        const double end = accesses.back().to;
        std::vector<std::int64_t> lookups(parts, 0), misses(parts, 0);
        for (const Access& access : accesses) {
            const auto part =
                std::min(static_cast<std::size_t>(access.from / end * parts), parts - 1);
            lookups[part] += access.lookups;
            misses[part] += access.misses;
        }
        const Track track = trace_.add_counter("L1 hits", "%", parent);
        for (std::size_t part = 0; part < parts; ++part) {
            if (lookups[part] > 0) {
                trace_.count(track, ns(end * static_cast<double>(part) / parts),
                             100 * (1 - static_cast<double>(misses[part]) /
                                            static_cast<double>(lookups[part])));
            }
        }
    }

    double ns_per_cycle_;
    PerfettoTrace trace_;
    Track root_;
};

std::string SimulationTimeline::bytes(const std::string& name) const
{
    return Writer(*this, name).bytes();
}

} // namespace texelscope::workbench::plots
