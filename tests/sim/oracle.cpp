#include "tests/sim/oracle.hpp"

#include "sim/options/options.hpp"
#include "tests/sim/layout_oracle.hpp"

#include <algorithm>
#include <functional>

namespace texelscope::test {
using namespace sim;

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t unit)
{
    while (value % unit != 0) {
        ++value;
    }
    return value;
}

void add(CacheStatistics& sum, const CacheStatistics& s)
{
    sum.texel_reads += s.texel_reads;
    sum.lookups += s.lookups;
    sum.hits += s.hits;
    sum.compulsory += s.compulsory;
    sum.capacity += s.capacity;
    sum.conflict += s.conflict;
    sum.evictions += s.evictions;
    sum.bytes_filled.value += s.bytes_filled.value;
}

/// Address of the first byte of each texel of each image.
class AddressMap {
public:
    /// `bases`: empty where the images lie one after the other.
    AddressMap(const std::vector<Image>& images, const LayoutSpec& spec,
               const std::vector<std::int64_t>& bases)
    {
        std::int64_t base = 0;
        for (const Image& image : images) {
            images_.push_back(stored_image(image.buffer ? LayoutSpec{} : spec, image.extent,
                                           image.bytes_per_texel.value));
            base_.push_back(bases.empty() ? base : bases[base_.size()]);
            base = round_up(base + images_.back().size, 4096);
        }
    }
    std::int64_t at(std::uint16_t image, Texel t) const
    {
        return base_[image] + images_[image].at(t);
    }

private:
    std::vector<StoredOffsets> images_;
    std::vector<std::int64_t> base_;
};

struct WarpId {
    std::int64_t group = 0;
    std::int32_t warp = 0;
    auto operator<=>(const WarpId&) const = default;
};
struct Issue {
    WarpId id;
    std::uint32_t step = 0;
};
/// warp -> step -> lane -> row
using Warps = std::map<WarpId, std::map<std::uint32_t, std::map<std::int32_t, TraceRow>>>;

std::size_t occupancy_of(const SimulationOptions& o)
{
    if (o.kernel.occupancy) {
        return static_cast<std::size_t>(*o.kernel.occupancy);
    }
    const int most =
        std::min(o.kernel.local_warps.value_or(o.machine.warps_per_core), o.machine.warps_per_core);
    if (o.kernel.compiled_warps) {
        return static_cast<std::size_t>(std::min(*o.kernel.compiled_warps, most));
    }
    if (!o.machine.registers_per_core || !o.kernel.registers_per_item) {
        return static_cast<std::size_t>(most);
    }
    std::int64_t taken = *o.kernel.registers_per_item;
    if (o.machine.register_rule == RegisterRule::half_above) {
        taken = taken > 32 ? 64 : 32;
    } else {
        while (taken % o.machine.register_step != 0) {
            ++taken;
        }
    }
    int fit = 1; // in each partition
    while ((fit + 1) * taken * o.machine.warp_size <=
           *o.machine.registers_per_core / o.machine.register_partitions) {
        ++fit;
    }
    return static_cast<std::size_t>(std::min(fit * o.machine.register_partitions, most));
}

/// The warps of one core, in order, cut into occupancy groups.
std::vector<std::vector<WarpId>> occupancy_groups(const std::vector<WarpId>& warps,
                                                  std::size_t occupancy)
{
    std::vector<std::vector<WarpId>> work_groups;
    for (const WarpId id : warps) {
        if (work_groups.empty() || work_groups.back().back().group != id.group) {
            work_groups.emplace_back();
        }
        work_groups.back().push_back(id);
    }
    std::vector<std::vector<WarpId>> result;
    bool open = false; // whether further work-groups may be packed into the last one
    for (const std::vector<WarpId>& g : work_groups) {
        if (g.size() > occupancy) {
            for (std::size_t i = 0; i < g.size(); ++i) {
                if (i % occupancy == 0) {
                    result.emplace_back();
                }
                result.back().push_back(g[i]);
            }
            open = false;
            continue;
        }
        if (!open || result.back().size() + g.size() > occupancy) {
            result.emplace_back();
        }
        result.back().insert(result.back().end(), g.begin(), g.end());
        open = true;
    }
    return result;
}

