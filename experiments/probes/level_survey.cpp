#include "experiments/probes/level_survey.hpp"

#include "base/error.hpp"
#include "experiments/probes/chase_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace texelscope::experiments {
namespace {

ChaseRounds between(ScatteredChases& chases, std::int64_t least, std::int64_t most, const std::string& name)
{
    constexpr Draws draws{400, 1, 6};
    return chase_rounds(chases, spread(static_cast<double>(least), static_cast<double>(most), 2), draws, name);
}

/// Texels that have to be read: several times the lines of the last level, which is not the first.
std::int64_t reach(const RoughLevels& levels)
{
    return levels.lines.size() < 2 ? std::numeric_limits<std::int64_t>::max()
                                   : times_missed(levels.lines.back()) * levels.lines.back();
}

} // namespace

LevelSurvey survey_levels(ScatteredChases& chases, const std::string& name)
{
    std::int64_t done = chases.grid().cells();
    ChaseRounds all = between(chases, 1, done, name);
    LevelSurvey survey{{}, rough_levels(all.points), {}};
    while (done < reach(survey.levels)) {
        const CellGrid before = chases.grid();
        if (done == before.cells() && !chases.grow()) {
            break;
        }
        const std::int64_t most = std::min(chases.grid().cells(), reach(survey.levels));
        try {
            const ChaseRounds more = between(chases, done + done * 2 / 5, most, name);
            all.curve.points.insert(all.curve.points.end(), more.curve.points.begin(), more.curve.points.end());
            all.points.insert(all.points.end(), more.points.begin(), more.points.end());
        } catch (const Error& error) {
            survey.notes.push_back(fmt::format("chases over more than {} texels: {}", done, error.what()));
            chases.shrink_to(before);
            break;
        }
        done = most;
        survey.levels = rough_levels(all.points);
    }
    for (const std::int64_t lines : survey.levels.lines) {
        const auto x = static_cast<double>(lines);
        all.curve.marks.push_back({x, x / 1.2, x * 1.2, "capacity, about"});
    }
    survey.curve = std::move(all.curve);
    return survey;
}

} // namespace texelscope::experiments
