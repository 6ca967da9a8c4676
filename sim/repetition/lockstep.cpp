#include "sim/repetition/lockstep.hpp"

#include "sim/options/occupancy.hpp"
#include "sim/repetition/jumping_rounds.hpp"
#include "sim/repetition/jumping_simulation.hpp"
#include "sim/repetition/program_core.hpp"
#include "sim/schedule/warp_dispatch.hpp"

#include <algorithm>
#include <numeric>

namespace texelscope::sim {
namespace {

/// Checkpoints of one loop that is being simulated.
struct LoopCheckpoints {
    std::vector<Checkpoint> starts; ///< moments to which the simulation may return
    /// The state at an iteration from which a whole number of periods is left until the end of the
    /// loop. Where the jump over whole repetitions does not come to the loop's end, the rest may
    /// end in this state, translated: then the jump finishes the loop.
    std::optional<Checkpoint> part;
};

/// Carries out run_lockstep(): rounds, in each the loops of the program, in each all accesses of
/// all cores. Both rounds (JumpingRounds) and loops (jump_in_loop()) jump over repetition.
class Lockstep {
public:
    /// `request`: the heat maps that are wanted, if any.
    Lockstep(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
             const HeatRequest* request, const StopToken& stop, SequenceMemory* sequence = nullptr)
        : source_(source), options_(options), program_(program),
          simulation_(source.images(), options, program.shapes(), request, stop, sequence),
          loops_(static_cast<std::size_t>(program.loop_count())), values_(program.slot_count(), 0)
    {}

    void run(SimulationResult& result);
    /// The heat maps, after run(), where a request was given.
    [[nodiscard]] HeatMaps heat_maps() { return simulation_.heat_maps(source_.images()); }

private:
    /// Simulates all work of cores [first, last).
    void run_cores(int first, int last, SimulationResult& result);
    void run_body(const std::vector<LaunchProgram::Statement>& body);
    /// One access of the program, by all warps and cores of the round.
    void run_access(const LaunchProgram::Access& access);
    void run_loop(const LaunchProgram::Loop& loop);
    /// Called before iteration i: jumps over iterations from i on and returns how many. Returns 0
    /// where it cannot; then it takes a checkpoint where one is due.
    std::int64_t jump_in_loop(const LaunchProgram::Loop& loop, std::int64_t i,
                              LoopCheckpoints& checkpoints);
    /// Number of iterations after which the reads of the loop have moved by a translation that
    /// rotates the sets of all caches. 0 where no such number is at most a third of the loop.
    [[nodiscard]] std::int64_t jump_period(const LaunchProgram::Loop& loop);
    /// Simulates what is left, without jumps, once the cores have fallen out of step.
    void run_rest(RoundSource::Remainder rest, SimulationResult& result);