std::vector<Issue> batch_order(const Warps& warps, const std::vector<std::vector<WarpId>>& groups)
{
    std::vector<Issue> issues;
    for (const std::vector<WarpId>& group : groups) {
        std::set<std::uint32_t> steps;
        for (const WarpId id : group) {
            for (const auto& [step, lanes] : warps.at(id)) {
                steps.insert(step);
            }
        }
        for (const std::uint32_t step : steps) {
            for (const WarpId id : group) {
                if (warps.at(id).contains(step)) {
                    issues.push_back({id, step});
                }
            }
        }
    }
    return issues;
}

std::vector<Issue> refill_order(const Warps& warps, const std::vector<WarpId>& mine,
                                std::size_t occupancy)
{
    std::deque<WarpId> waiting(mine.begin(), mine.end());
    std::vector<std::deque<Issue>> slots(occupancy);
    std::vector<Issue> issues;
    for (;;) {
        // between two rounds, slots that ran empty take the next warps
        for (std::deque<Issue>& slot : slots) {
            if (slot.empty() && !waiting.empty()) {
                for (const auto& [step, lanes] : warps.at(waiting.front())) {
                    slot.push_back({waiting.front(), step});
                }
                waiting.pop_front();
            }
        }
        const std::size_t before = issues.size();
        for (std::deque<Issue>& slot : slots) {
            if (!slot.empty()) {
                issues.push_back(slot.front());
                slot.pop_front();
            }
        }
        if (issues.size() == before) {
            return issues;
        }
    }
}

} // namespace

OracleCache::OracleCache(const CacheGeometry& geometry) : geometry_(geometry)
{
    const std::int64_t lines = geometry.capacity.value / geometry.line.value;
    const std::int64_t ways = geometry.ways == 0 ? lines : geometry.ways;
    sets_.resize(static_cast<std::size_t>(lines / ways));
    for (Set& set : sets_) {
        set.ways.resize(static_cast<std::size_t>(ways));
    }
}

std::int64_t OracleCache::set_of(std::int64_t line) const
{
    const auto sets = static_cast<std::int64_t>(sets_.size());
    if (geometry_.index == SetIndex::modulo || sets == 1) {
        return line % sets;
    }
    std::int64_t folded = 0;
    for (; line > 0; line /= sets) {
        folded ^= line % sets;
    }
    return folded;
}

void OracleCache::use(Set& set, int way, bool fill)
{
    if (fill || geometry_.replacement != ReplacementKind::fifo) {
        std::erase(set.order, way);
        set.order.push_back(way);
    }
    // Each node on the way down to the leaf is made to point at its other half.
    for (int first = 0, count = static_cast<int>(set.ways.size()); count > 1;) {
        const int half = count / 2;
        const bool in_left = way < first + half;
        set.right[{first, count}] = in_left;
        first += in_left ? 0 : half;
        count = half;
    }
}

int OracleCache::victim(const Set& set) const
{
    if (geometry_.replacement != ReplacementKind::plru) {
        return set.order.front();
    }
    int first = 0;
    for (int count = static_cast<int>(set.ways.size()); count > 1; count /= 2) {
        first += set.right.at({first, count}) ? count / 2 : 0;
    }
    return first;
}

bool OracleCache::shadow_hits(std::int64_t line, std::int64_t granule)
{
    auto found =
        std::find_if(shadow_.begin(), shadow_.end(), [&](const Way& w) { return w.line == line; });
    if (found == shadow_.end()) {
        shadow_.push_front({line, {}});
    } else {
        shadow_.splice(shadow_.begin(), shadow_, found);
    }
    if (static_cast<std::int64_t>(shadow_.size()) >
        geometry_.capacity.value / geometry_.line.value) {
        shadow_.pop_back();
    }
    return !shadow_.front().sectors.insert(granule).second;
}

