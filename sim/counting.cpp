#include "sim/counting.hpp"

#include "sim/lane_shape.hpp"
#include "sim/line_patterns.hpp"
#include "sim/untimed.hpp"

#include <optional>

namespace texelscope {

Counting::Counting(std::span<const Image> images, const SimulationOptions& options, const StopToken& stop)
    : options_(options), stop_(stop), images_(store_images(images, options)), caches_(options, storage_size(images_)),
      granule_(options.l1.granule().value), touched_(static_cast<std::size_t>(options.cores) * images.size()),
      coalescer_(images_, granule_)
{}

void Counting::access(int core, const WarpAccess& access)
{
    const Coalescer::Coalesced found = coalescer_.coalesce(access.lanes);
    for (std::size_t i = 0; options_.miss_kinds && i < found.granules.size(); ++i) {
        const std::size_t image = found.images.empty() ? found.image : found.images[i];
        touched_[static_cast<std::size_t>(core) * images_.size() + image].insert(found.granules[i]);
    }
    this->access(core, {0, found.granules, true}, found.texel_reads,
                 static_cast<std::int64_t>(access.lanes.size()) - found.texel_reads);
}

void Counting::repeat(const Tally& from, const Tally& to, std::int64_t times)
{
    caches_.add(from.caches, to.caches, times);
    steps_ += (to.steps - from.steps) * times;
    border_reads_ += (to.border_reads - from.border_reads) * times;
}

CacheStatistics Counting::statistics(const CacheCounts& counts, std::int64_t compulsory,
                                     const CacheGeometry& geometry) const
{
    CacheStatistics statistics;
    statistics.texel_reads = counts.texel_reads;
    statistics.lookups = counts.lookups;
    statistics.hits = counts.lookups - counts.misses;
    if (options_.miss_kinds) {
        // The first touch of a granule misses in every cache.
        statistics.compulsory = compulsory;
        statistics.capacity = counts.ideal_misses - compulsory;
        statistics.conflict = counts.misses - counts.ideal_misses;
    } else {
        statistics.unclassified = counts.misses;
    }
    statistics.evictions = counts.evictions;
    statistics.bytes_filled = geometry.granule() * counts.misses;
    return statistics;
}

void Counting::finish(SimulationResult& result) const
{
    const std::size_t images = images_.size();
    for (std::size_t core = 0; core < result.cores.size(); ++core) {
        BitField touched; // a granule may lie in two images
        for (std::size_t image = 0; image < images; ++image) {
            touched.insert_shifted(touched_[core * images + image], 0);
        }
        result.cores[core].l1 = statistics(caches_.counts()[core], touched.count(), options_.l1);
        result.memory_bytes += result.cores[core].l1.bytes_filled;
    }
    if (options_.has_l2()) {
        // What some core touches first, no core has in L1: L2 sees the first touch of every granule of L1.
        BitField all;
        for (const BitField& field : touched_) {
            all.insert_shifted(field, 0);
        }
        const std::int64_t compulsory = all.scaled(granule_, options_.l2.granule().value).count();
        result.l2 = statistics(caches_.counts().back(), compulsory, options_.l2);
        result.memory_bytes = result.l2.bytes_filled;
    }
    result.steps = steps_;
    result.simulated_steps = steps_simulated_;
    result.border_reads = border_reads_;
}

namespace {

/// Counts accesses whose lanes come again, moved: they are coalesced once for every place in the storage layout.
class RepeatedCounting {
public:
    RepeatedCounting(Counting& counting, const SimulationOptions& options)
        : counting_(counting), patterns_(counting.images(), options, shapes_), miss_kinds_(options.miss_kinds)
    {}

    void access(int core, const WarpAccess& access)
    {
        RepeatedLanes& repeated = *access.repeated;
        if (repeated.number == unknown) {
            repeated.number = number_of(repeated.lanes);
        }
        const auto lanes = static_cast<std::int64_t>(repeated.lanes.size());
        const LaneRead& first = repeated.lanes.front();
        if (repeated.number == no_shape || !is_near(access.shift)) {
            counting_.access(core, moved(access));
            return;
        }
        const Texel place{first.texel.x + access.shift.x, first.texel.y + access.shift.y};
        const LinePatterns::Placed found = patterns_.find(first.image, repeated.number, place);
        const LinePattern& pattern = *found.pattern;
        for (std::size_t i = 0; miss_kinds_ && i < pattern.granules.size(); ++i) {
            counting_.touched()[static_cast<std::size_t>(core) * counting_.images().size() + first.image].insert(
                found.first + pattern.granules[i]);
        }
        counting_.access(core, {found.first, pattern.granules, true, pattern.runs, pattern.longest_run},
                         pattern.texel_reads, lanes - pattern.texel_reads);
    }

private:
    static constexpr int unknown = -1;
    static constexpr int no_shape = -2; ///< several images, or texels so far away that differences overflow

    static bool is_near(Texel texel)
    {
        constexpr std::int32_t far = std::int32_t{1} << 28;
        return texel.x > -far && texel.x < far && texel.y > -far && texel.y < far;
    }

    int number_of(std::span<const LaneRead> lanes)
    {
        std::vector<std::int32_t> x;
        std::vector<std::int32_t> y;
        for (const LaneRead& read : lanes) {
            if (read.image != lanes.front().image || !is_near(read.texel)) {
                return no_shape;
            }
            x.push_back(read.texel.x);
            y.push_back(read.texel.y);
        }
        return shapes_.number(x, y);
    }

    const WarpAccess& moved(const WarpAccess& access)
    {
        const auto plus = [](std::int32_t a, std::int32_t b) { // modulo 2^32
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
        };
        scratch_.step = access.step;
        scratch_.lanes = access.repeated->lanes;
        for (LaneRead& read : scratch_.lanes) {
            read.texel = {plus(read.texel.x, access.shift.x), plus(read.texel.y, access.shift.y)};
        }
        return scratch_;
    }

    Counting& counting_;
    LaneShapes shapes_;
    LinePatterns patterns_;
    bool miss_kinds_;
    WarpAccess scratch_;
};

} // namespace

void run_streamed(const TraceSource& source, const SimulationOptions& options, const StopToken& stop,
                  SimulationResult& result)
{
    Counting counting(source.images(), options, stop);
    std::optional<RepeatedCounting> repeated; // its tables are wanted for few sources
    std::vector<UntimedCore> cores;
    for (int core = 0; core < options.cores; ++core) {
        cores.emplace_back(source, options, core, true);
    }
    run_cores(cores, [&](int core, WarpId, const WarpAccess& access) {
        if (!access.repeated) {
            counting.access(core, access);
            return;
        }
        if (!repeated) {
            repeated.emplace(counting, options);
        }
        repeated->access(core, access);
    });
    add_cores(cores, result);
    counting.finish(result);
}

} // namespace texelscope
