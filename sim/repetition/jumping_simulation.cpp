// What rounds and loops have in common when they jump: the memory hierarchy with its counters, the
// log of what was simulated, and checkpoints of both.

#include "sim/repetition/jumping_simulation.hpp"

#include <algorithm>
#include <numeric>

namespace texelscope::sim {
namespace {

constexpr std::size_t longest_log = 1 << 21;           ///< entries
constexpr std::size_t most_recorded_lookups = 1 << 25; ///< for heat maps

/// Whether two images share memory, as they may in a sequence.
bool overlap(std::span<const StoredImage> images)
{
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (images[i].base < images[j].base + images[j].layout.size().value &&
                images[j].base < images[i].base + images[i].layout.size().value) {
                return true;
            }
        }
    }
    return false;
}

} // namespace

std::vector<Texel> multiplied(std::vector<Texel> step, std::int64_t times)
{
    for (Texel& s : step) {
        s = {static_cast<std::int32_t>(s.x * times), static_cast<std::int32_t>(s.y * times)};
    }
    return step;
}

JumpingSimulation::JumpingSimulation(std::span<const Image> images,
                                     const SimulationOptions& options, const LaneShapes& shapes,
                                     const HeatRequest* request, const StopToken& stop,
                                     SequenceMemory* sequence)
    : stop_(stop), shapes_(shapes), miss_kinds_(options.mode.miss_kinds),
      memory_(images, options, stop, {}, sequence), patterns_(memory_.images(), options, shapes)
{
    const std::int64_t lines = options.machine.common_line();
    // No cache line may lie in two images: it would have to move by two distances. So lines must
    // divide the alignment of images, unless there is a single image, and images must not overlap.
    jumps_ = options.mode.jump &&
             (image_alignment % lines == 0 || (images.size() == 1 && sequence == nullptr)) &&
             !overlap(memory_.images());
    logs_ = jumps_ || options.mode.miss_kinds || request != nullptr;
    if (request != nullptr) {
        heat_.emplace(memory_.images(), options, *request);
    }
}

void JumpingSimulation::begin_cores(int first, int last)
{
    memory_.caches().look_at_cores(first, last);
}

void JumpingSimulation::end_cores()
{
    if (heat_) {
        heat_->forget_origins();
    }
}

void JumpingSimulation::simulate(const LoggedAccess& access)
{
    const LinePatterns::Placed found = patterns_.find(access.image, access.shape, access.first);
    const LinePattern& pattern = *found.pattern;
    const std::int64_t border_reads =
        static_cast<std::int64_t>(shapes_[access.shape].lanes.size()) - pattern.texel_reads;
    if (heat_) {
        details_.resize(pattern.granules.size());
        memory_.access(access.core, found.lines(), pattern.texel_reads, border_reads, details_);
        heat_->add(access, shapes_[access.shape], found, details_);
    } else {
        memory_.access(access.core, access.image, found.lines(), pattern.texel_reads, border_reads);
    }
    if (logs_) {
        log_.add(access);
        if (log_.size() > longest_log || (heat_ && heat_->size() > most_recorded_lookups)) {
            flush_log();
        }
    }
}

Checkpoint JumpingSimulation::checkpoint_at(std::int64_t iteration, Budget& budget)
{
    budget.spend(snapshot_size());
    return {iteration,          memory_.caches().save(),
            memory_.counters(), log_.position(),
            log_epoch_,         heat_ ? heat_->origins() : HeatRecorder::Origins{}};
}

// The translation of memory that belongs to a step of each image. There is none where a step is no
// multiple of the storage layout's period, or where it does not rotate the sets of every cache.
std::optional<MemoryShift> JumpingSimulation::shift_of(const std::vector<Texel>& step,
                                                       const std::vector<bool>& reads) const
{
    MemoryShift shift;
    for (std::size_t image = 0; image < step.size(); ++image) {
        const Translation& period = patterns_.period(static_cast<int>(image));
        if (step[image].x % period.texels.width != 0 || step[image].y % period.texels.height != 0) {
            return std::nullopt;
        }
        const StoredImage& stored = memory_.images()[image];
        shift.images.push_back({stored.base, bytes_moved(step[image], period), reads[image]});
        // Addresses behind the image do not move.
        shift.images.push_back({stored.base + stored.layout.size().value, 0, false});
    }
    std::ranges::stable_sort(shift.images, {}, &MemoryShift::ImageBytes::first);
    return memory_.caches().rotates_sets(shift) ? std::optional(shift) : std::nullopt;
}

bool JumpingSimulation::returned_to(const Checkpoint& checkpoint, const MemoryShift& shift,
                                    const std::vector<Texel>& step, Budget& budget) const
{
    if (!affords_checkpoint(budget)) {
        return false;
    }
    const CacheHierarchy::Comparison comparison =
        memory_.caches().is_shifted(checkpoint.caches, shift);
    budget.spend(comparison.compared);
    return comparison.equal && (!heat_ || heat_->is_shifted(checkpoint.origins, shift, step));
}

std::int64_t JumpingSimulation::most_repeats(const Checkpoint& checkpoint, const Checkpoint* part,
                                             const std::vector<Texel>& step) const
{
    return log_.most_repeats(checkpoint.log, part != nullptr ? part->log : log_.position(), step,
                             memory_.images(), shapes_);
}

void JumpingSimulation::jump(const Checkpoint& checkpoint, const Checkpoint* part,
                             const MemoryShift& shift, const std::vector<Texel>& step,
                             std::int64_t times)
{
    if (times > 0) {
        memory_.repeat(checkpoint.counters, memory_.counters(), times);
        log_.repeat(checkpoint.log, log_.position(), step, times);
    }
    // Where the jump ends in the middle of a repetition, the caches are those at `part`, translated
    // once more; else they are the present ones, translated.
    CacheHierarchy& caches = memory_.caches();
    if (part != nullptr) {
        ++times;
        memory_.repeat(checkpoint.counters, part->counters, 1);
        log_.repeat(checkpoint.log, part->log, multiplied(step, times), 1);
        caches.restore(part->caches);
        if (heat_) {
            heat_->restore(part->origins);
        }
    }
    caches.shift(shift.times(times));
    if (heat_) {
        heat_->shift(shift, step, times);
    }
}

// The log is bounded: it is evaluated and emptied. Checkpoints from before then have lost their
// stretch, which is_current() tells by the epoch.
void JumpingSimulation::flush_log()
{
    if (miss_kinds_) {
        log_.collect_granules(memory_.touched(), memory_.images().size(), memory_.granule(),
                              patterns_);
    }
    if (heat_) {
        StopCheck check_stop(stop_);
        heat_->count(log_, shapes_, patterns_, check_stop);
    }
    log_.clear();
    ++log_epoch_;
}

void JumpingSimulation::finish(SimulationResult& result)
{
    flush_log();
    memory_.finish(result);
}

} // namespace texelscope::sim
