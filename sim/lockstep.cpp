#include "sim/lockstep.hpp"

#include "sim/access_log.hpp"
#include "sim/counting.hpp"
#include "sim/heat_recorder.hpp"
#include "sim/line_patterns.hpp"
#include "sim/program_core.hpp"
#include "sim/rounds.hpp"

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
    /// Whether it is worth while to look for repetition at all; pays for looking.
    [[nodiscard]] bool allows_look()
    {
        constexpr std::int64_t price = 64; // computing a translation, and what it does to the sets
        const bool allowed = numbers_ >= price;
        numbers_ -= allowed ? price : 0;
        return allowed;
    }
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

/// Moments of a loop under way.
struct LoopMarks {
    std::vector<Mark> starts;
    /// So many iterations before the loop's end that whole repetitions after it would end with the loop: where the rest
    /// of the last one can be had from.
    std::optional<Mark> part;
};

class Lockstep {
public:
    /// `request`: the heat maps that are wanted, if any.
    Lockstep(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
             const HeatRequest* request, const StopToken& stop)
        : source_(source), options_(options), stop_(stop), program_(program), counting_(source.images(), options, stop),
          patterns_(counting_.images(), options, program.shapes()),
          loop_budgets_(static_cast<std::size_t>(program.loop_count())), jump_periods_(loop_budgets_.size()),
          values_(program.slot_count(), 0)
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
    [[nodiscard]] HeatMaps heat_maps(std::span<const Image> images) { return heat_->maps(images); }

private:
    void run_cores(int first, int last, SimulationResult& result);
    void run_round(const Round& round);
    void run_body(const std::vector<LaunchProgram::Statement>& body);
    void run_access(const LaunchProgram::Access& access);
    void run_loop(const LaunchProgram::Loop& loop);
    /// Iterations that are passed over at iteration i; else takes a mark there where one is due.
    std::int64_t jump_in_loop(const LaunchProgram::Loop& loop, std::int64_t i, LoopMarks& marks);
    /// Iterations after which the reads of the loop have moved by a translation that turns the sets of all caches; 0 where
    /// there is none that is worth it.
    [[nodiscard]] std::int64_t jump_period(const LaunchProgram::Loop& loop);
    /// What is left when the cores have fallen out of step.
    void run_rest(SimulationResult& result);
    void simulate(const LoggedAccess& access);

    /// Whether the caches are as they were at the mark, moved by the step; pays for looking.
    bool returned_to(const Mark& mark, const MemoryShift& shift, const std::vector<Texel>& step, Budget& budget);
    /// Passes over `times` repetitions of what was done since the mark, and then, unless that is null, over one more of
    /// what was done from the mark to `part`.
    void jump(const Mark& mark, const Mark* part, const MemoryShift& shift, const std::vector<Texel>& step,
              std::int64_t times);
    /// How many times what was done from the mark to `part`, or until now, can move by the step.
    [[nodiscard]] std::int64_t most_repeats(const Mark& mark, const Mark* part, const std::vector<Texel>& step) const
    {
        return log_.most_repeats(mark.log, part != nullptr ? part->log : log_.position(), step, counting_.images(),
                                 program_.shapes());
    }
    [[nodiscard]] Mark mark_at(std::int64_t iteration, Budget& budget);
    [[nodiscard]] bool is_current(const std::optional<Mark>& mark) const { return mark && mark->epoch == log_epoch_; }

    /// The translation of memory that belongs to a step; nothing where storage does not repeat after it.
    [[nodiscard]] std::optional<MemoryShift> shift_of(const std::vector<Texel>& step,
                                                      const std::vector<bool>& reads) const;
    /// Writes the log into the set of touched granules and starts it anew.
    void flush_log();

    /// The next round, jumped to where possible.
    std::optional<Round> next_round();
    std::optional<Round> take_round();
    /// Passes over rounds, from `next` on, which it puts back where it is not passed over; whether there were some.
    bool jump_rounds(Round next);