LookupOutcome OracleCache::lookup(std::int64_t address)
{
    const std::int64_t unit =
        geometry_.sector.value > 0 ? geometry_.sector.value : geometry_.line.value;
    const std::int64_t line = address / geometry_.line.value;
    const std::int64_t granule = address / unit;
    const bool first_touch = touched_.insert(granule).second;
    const bool shadow_hit = shadow_hits(line, granule);

    LookupOutcome outcome;
    Set& set = sets_[static_cast<std::size_t>(set_of(line))];
    int way = -1;
    for (int w = 0; w < static_cast<int>(set.ways.size()); ++w) {
        if (set.ways[static_cast<std::size_t>(w)].line == line) {
            way = w;
        }
    }
    const bool line_present = way >= 0;
    if (!line_present) {
        for (int w = static_cast<int>(set.ways.size()) - 1; w >= 0; --w) {
            if (set.ways[static_cast<std::size_t>(w)].line == -1) {
                way = w;
            }
        }
        if (way < 0) {
            way = victim(set);
            outcome.evicted = set.ways[static_cast<std::size_t>(way)].line * geometry_.line.value;
            ++statistics.evictions;
        }
        set.ways[static_cast<std::size_t>(way)] = {line, {}};
    }
    use(set, way, !line_present);

    ++statistics.lookups;
    if (!set.ways[static_cast<std::size_t>(way)].sectors.insert(granule).second) {
        ++statistics.hits;
        return outcome;
    }
    statistics.bytes_filled.value += unit;
    if (first_touch) {
        outcome.miss = MissKind::compulsory;
        ++statistics.compulsory;
    } else if (!shadow_hit) {
        outcome.miss = MissKind::capacity;
        ++statistics.capacity;
    } else {
        outcome.miss = MissKind::conflict;
        ++statistics.conflict;
    }
    return outcome;
}