    const TraceSource& source_;
    const SimulationOptions& options_;
    LaunchProgram& program_;
    JumpingSimulation simulation_;
    struct LoopState {
        Budget budget;
        std::optional<std::int64_t> jump_period; ///< nullopt: not asked for yet
    };
    std::vector<LoopState> loops_;     ///< by number of the loop
    const Round* round_ = nullptr;     ///< the round that is being simulated
    std::vector<std::int64_t> values_; ///< of the loop variables, by slot
};

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
        simulation_.simulate({{at.first.x + dx, at.first.y + dy},
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
    std::optional<std::int64_t>& known = loops_[static_cast<std::size_t>(loop.number)].jump_period;
    if (!known) {
        known = 0;
        const std::int64_t most =
            simulation_.jumps() && loop.period ? loop.extent / (3 * *loop.period) : 0;
        for (std::int64_t periods = 1; periods <= most && *known == 0; ++periods) {
            if (simulation_.shift_of(multiplied(loop.distance, periods), loop.reads)) {
                known = periods * *loop.period;
            }
        }
    }
    return *known;
}

std::int64_t Lockstep::jump_in_loop(const LaunchProgram::Loop& loop, std::int64_t i,
                                    LoopCheckpoints& checkpoints)
{
    const std::int64_t period = jump_period(loop);
    if (period == 0) {
        return 0;
    }
    // Keep the state as `part` where whole periods are left until the end of the loop.
    const std::int64_t left = loop.extent - i;
    Budget& budget = loops_[static_cast<std::size_t>(loop.number)].budget;
    budget.credit(simulation_.simulated_lookups());
    if (left % period == 0 && !checkpoints.starts.empty() &&
        simulation_.affords_checkpoint(budget) &&
        (!simulation_.is_current(checkpoints.part) ||
         checkpoints.part->iteration < checkpoints.starts.back().iteration)) {
        checkpoints.part = simulation_.checkpoint_at(i, budget);
    }
    if (i % *loop.period != 0) {
        return 0;
    }
    // Forget checkpoints from which the log or the search has moved too far away.
    std::erase_if(checkpoints.starts, [&](const Checkpoint& checkpoint) {
        return !simulation_.is_current(checkpoint) ||
               i - checkpoint.iteration > std::max(period, checkpoint.iteration);
    });
    // Look for a checkpoint to which the caches have returned. The latest one comes first: of those
    // that are kept, it is the least distance away and so gives the shortest repetition.
    for (auto checkpoint = checkpoints.starts.rbegin(); checkpoint != checkpoints.starts.rend();
         ++checkpoint) {
        const std::int64_t distance = i - checkpoint->iteration;
        if (distance % period != 0 || !budget.allows_look()) {
            continue;
        }
        const std::vector<Texel> step = multiplied(loop.distance, distance / *loop.period);
        const auto shift = simulation_.shift_of(step, loop.reads);
        if (!shift || !simulation_.returned_to(*checkpoint, *shift, step, budget)) {
            continue;
        }
        // As many whole repetitions as fit into the loop and keep all lanes on their side of the
        // images' edges; with `part`, the rest of the loop, too.
        const std::int64_t times =
            std::min(left / distance, simulation_.most_repeats(*checkpoint, nullptr, step));
        const bool finishes =
            left % distance != 0 && simulation_.is_current(checkpoints.part) &&
            checkpoints.part->iteration == checkpoint->iteration + left % distance &&
            times == left / distance &&
            simulation_.most_repeats(*checkpoint, &*checkpoints.part, step) > times;
        if (times > 0 || finishes) {
            simulation_.jump(*checkpoint, finishes ? &*checkpoints.part : nullptr, *shift, step,
                             times);
            checkpoints = {};
            return finishes ? left : times * distance;
        }
    }
    // Checkpoints of a loop lie at iterations that at least double. Near the end of the loop a new
    // one would no longer pay.
    const bool due = checkpoints.starts.empty() || i >= 2 * checkpoints.starts.back().iteration;
    if (due && left >= 2 * period && simulation_.affords_checkpoint(budget)) {
        checkpoints.starts.push_back(simulation_.checkpoint_at(i, budget));
    }
    return 0;
}

void Lockstep::run_loop(const LaunchProgram::Loop& loop)
{
    loops_[static_cast<std::size_t>(loop.number)].budget.resume(simulation_.simulated_lookups());
    LoopCheckpoints checkpoints;
    for (std::int64_t i = 0; i < loop.extent; ++i) {
        i += jump_in_loop(loop, i, checkpoints);
        if (i < loop.extent) {
            values_[loop.slot] = i;
            run_body(loop.body);
        }
    }
    values_[loop.slot] = 0;
}

void Lockstep::run(SimulationResult& result)
{
    // Cores that share a cache act on each other and are simulated together. Without a shared
    // cache, each core is simulated alone and finds repetitions of its own.
    const CacheLevel& shared = options_.machine.shared_level();
    const int together = shared.is_there() ? options_.machine.cores : 1;
    for (int first = 0; first < options_.machine.cores; first += together) {
        run_cores(first, first + together, result);
    }
    simulation_.finish(result);
}

void Lockstep::run_cores(int first, int last, SimulationResult& result)
{
    std::vector<int> cores(static_cast<std::size_t>(last - first));
    std::iota(cores.begin(), cores.end(), first);
    simulation_.begin_cores(first, last);
    JumpingRounds rounds(program_, simulation_,
                         RoundSource(source_, options_, program_, std::move(cores)));
    while (const std::optional<Round> round = rounds.next()) {
        round_ = &*round;
        run_body(program_.body());
        rounds.done();
    }
    run_rest(std::move(rounds).rest(), result);
    simulation_.end_cores();
}

void Lockstep::run_rest(RoundSource::Remainder rest, SimulationResult& result)
{
    const bool batch = options_.machine.group_schedule == GroupSchedule::batch;
    std::vector<ProgramCore> cores;
    for (std::size_t core = 0; core < rest.dispatch.size(); ++core) {
        cores.emplace_back(program_, rest.cores[core], batch,
                           static_cast<std::size_t>(occupancy(options_).warps),
                           std::move(rest.dispatch[core]), rest.resident[core]);
    }
    LoggedAccess access;
    round_robin(cores.size(), [&](std::size_t core) {
        const bool more = cores[core].next(access);
        if (more) {
            simulation_.simulate(access);
        }
        return more;
    });
    for (std::size_t core = 0; core < cores.size(); ++core) {
        CoreResult& done = result.cores.emplace_back();
        done.warps = cores[core].dispatch().warps();
        done.occupancy_groups =
            (batch ? rest.occupancy_groups[core] : 0) + cores[core].occupancy_groups();
        result.groups += cores[core].dispatch().groups();
    }
}

} // namespace

void run_lockstep(const TraceSource& source, const SimulationOptions& options,
                  LaunchProgram& program, const StopToken& stop, SimulationResult& result,
                  SequenceMemory* sequence)
{
    Lockstep(source, options, program, nullptr, stop, sequence).run(result);
}

HeatMaps run_lockstep(const TraceSource& source, const SimulationOptions& options,
                      LaunchProgram& program, const HeatRequest& request, const StopToken& stop,
                      SimulationResult& result)
{
    Lockstep lockstep(source, options, program, &request, stop);
    lockstep.run(result);
    return lockstep.heat_maps();
}

} // namespace texelscope::sim
