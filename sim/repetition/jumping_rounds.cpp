// A round is what the resident warps of all cores do before the next ones take their place. A
// launch of many work-groups is the same round again and again, moved; so rounds are jumped over
// like iterations of a loop.
//
// Two rounds repeat each other if the same cores and warps take part and all reads of an image have
// moved by the same step. The step of a loop is known from the program; that of rounds is not, so
// the rounds since a checkpoint are remembered and compared one by one (step_between()).

#include "sim/repetition/jumping_rounds.hpp"

#include "sim/options/occupancy.hpp"
#include "sim/repetition/program_core.hpp"

#include <algorithm>
#include <utility>

namespace texelscope::sim {
namespace {

/// Most numbers that the checkpoints at the ends of rounds may hold together, to bound memory.
constexpr std::int64_t most_kept_numbers = 1 << 24;
/// Most accesses of the rounds that are remembered since a checkpoint; beyond it a new one is
/// taken.
constexpr std::size_t most_remembered_accesses = 1 << 22;

} // namespace

std::optional<std::vector<Texel>> step_between(const Round& from, const Round& to,
                                               const std::vector<int>& images,
                                               std::size_t image_count)
{
    if (from.cores != to.cores || from.warps != to.warps) {
        return std::nullopt;
    }
    std::vector<std::optional<Texel>> steps(image_count);
    for (std::size_t a = 0; a < images.size(); ++a) {
        std::optional<Texel>& step = steps[static_cast<std::size_t>(images[a])];
        const auto before = from.access(static_cast<int>(a));
        const auto after = to.access(static_cast<int>(a));
        for (std::size_t i = 0; i < before.size(); ++i) {
            const Texel moved{after[i].first.x - before[i].first.x,
                              after[i].first.y - before[i].first.y};
            if (before[i].shape != after[i].shape || (step && *step != moved)) {
                return std::nullopt;
            }
            step = moved;
        }
    }
    std::vector<Texel> all;
    for (const std::optional<Texel>& step : steps) {
        all.push_back(step.value_or(Texel{}));
    }
    return all;
}

RoundSource::RoundSource(const TraceSource& source, const SimulationOptions& options,
                         LaunchProgram& program, std::vector<int> cores)
    : program_(program), batch_(options.machine.group_schedule == GroupSchedule::batch),
      occupancy_(static_cast<std::size_t>(sim::occupancy(options).warps))
{
    for (const int core : cores) {
        rest_.dispatch.emplace_back(source, core, options.machine.cores, options.machine.warp_size);
    }
    rest_.cores = std::move(cores);
    rest_.resident.resize(rest_.dispatch.size());
    rest_.occupancy_groups.resize(rest_.dispatch.size(), 0);
}

std::optional<Round> RoundSource::next()
{
    if (done_) {
        return std::nullopt;
    }
    Round round;
    bool in_step = true;
    std::vector<std::size_t> taking_part; // places in rest_.cores
    // In step: all cores that still have work take as many warps each. Otherwise their accesses
    // could not be put side by side, and the rest of the launch is simulated without jumps.
    for (std::size_t core = 0; core < rest_.dispatch.size(); ++core) {
        std::vector<WarpId>& warps = rest_.resident[core];
        warps = rest_.dispatch[core].next_residents(batch_, occupancy_);
        if (!warps.empty()) {
            in_step = in_step && (round.cores.empty() ||
                                  static_cast<std::size_t>(round.warps) == warps.size());
            round.cores.push_back(rest_.cores[core]);
            taking_part.push_back(core);
            round.warps = static_cast<int>(warps.size());
        }
    }
    if (round.cores.empty() || !in_step) {
        done_ = true;
        return std::nullopt;
    }
    const std::size_t count = round.cores.size() * static_cast<std::size_t>(round.warps);
    round.placed.resize(count * static_cast<std::size_t>(program_.access_count()));
    for (std::size_t c = 0; c < round.cores.size(); ++c) {
        const std::size_t core = taking_part[c];
        for (std::size_t w = 0; w < rest_.resident[core].size(); ++w) {
            const WarpId id = rest_.resident[core][w];
            const std::vector<PlacedAccess> placed = program_.place(id.group, id.warp);
            for (std::size_t a = 0; a < placed.size(); ++a) {
                // The order of the simulation: by access of the program, then warp, then core.
                round.placed[a * count + w * round.cores.size() + c] = placed[a];
            }
        }
        rest_.resident[core].clear();
        ++rest_.occupancy_groups[core];
    }
    return round;
}

RoundSource::Remainder RoundSource::rest() &&
{
    return std::move(rest_);
}

JumpingRounds::JumpingRounds(const LaunchProgram& program, JumpingSimulation& simulation,
                             RoundSource source)
    : program_(program), simulation_(simulation), source_(std::move(source)),
      reads_(simulation.image_count(), false)
{
    for (const int image : program.images()) {
        reads_[static_cast<std::size_t>(image)] = true;
    }
    budget_.resume(simulation.simulated_lookups());
}

std::optional<Round> JumpingRounds::take()
{
    if (ahead_.empty()) {
        return source_.next();
    }
    std::optional<Round> round = std::move(ahead_.front());
    ahead_.pop_front();
    return round;
}

bool JumpingRounds::jump(Round next)
{
    const std::size_t distance = history_->rounds.size();
    const auto step = step_to(history_->rounds.front(), next);
    const auto shift = step ? simulation_.shift_of(*step, reads_) : std::nullopt;
    if (!shift || !simulation_.returned_to(history_->checkpoint, *shift, *step, budget_)) {
        ahead_.push_front(std::move(next));
        return false;
    }
    // Count the rounds to come that are those since the checkpoint, moved: `matched`. They may be
    // several whole repetitions of the history and a part of one more.
    // The bound keeps products below from overflowing; no launch has as many rounds.
    const auto most = static_cast<std::size_t>(std::min<std::int64_t>(
        simulation_.most_repeats(history_->checkpoint, nullptr, *step), std::int64_t{1} << 40));
    std::size_t matched = 0;
    std::vector<Round> unfinished; // matched rounds since the last whole repetition
    std::optional<Round> round = std::move(next);
    while (round && matched + 1 < (most + 1) * distance) {
        const auto times = static_cast<std::int64_t>(matched / distance + 1);
        if (step_to(history_->rounds[matched % distance], *round) != multiplied(*step, times)) {
            break;
        }
        unfinished.push_back(std::move(*round));
        if (unfinished.size() == distance) {
            unfinished.clear();
        }
        ++matched;
        round = take();
    }
    if (round) {
        ahead_.push_front(std::move(*round));
    }
    // The part can be jumped over, too, where the state at its end was kept in the history.
    const auto times = static_cast<std::int64_t>(matched / distance);
    const Checkpoint* part = nullptr;
    if (times > 0 && !unfinished.empty()) {
        const std::optional<Checkpoint>& end = history_->ends[unfinished.size() - 1];
        if (simulation_.is_current(end) &&
            simulation_.most_repeats(history_->checkpoint, &*end, *step) > times) {
            part = &*end;
        }
    }
    if (part == nullptr) {
        ahead_.insert(ahead_.begin(), std::make_move_iterator(unfinished.begin()),
                      std::make_move_iterator(unfinished.end()));
        matched -= unfinished.size();
    }
    if (times == 0) {
        return false;
    }
    simulation_.jump(history_->checkpoint, part, *shift, *step, times);
    done_ += static_cast<std::int64_t>(matched);
    return true;
}

std::optional<Round> JumpingRounds::next()
{
    std::optional<Round> round = take();
    if (!round || !simulation_.jumps()) {
        return round;
    }
    budget_.credit(simulation_.simulated_lookups());
    if (is_current() && !history_->rounds.empty()) {
        if (jump(std::move(*round))) {
            history_.reset();
        }
        round = take();
        if (!round) {
            return round;
        }
    }
    // A checkpoint is replaced when twice as many rounds are done as at that checkpoint. So in the
    // long run checkpoints lie at rounds whose numbers grow geometrically: few are taken, and the
    // history still becomes as long as any repetition. A new one is also due where there is none
    // (at the start, after a jump, or when the log was emptied) and where too many accesses are
    // remembered.
    const bool due = !is_current() || done_ >= 2 * history_->checkpoint.iteration ||
                     history_->rounds.size() * round->placed.size() > most_remembered_accesses;
    if (due && simulation_.affords_checkpoint(budget_)) {
        history_ = History{simulation_.checkpoint_at(done_, budget_), {}, {}};
    }
    if (is_current()) {
        history_->rounds.push_back(*round);
    }
    return round;
}

void JumpingRounds::done()
{
    ++done_;
    // The state at the end of each remembered round is kept, too, while memory and budget allow: a
    // jump may then end in the middle of a repetition.
    if (history_ && history_->ends.size() < history_->rounds.size()) {
        const auto kept =
            static_cast<std::int64_t>(history_->ends.size() + 1) * simulation_.snapshot_size();
        const bool keeps = kept <= most_kept_numbers && simulation_.affords_checkpoint(budget_);
        history_->ends.push_back(keeps ? std::optional(simulation_.checkpoint_at(done_, budget_))
                                       : std::nullopt);
    }
}

} // namespace texelscope::sim