OracleResult oracle_simulate(const std::vector<Image>& images, const std::vector<TraceRow>& rows,
                             const SimulationOptions& options, OracleSequence* sequence)
{
    const AddressMap addresses(images, options.machine.layout,
                               sequence == nullptr ? std::vector<std::int64_t>{} : sequence->bases);
    const std::size_t occupancy = occupancy_of(options);
    OracleResult result;
    SimulationResult& total = result.counters;

    Warps warps;
    std::set<std::int64_t> groups;
    for (const TraceRow& row : rows) {
        warps[{row.group, row.item / options.machine.warp_size}][row.step]
             [row.item % options.machine.warp_size] = row;
        groups.insert(row.group);
    }
    total.groups = static_cast<std::int64_t>(groups.size());
    total.warps = static_cast<std::int64_t>(warps.size());

    // The order of the accesses of each core.
    std::vector<std::deque<Issue>> left;
    for (int core = 0; core < options.machine.cores; ++core) {
        std::vector<WarpId> mine;
        for (const auto& [id, steps] : warps) {
            if (id.group % options.machine.cores == core) {
                mine.push_back(id);
            }
        }
        CoreResult& c = total.cores.emplace_back();
        c.warps = static_cast<std::int64_t>(mine.size());
        std::vector<Issue> issues;
        if (options.machine.group_schedule == GroupSchedule::batch) {
            const auto cut = occupancy_groups(mine, occupancy);
            c.occupancy_groups = static_cast<std::int64_t>(cut.size());
            total.occupancy_groups += c.occupancy_groups;
            auto& batches = result.batches.emplace_back();
            for (const std::vector<WarpId>& group : cut) {
                batches.emplace_back();
                for (const WarpId id : group) {
                    batches.back().emplace_back(id.group, id.warp);
                }
            }
            issues = batch_order(warps, cut);
        } else {
            issues = refill_order(warps, mine, occupancy);
        }
        left.emplace_back(issues.begin(), issues.end());
    }

    std::vector<OracleCache> l1(static_cast<std::size_t>(options.machine.cores),
                                OracleCache(options.machine.l1().geometry));
    std::vector<OracleCache> buffer_l1; // where buffers have caches of their own
    if (options.kernel.buffers.kind == BufferPath::Kind::own_l1) {
        CacheGeometry geometry = options.machine.l1().geometry;
        geometry.capacity = options.kernel.buffers.capacity;
        buffer_l1.assign(static_cast<std::size_t>(options.machine.cores), OracleCache(geometry));
    }
    /// A level behind L1: one cache, or one of each core.
    struct Level {
        CacheLevel what;
        std::int64_t unit = 0; ///< bytes that it fetches
        std::vector<OracleCache> caches;
    };
    std::vector<Level> behind;
    std::size_t shared = 0;
    for (const CacheLevel& level : options.machine.caches) {
        const CacheGeometry& geometry = level.geometry;
        if (level.name == "L1" || geometry.capacity.value == 0) {
            continue;
        }
        Level& out = behind.emplace_back();
        out.what = level;
        out.unit = geometry.sector.value > 0 ? geometry.sector.value : geometry.line.value;
        out.caches.assign(level.shared ? 1 : static_cast<std::size_t>(options.machine.cores),
                          OracleCache(geometry));
        if (level.shared && sequence != nullptr) {
            out.caches.front() = sequence->shared.at(shared++);
            out.caches.front().statistics = {};
        }
    }
    const std::int64_t unit = options.machine.l1().geometry.sector.value > 0
                                  ? options.machine.l1().geometry.sector.value
                                  : options.machine.l1().geometry.line.value;

    const auto access = [&](std::size_t core, const Issue& issue) {
        std::vector<OracleEvent> needed; // one for each distinct line (sector)
        for (const auto& [lane, row] : warps.at(issue.id).at(issue.step)) {
            const Image& image = images[row.image];
            Texel t = row.texel;
            if (!image.extent.contains(t)) {
                if (image.address_mode == AddressMode::border) {
                    ++total.border_reads;
                    continue;
                }
                t.x = std::min(std::max(t.x, 0), image.extent.width - 1);
                t.y = std::min(std::max(t.y, 0), image.extent.height - 1);
            }
            ++l1[core].statistics.texel_reads;
            const std::int64_t first = addresses.at(row.image, t);
            for (std::int64_t byte = first; byte < first + image.bytes_per_texel.value; ++byte) {
                const std::int64_t address = byte / unit * unit;
                if (std::none_of(needed.begin(), needed.end(),
                                 [&](const OracleEvent& e) { return e.address == address; })) {
                    needed.push_back({static_cast<int>(core),
                                      issue.id.group,
                                      issue.id.warp,
                                      issue.step,
                                      total.steps,
                                      row.image,
                                      t,
                                      address,
                                      address / options.machine.l1().geometry.line.value *
                                          options.machine.l1().geometry.line.value,
                                      {},
                                      {}});
                }
            }
        }
        for (OracleEvent& event : needed) {
            const bool buffer = images[event.image].buffer;
            const bool past = buffer && options.kernel.buffers.kind == BufferPath::Kind::l2;
            if (!past) {
                event.l1 =
                    (buffer && !buffer_l1.empty() ? buffer_l1 : l1)[core].lookup(event.address);
            }
            bool missed = past || !event.l1.hit();
            std::int64_t asked =
                event.address; // what one level does not have it asks the next for, as a whole
            for (Level& level : behind) {
                if (missed) {
                    event.behind.push_back(
                        level.caches[level.what.shared ? 0 : core].lookup(asked));
                    missed = !event.behind.back().hit();
                    asked = asked / level.unit * level.unit;
                }
            }
            result.events.push_back(event);
        }
        ++total.steps;
    };

    for (bool any = true; any;) {
        any = false;
        for (std::size_t core = 0; core < left.size(); ++core) {
            if (!left[core].empty()) {
                access(core, left[core].front());
                left[core].pop_front();
                any = true;
            }
        }
    }

    for (std::size_t core = 0; core < left.size(); ++core) {
        total.cores[core].l1 = l1[core].statistics;
        if (!buffer_l1.empty()) {
            add(total.cores[core].l1, buffer_l1[core].statistics);
        }
        add(total.l1, total.cores[core].l1);
    }
    total.memory_bytes = total.l1.bytes_filled;
    if (sequence != nullptr) {
        sequence->shared.clear();
    }
    for (const Level& level : behind) {
        LevelStatistics& sum = total.behind.emplace_back();
        sum.name = level.what.name;
        for (const OracleCache& cache : level.caches) {
            add(sum.counts, cache.statistics);
        }
        total.memory_bytes = sum.counts.bytes_filled;
        if (sequence != nullptr && level.what.shared) {
            sequence->shared.push_back(level.caches.front());
        }
    }
    total.occupancy.warps = static_cast<int>(occupancy);
    return result;
}

} // namespace texelscope::test
