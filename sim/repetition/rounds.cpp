#include "sim/repetition/rounds.hpp"

#include "sim/repetition/program_core.hpp"

#include <algorithm>

namespace texelscope::sim {

std::optional<std::vector<Texel>> step_between(const Round& from, const Round& to, const std::vector<int>& images,
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
            const Texel moved{after[i].first.x - before[i].first.x, after[i].first.y - before[i].first.y};
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

RoundSource::RoundSource(const TraceSource& source, const SimulationOptions& options, LaunchProgram& program,
                         std::vector<int> cores)
    : program_(program), batch_(options.group_schedule == GroupSchedule::batch),
      occupancy_(static_cast<std::size_t>(sim::occupancy(options).warps))
{
    for (const int core : cores) {
        rest_.dispatch.emplace_back(source, core, options.cores, options.warp_size);
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
    for (std::size_t core = 0; core < rest_.dispatch.size(); ++core) {
        std::vector<WarpId>& warps = rest_.resident[core];
        warps = next_residents(rest_.dispatch[core], batch_, occupancy_);
        if (!warps.empty()) {
            in_step = in_step && (round.cores.empty() || static_cast<std::size_t>(round.warps) == warps.size());
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

} // namespace texelscope::sim