    const TraceSource& source_;
    const SimulationOptions& options_;
    const StopToken& stop_;
    LaunchProgram& program_;
    Counting counting_;
    LinePatterns patterns_;
    std::optional<RoundSource> rounds_; ///< of the cores under way
    AccessLog log_;
    std::int64_t log_epoch_ = 0;
    std::optional<HeatRecorder> heat_;
    std::vector<LookupDetail> details_; ///< scratch
    bool jumps_ = false;
    bool logs_ = false;

    const Round* round_ = nullptr;                          ///< under way
    std::vector<Budget> loop_budgets_;                      ///< by loop
    std::vector<std::optional<std::int64_t>> jump_periods_; ///< by loop, where it is known
    std::vector<std::int64_t> values_;                      ///< of the loop variables, by slot

    Budget round_budget_;
    std::int64_t rounds_done_ = 0;
    std::optional<Mark> round_mark_;
    std::vector<Round> since_mark_;                    ///< rounds done since round_mark_
    std::vector<std::optional<Mark>> ends_since_mark_; ///< of each of them, where it was kept
    std::deque<Round> ahead_;                          ///< looked at, not done
};

std::vector<Texel> multiplied(std::vector<Texel> step, std::int64_t times)
{
    for (Texel& s : step) {
        s = {static_cast<std::int32_t>(s.x * times), static_cast<std::int32_t>(s.y * times)};
    }
    return step;
}

constexpr std::size_t longest_log = 1 << 21;              ///< entries
constexpr std::size_t most_recorded_lookups = 1 << 25;    ///< for heat maps
constexpr std::int64_t most_kept_numbers = 1 << 24;       ///< of the caches at the ends of rounds
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

