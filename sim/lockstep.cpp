#include "sim/lockstep.hpp"

#include "sim/access_log.hpp"
#include "sim/counting.hpp"
#include "sim/distinct_granules.hpp"
#include "sim/heat_recorder.hpp"
#include "sim/line_patterns.hpp"
#include "sim/rounds.hpp"
#include "sim/untimed.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

namespace texelscope {
namespace {

/// What may be spent on snapshots of one loop: a share of the lookups simulated inside of it. In numbers copied or
/// compared, each of which costs a fraction of a lookup.
class Budget {
public:
    /// Credits the lookups since the last call.
    void credit(std::int64_t simulated_lookups)
    {
        constexpr std::int64_t lookups_per_number = 4;
        numbers_ += (simulated_lookups - seen_) / lookups_per_number;
        seen_ = simulated_lookups - (simulated_lookups - seen_) % lookups_per_number;
    }
    /// Goes on counting at this number of lookups: what came before was not inside of the loop.
    void resume(std::int64_t simulated_lookups) { seen_ = simulated_lookups; }
    [[nodiscard]] bool allows(std::int64_t numbers) const { return numbers <= numbers_; }
    void spend(std::int64_t numbers) { numbers_ -= numbers; }

private:
    std::int64_t numbers_ = 4096; ///< so that small caches are looked at from the start
    std::int64_t seen_ = 0;
};

/// A moment to which the simulation may later turn out to have returned.
struct Mark {
    std::int64_t iteration = 0;
    CacheTree::Snapshot caches;
    Tally tally;
    AccessLog::Position log;
    std::int64_t epoch = 0; ///< of the log
    HeatRecorder::Origins origins;
};

class Lockstep {
public:
    /// `request`: the heat maps that are wanted, if any.
    Lockstep(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
             const HeatRequest* request, const StopToken& stop)
        : source_(source), options_(options), program_(program), counting_(source.images(), options, stop),
          patterns_(counting_.images(), options, program.shapes()), rounds_(source, options, program),
          late_{
              DistinctGranules(most_granules(counting_.images(), counting_.granule(), options.warp_size)), {}, {}, {}},
          loop_budgets_(static_cast<std::size_t>(program.loop_count())), values_(program.slot_count(), 0)
    {
        const std::int64_t lines = std::lcm(options.l1.line.value, options.has_l2() ? options.l2.line.value : 1);
        // A line that lies in two images would have to move by two distances.
        jumps_ = options.jump && (image_alignment % lines == 0 || counting_.images().size() == 1);
        logs_ = jumps_ || options.miss_kinds || request != nullptr;
        if (request != nullptr) {
            heat_.emplace(counting_.images(), options, *request);
        }
    }

    void run(SimulationResult& result);
    /// After run(), where maps are wanted.
    [[nodiscard]] HeatMaps heat_maps() { return heat_->maps(source_.images()); }

private:
    void run_round(const Round& round);
    void run_body(const std::vector<LaunchProgram::Statement>& body);
    void run_access(const LaunchProgram::Access& access);
    void run_loop(const LaunchProgram::Loop& loop);

    /// Whether the caches are as they were at the mark, moved by the step; pays for looking.
    bool returned_to(const Mark& mark, const MemoryShift& shift, const std::vector<Texel>& step, Budget& budget);
    /// Passes over `times` repetitions of what was done since the mark.
    void jump(const Mark& mark, const MemoryShift& shift, const std::vector<Texel>& step, std::int64_t times);
    [[nodiscard]] Mark mark_at(std::int64_t iteration, Budget& budget);
    [[nodiscard]] bool is_current(const std::optional<Mark>& mark) const { return mark && mark->epoch == log_epoch_; }

    /// The translation of memory that belongs to a step; nothing where storage does not repeat after it.
    [[nodiscard]] std::optional<MemoryShift> shift_of(const std::vector<Texel>& step,
                                                      const std::vector<bool>& reads) const;
    /// An access after the rounds, which is in no log.
    void run_late_access(int core, const WarpAccess& access);
    /// Writes the log into the set of touched granules and starts it anew.
    void flush_log();

    /// The next round, jumped to where possible.
    std::optional<Round> next_round();
    std::optional<Round> take_round();
    bool jump_rounds(Round& next);

