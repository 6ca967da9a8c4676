#include "workbench/probes/chase_rounds.hpp"

#include <algorithm>
#include <cmath>

namespace texelscope::workbench::probes {

// Whole numbers from `least` to `most`, `per_octave` of them for each doubling, each once.
std::vector<std::int64_t> spread(double least, double most, double per_octave)
{
    std::vector<std::int64_t> numbers;
    for (double n = std::max(1.0, least); n <= most * 1.000001; n *= std::exp2(1 / per_octave)) {
        const std::int64_t whole = std::min(std::llround(n), static_cast<long long>(most));
        if (numbers.empty() || whole > numbers.back()) {
            numbers.push_back(whole);
        }
    }
    return numbers;
}

ChaseRounds chase_rounds(ScatteredChases& chases, const std::vector<std::int64_t>& counts,
                         const Draws& draws, const std::string& name)
{
    ChaseRounds rounds{
        {name, chases.unit() + ", each in a line of its own", "latency [ns per read]", true}, {}};
    for (const std::int64_t count : counts) {
        const int least = count < ScatteredChases::many ? draws.least : 1;
        const int choices =
            static_cast<int>(std::clamp<std::int64_t>(draws.reads / count, least, draws.most));
        rounds.curve.points.push_back({static_cast<double>(count), chases.round(count, choices)});
        rounds.points.push_back({count, ScatteredChases::warm_passes, chases.passes(count),
                                 mean_of_draws(rounds.curve.points.back().samples, choices)});
    }
    return rounds;
}

// So many times a level's lines have to be read for practically all reads to miss, although sets
// are filled at random. Long chases average over more sets.
std::int64_t times_missed(std::int64_t lines)
{
    return lines < ScatteredChases::many ? 4 : 2;
}

} // namespace texelscope::workbench::probes