void Lockstep::jump(const Mark& mark, const Mark* part, const MemoryShift& shift, const std::vector<Texel>& step,
                    std::int64_t times)
{
    if (times > 0) {
        counting_.repeat(mark.tally, counting_.tally(), times);
        log_.repeat(mark.log, log_.position(), step, times);
    }
    CacheTree& caches = counting_.caches();
    if (part != nullptr) {
        ++times;
        counting_.repeat(mark.tally, part->tally, 1);
        log_.repeat(mark.log, part->log, multiplied(step, times), 1);
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

void Lockstep::flush_log()
{
    if (options_.miss_kinds) {
        log_.collect_granules(counting_.touched(), counting_.images().size(), counting_.granule(), patterns_);
    }
    if (heat_) {
        Poll poll(stop_);
        heat_->count(log_, program_.shapes(), patterns_, poll);
    }
    log_.clear();
    ++log_epoch_;
}

void Lockstep::simulate(const LoggedAccess& access)
{
    const LinePatterns::Placed found = patterns_.find(access.image, access.shape, access.first);
    const auto lanes = static_cast<std::int64_t>(program_.shapes()[access.shape].lanes.size());
    const LinePattern& pattern = *found.pattern;
    const LineList granules{found.first, pattern.granules, true, pattern.runs, pattern.longest_run};
    if (heat_) {
        details_.resize(pattern.granules.size());
        counting_.access(access.core, granules, pattern.texel_reads, lanes - pattern.texel_reads, details_);
        heat_->add(access, program_.shapes()[access.shape], found, details_);
    } else {
        counting_.access(access.core, granules, pattern.texel_reads, lanes - pattern.texel_reads);
    }
    if (logs_) {
        log_.add(access);
        if (log_.size() > longest_log || (heat_ && heat_->size() > most_recorded_lookups)) {
            flush_log();
        }
    }
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
        simulate({{at.first.x + dx, at.first.y + dy},
                  at.shape,
                  static_cast<std::uint16_t>(access.image),
                  static_cast<std::uint16_t>(core)});
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

std::int64_t Lockstep::jump_period(const LaunchProgram::Loop& loop)
{
    std::optional<std::int64_t>& known = jump_periods_[static_cast<std::size_t>(loop.number)];
    if (!known) {
        known = 0;
        const std::int64_t most = jumps_ && loop.period ? loop.extent / (3 * *loop.period) : 0;
        for (std::int64_t periods = 1; periods <= most && *known == 0; ++periods) {
            const auto shift = shift_of(multiplied(loop.distance, periods), loop.reads);
            if (shift && counting_.caches().turns_sets(*shift)) {
                known = periods * *loop.period;
            }
        }
    }
    return *known;
}

std::int64_t Lockstep::jump_in_loop(const LaunchProgram::Loop& loop, std::int64_t i, LoopMarks& marks)
{
    const std::int64_t period = jump_period(loop);
    if (period == 0) {
        return 0;
    }
    const std::int64_t left = loop.extent - i;
    Budget& budget = loop_budgets_[static_cast<std::size_t>(loop.number)];
    budget.credit(counting_.simulated_lookups());
    if (left % period == 0 && !marks.starts.empty() && budget.allows(counting_.caches().snapshot_size()) &&
        (!is_current(marks.part) || marks.part->iteration < marks.starts.back().iteration)) {
        marks.part = mark_at(i, budget);
    }
    if (i % *loop.period != 0) {
        return 0;
    }
    std::erase_if(marks.starts, [&](const Mark& mark) {
        return mark.epoch != log_epoch_ || i - mark.iteration > std::max(period, mark.iteration);
    });
    for (auto mark = marks.starts.rbegin(); mark != marks.starts.rend(); ++mark) {
        const std::int64_t distance = i - mark->iteration;
        if (distance % period != 0 || !budget.allows_look()) {
            continue;
        }
        const std::vector<Texel> step = multiplied(loop.distance, distance / *loop.period);
        const auto shift = shift_of(step, loop.reads);
        if (!shift || !returned_to(*mark, *shift, step, budget)) {
            continue;
        }
        const std::int64_t times = std::min(left / distance, most_repeats(*mark, nullptr, step));
        const bool finishes = left % distance != 0 && is_current(marks.part) &&
                              marks.part->iteration == mark->iteration + left % distance && times == left / distance &&
                              most_repeats(*mark, &*marks.part, step) > times;
        if (times > 0 || finishes) {
            jump(*mark, finishes ? &*marks.part : nullptr, *shift, step, times);
            marks = {};
            return finishes ? left : times * distance;
        }
    }
    const bool due = marks.starts.empty() || i >= 2 * marks.starts.back().iteration;
    if (due && left >= 2 * period && budget.allows(counting_.caches().snapshot_size())) {
        marks.starts.push_back(mark_at(i, budget));
    }
    return 0;
}

void Lockstep::run_loop(const LaunchProgram::Loop& loop)
{
    loop_budgets_[static_cast<std::size_t>(loop.number)].resume(counting_.simulated_lookups());
    LoopMarks marks;
    for (std::int64_t i = 0; i < loop.extent; ++i) {
        i += jump_in_loop(loop, i, marks);
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
    if (ends_since_mark_.size() < since_mark_.size()) {
        const std::int64_t numbers = counting_.caches().snapshot_size();
        const auto kept = static_cast<std::int64_t>(ends_since_mark_.size() + 1) * numbers;
        const bool keeps = kept <= most_kept_numbers && round_budget_.allows(numbers);
        ends_since_mark_.push_back(keeps ? std::optional(mark_at(rounds_done_, round_budget_)) : std::nullopt);
    }
}

std::optional<Round> Lockstep::take_round()
{
    if (ahead_.empty()) {
        return rounds_->next();
    }
    std::optional<Round> round = std::move(ahead_.front());
    ahead_.pop_front();
    return round;
}

bool Lockstep::jump_rounds(Round next)
{
    const std::size_t distance = since_mark_.size();
    const auto step = step_between(since_mark_.front(), next, program_.images(), counting_.images().size());
    const auto shift = step ? shift_of(*step, read_images(program_, step->size())) : std::nullopt;
    if (!shift || !returned_to(*round_mark_, *shift, *step, round_budget_)) {
        ahead_.push_front(std::move(next));
        return false;
    }
    // How many of the rounds to come are those since the mark, moved?
    const std::int64_t most = most_repeats(*round_mark_, nullptr, *step);
    std::int64_t matched = 0;
    std::vector<Round> unfinished; // those since the last whole repetition
    std::optional<Round> round = std::move(next);
    while (round) {
        const std::int64_t times = matched / static_cast<std::int64_t>(distance) + 1;
        if (times > most && (times > most + 1 || matched % static_cast<std::int64_t>(distance) + 1 ==
                                                     static_cast<std::int64_t>(distance))) {
            break; // beyond as many as can move, only part of a repetition can
        }
        const auto found = step_between(since_mark_[static_cast<std::size_t>(matched) % distance], *round,
                                        program_.images(), counting_.images().size());
        if (found != multiplied(*step, times)) {
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
        ahead_.push_front(std::move(*round));
    }
    const std::int64_t times = matched / static_cast<std::int64_t>(distance);
    const Mark* part = nullptr;
    if (times > 0 && !unfinished.empty() && is_current(ends_since_mark_[unfinished.size() - 1]) &&
        most_repeats(*round_mark_, &*ends_since_mark_[unfinished.size() - 1], *step) > times) {
        part = &*ends_since_mark_[unfinished.size() - 1];
        rounds_done_ += static_cast<std::int64_t>(unfinished.size());
    } else {
        for (auto back = unfinished.rbegin(); back != unfinished.rend(); ++back) {
            ahead_.push_front(std::move(*back));
        }
    }
    if (times == 0) {
        return false;
    }
    jump(*round_mark_, part, *shift, *step, times);
    rounds_done_ += times * static_cast<std::int64_t>(distance);
    return true;
}

std::optional<Round> Lockstep::next_round()
{
    std::optional<Round> round = take_round();
    if (!round || !jumps_) {
        return round;
    }
    round_budget_.credit(counting_.simulated_lookups());
    if (is_current(round_mark_) && !since_mark_.empty()) {
        if (jump_rounds(std::move(*round))) {
            round_mark_.reset();
            since_mark_.clear();
            ends_since_mark_.clear();
        }
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
        ends_since_mark_.clear();
    }
    if (is_current(round_mark_)) {
        since_mark_.push_back(*round);
    }
    return round;
}

void Lockstep::run(SimulationResult& result)
{
    // Behind an L2 the cores act on each other; without one each has a course, and repetitions, of its own.
    const int together = options_.has_l2() ? options_.cores : 1;
    for (int first = 0; first < options_.cores; first += together) {
        run_cores(first, first + together, result);
    }
    flush_log();
    counting_.finish(result);
}

void Lockstep::run_cores(int first, int last, SimulationResult& result)
{
    std::vector<int> cores(static_cast<std::size_t>(last - first));
    std::iota(cores.begin(), cores.end(), first);
    rounds_.emplace(source_, options_, program_, std::move(cores));
    counting_.caches().look_at_cores(first, last);
    rounds_done_ = 0;
    round_mark_.reset();
    since_mark_.clear();
    ends_since_mark_.clear();
    while (const std::optional<Round> round = next_round()) {
        run_round(*round);
    }
    run_rest(result);
    if (heat_) {
        heat_->forget_origins();
    }
}

void Lockstep::run_rest(SimulationResult& result)
{
    RoundSource::Rest rest = std::move(*rounds_).rest();
    const bool batch = options_.group_schedule == GroupSchedule::batch;
    std::vector<ProgramCore> cores;
    std::vector<ProgramCore*> active;
    cores.reserve(rest.dispatch.size());
    for (std::size_t core = 0; core < rest.dispatch.size(); ++core) {
        cores.emplace_back(program_, rest.cores[core], batch, static_cast<std::size_t>(occupancy(options_).warps),
                           std::move(rest.dispatch[core]), rest.resident[core]);
        active.push_back(&cores.back());
    }
    LoggedAccess access;
    while (!active.empty()) { // in turn, one warp access each
        std::erase_if(active, [&](ProgramCore* core) {
            const bool more = core->next(access);
            if (more) {
                simulate(access);
            }
            return !more;
        });
    }
    for (std::size_t core = 0; core < cores.size(); ++core) {
        CoreResult& done = result.cores.emplace_back();
        done.warps = cores[core].dispatch().warps();
        done.occupancy_groups = (batch ? rest.occupancy_groups[core] : 0) + cores[core].occupancy_groups();
        result.groups += cores[core].dispatch().groups();
    }
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
    return lockstep.heat_maps(source.images());
}

} // namespace texelscope