    const TraceSource& source_;
    const SimulationOptions& options_;
    LaunchProgram& program_;
    Counting counting_;
    LinePatterns patterns_;
    RoundSource rounds_;
    AccessLog log_;
    std::int64_t log_epoch_ = 0;
    std::optional<HeatRecorder> heat_;
    std::vector<LookupDetail> details_;
    struct LateAccess {
        DistinctGranules distinct;
        std::vector<ImageTexel> reads;
        std::vector<HeatRecorder::Lookup> lookups;
        std::vector<std::int32_t> granules;
    };
    LateAccess late_; ///< scratch
    bool jumps_ = false;
    bool logs_ = false;

    const Round* round_ = nullptr; ///< under way
    std::vector<Budget> loop_budgets_;
    std::vector<std::int64_t> values_; ///< of the loop variables, by slot

    Budget round_budget_;
    std::int64_t rounds_done_ = 0;
    std::optional<Mark> round_mark_;
    std::vector<Round> since_mark_; ///< rounds done since round_mark_
    std::deque<Round> ahead_;       ///< looked at, not done
};

constexpr std::size_t longest_log = 1 << 21;              ///< entries
constexpr std::size_t most_recorded_lookups = 1 << 25;    ///< for heat maps
constexpr std::size_t most_remembered_accesses = 1 << 22; ///< of the rounds since a mark

std::vector<bool> read_images(const LaunchProgram& program, std::size_t images)
{
    std::vector<bool> reads(images, false);
    for (const int image : program.images()) {
        reads[static_cast<std::size_t>(image)] = true;
    }
    return reads;
}

std::optional<MemoryShift> Lockstep::shift_of(const std::vector<Texel>& step, const std::vector<bool>& reads) const
{
    MemoryShift shift;
    for (std::size_t image = 0; image < step.size(); ++image) {
        const Translation& period = patterns_.period(static_cast<int>(image));
        if (step[image].x % period.texels.width != 0 || step[image].y % period.texels.height != 0) {
            return std::nullopt;
        }
        shift.images.push_back({counting_.images()[image].base, bytes_moved(step[image], period), reads[image]});
    }
    return shift;
}

Mark Lockstep::mark_at(std::int64_t iteration, Budget& budget)
{
    budget.spend(counting_.caches().snapshot_size());
    return {iteration,         counting_.caches().save(),
            counting_.tally(), log_.position(),
            log_epoch_,        heat_ ? heat_->origins() : HeatRecorder::Origins{}};
}

bool Lockstep::returned_to(const Mark& mark, const MemoryShift& shift, const std::vector<Texel>& step, Budget& budget)
{
    CacheTree& caches = counting_.caches();
    if (!caches.turns_sets(shift) || !budget.allows(caches.snapshot_size())) {
        return false;
    }
    const CacheTree::Comparison comparison = caches.is_shifted(mark.caches, shift);
    budget.spend(comparison.compared);
    return comparison.equal && (!heat_ || heat_->is_shifted(mark.origins, shift, step));
}

void Lockstep::jump(const Mark& mark, const MemoryShift& shift, const std::vector<Texel>& step, std::int64_t times)
{
    counting_.repeat(mark.tally, times);
    counting_.caches().shift(shift.times(times));
    if (heat_) {
        heat_->shift(shift, step, times);
    }
    log_.repeat(mark.log, step, times);
}

void Lockstep::flush_log()
{
    if (options_.miss_kinds) {
        log_.collect_granules(counting_.touched(), counting_.images().size(), counting_.granule(), patterns_);
    }
    if (heat_) {
        heat_->count(log_, program_.shapes(), patterns_);
    }
    log_.clear();
    ++log_epoch_;
}

void Lockstep::run_access(const LaunchProgram::Access& access)
{
    const std::int32_t dx = access.x.value(values_);
    const std::int32_t dy = access.y.value(values_);
    const std::span<const PlacedAccess> placed = round_->access(access.number);
    const std::size_t cores = round_->cores.size();
    std::size_t c = 0;
    for (const PlacedAccess& at : placed) {
        const int core = round_->cores[c];
        c = c + 1 == cores ? 0 : c + 1;
        const Texel first{at.first.x + dx, at.first.y + dy};
        const LinePatterns::Placed found = patterns_.find(access.image, at.shape, first);
        const auto lanes = static_cast<std::int64_t>(program_.shapes()[at.shape].lanes.size());
        const LinePattern& pattern = *found.pattern;
        const LineList list{found.first, pattern.granules, true, pattern.runs};
        const LoggedAccess logged{first, at.shape, static_cast<std::uint16_t>(access.image),
                                  static_cast<std::uint16_t>(core)};
        if (heat_) {
            details_.resize(pattern.granules.size());
            counting_.access(core, list, pattern.texel_reads, lanes - pattern.texel_reads, details_);
            heat_->add(logged, program_.shapes()[at.shape], found, details_);
        } else {
            counting_.access(core, list, pattern.texel_reads, lanes - pattern.texel_reads);
        }
        if (logs_) {
            log_.add(logged);
        }
    }
    if (log_.size() > longest_log || (heat_ && heat_->size() > most_recorded_lookups)) {
        flush_log();
    }
}

void Lockstep::run_body(const std::vector<LaunchProgram::Statement>& body)
{
    for (const LaunchProgram::Statement& statement : body) {
        if (const auto* access = std::get_if<LaunchProgram::Access>(&statement)) {
            run_access(*access);
        } else {
            run_loop(std::get<LaunchProgram::Loop>(statement));
        }
    }
}

void Lockstep::run_loop(const LaunchProgram::Loop& loop)
{
    const bool jumps = jumps_ && loop.period && loop.extent >= 3 * *loop.period;
    Budget& budget = loop_budgets_[static_cast<std::size_t>(loop.number)];
    budget.resume(counting_.simulated_lookups());
    std::optional<Mark> mark;
    for (std::int64_t i = 0; i < loop.extent; ++i) {
        if (jumps && i % *loop.period == 0) {
            budget.credit(counting_.simulated_lookups());
            const std::int64_t distance = is_current(mark) ? i - mark->iteration : 0;
            if (distance > 0 && loop.extent - i >= distance) {
                std::vector<Texel> step = loop.distance;
                for (Texel& s : step) {
                    const auto periods = static_cast<std::int32_t>(distance / *loop.period);
                    s = {s.x * periods, s.y * periods};
                }
                const auto shift = shift_of(step, loop.reads);
                if (shift && returned_to(*mark, *shift, step, budget)) {
                    const std::int64_t times =
                        std::min((loop.extent - i) / distance,
                                 log_.most_repeats(mark->log, step, counting_.images(), program_.shapes()));
                    if (times > 0) {
                        jump(*mark, *shift, step, times);
                        i += times * distance;
                    }
                    mark.reset();
                }
            }
            const bool due = !is_current(mark) || i >= 2 * mark->iteration;
            if (due && loop.extent - i >= 2 * *loop.period && budget.allows(counting_.caches().snapshot_size())) {
                mark = mark_at(i, budget);
            }
        }
        if (i < loop.extent) {
            values_[loop.slot] = i;
            run_body(loop.body);
        }
    }
    values_[loop.slot] = 0;
}

void Lockstep::run_round(const Round& round)
{
    round_ = &round;
    run_body(program_.body());
    ++rounds_done_;
}

std::optional<Round> Lockstep::take_round()
{
    if (ahead_.empty()) {
        return rounds_.next();
    }
    std::optional<Round> round = std::move(ahead_.front());
    ahead_.pop_front();
    return round;
}

bool Lockstep::jump_rounds(Round& next)
{
    const std::size_t distance = since_mark_.size();
    const auto step = step_between(since_mark_.front(), next, program_.images(), counting_.images().size());
    const auto shift = step ? shift_of(*step, read_images(program_, step->size())) : std::nullopt;
    if (!shift || !returned_to(*round_mark_, *shift, *step, round_budget_)) {
        return false;
    }
    // How many of the rounds to come are those since the mark, moved?
    const std::int64_t most = log_.most_repeats(round_mark_->log, *step, counting_.images(), program_.shapes());
    std::int64_t matched = 0;
    std::vector<Round> unfinished; // those since the last whole repetition
    std::optional<Round> round = std::move(next);
    while (round) {
        const std::int64_t times = matched / static_cast<std::int64_t>(distance) + 1;
        if (times > most) {
            break;
        }
        const auto found = step_between(since_mark_[static_cast<std::size_t>(matched) % distance], *round,
                                        program_.images(), counting_.images().size());
        std::vector<Texel> expected = *step;
        for (Texel& s : expected) {
            s = {static_cast<std::int32_t>(s.x * times), static_cast<std::int32_t>(s.y * times)};
        }
        if (found != expected) {
            break;
        }
        unfinished.push_back(std::move(*round));
        if (unfinished.size() == distance) {
            unfinished.clear();
        }
        ++matched;
        round = take_round();
    }
    if (round) {
        unfinished.push_back(std::move(*round));
    }
    for (auto back = unfinished.rbegin(); back != unfinished.rend(); ++back) {
        ahead_.push_front(std::move(*back));
    }
    const std::int64_t times = matched / static_cast<std::int64_t>(distance);
    if (times > 0) {
        jump(*round_mark_, *shift, *step, times);
        rounds_done_ += times * static_cast<std::int64_t>(distance);
    }
    return true;
}

std::optional<Round> Lockstep::next_round()
{
    std::optional<Round> round = take_round();
    if (!round || !jumps_) {
        return round;
    }
    round_budget_.credit(counting_.simulated_lookups());
    if (is_current(round_mark_) && !since_mark_.empty() && jump_rounds(*round)) {
        round_mark_.reset();
        since_mark_.clear();
        round = take_round();
        if (!round) {
            return round;
        }
    }
    const std::size_t remembered = since_mark_.size() * round->placed.size();
    const bool due =
        !is_current(round_mark_) || rounds_done_ >= 2 * round_mark_->iteration || remembered > most_remembered_accesses;
    if (due && round_budget_.allows(counting_.caches().snapshot_size())) {
        round_mark_ = mark_at(rounds_done_, round_budget_);
        since_mark_.clear();
    }
    if (is_current(round_mark_)) {
        since_mark_.push_back(*round);
    }
    return round;
}

void Lockstep::run_late_access(int core, const WarpAccess& access)
{
    if (!heat_) {
        counting_.access(core, access);
        return;
    }
    late_.distinct.clear();
    late_.reads.clear();
    late_.lookups.clear();
    late_.granules.clear();
    for (const LaneRead& read : access.lanes) {
        const StoredImage& image = counting_.images()[read.image];
        if (!image.extent.contains(read.texel) && image.address_mode == AddressMode::border) {
            continue;
        }
        const ImageTexel at{read.image,
                            image.extent.contains(read.texel) ? read.texel : image.extent.clamp(read.texel)};
        late_.reads.push_back(at);
        const std::int64_t address = image.address(at.texel);
        const std::int64_t last = (address + image.bytes_per_texel - 1) / counting_.granule();
        for (std::int64_t granule = address / counting_.granule(); granule <= last; ++granule) {
            if (late_.distinct.insert(granule)) {
                late_.granules.push_back(static_cast<std::int32_t>(granule));
                late_.lookups.push_back({granule, at});
                if (options_.miss_kinds) {
                    counting_.touched()[static_cast<std::size_t>(core) * counting_.images().size() + at.image].insert(
                        granule);
                }
            }
        }
    }
    details_.resize(late_.granules.size());
    const auto count = static_cast<std::int64_t>(late_.reads.size());
    counting_.access(core, {0, late_.granules, true}, count, static_cast<std::int64_t>(access.lanes.size()) - count,
                     details_);
    heat_->count(core, late_.reads, late_.lookups, details_);
}

void Lockstep::run(SimulationResult& result)
{
    while (const std::optional<Round> round = next_round()) {
        run_round(*round);
    }
    flush_log();
    RoundSource::Rest rest = std::move(rounds_).rest();
    std::vector<UntimedCore> cores;
    for (std::size_t core = 0; core < rest.dispatch.size(); ++core) {
        cores.emplace_back(source_, options_, std::move(rest.dispatch[core]), rest.resident[core]);
    }
    run_cores(cores, [&](int core, WarpId, const WarpAccess& access) { run_late_access(core, access); });
    add_cores(cores, result);
    for (std::size_t core = 0; core < cores.size(); ++core) {
        if (options_.group_schedule == GroupSchedule::batch) {
            result.cores[core].occupancy_groups += rest.occupancy_groups[core];
        }
    }
    counting_.finish(result);
}

} // namespace

void run_lockstep(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
                  const StopToken& stop, SimulationResult& result)
{
    Lockstep(source, options, program, nullptr, stop).run(result);
}

HeatMaps run_lockstep(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
                      const HeatRequest& request, const StopToken& stop, SimulationResult& result)
{
    Lockstep lockstep(source, options, program, &request, stop);
    lockstep.run(result);
    return lockstep.heat_maps();
}

} // namespace texelscope
