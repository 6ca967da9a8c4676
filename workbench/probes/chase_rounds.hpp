#pragma once

#include "model/curves/cache_curve.hpp"
#include "workbench/probes/chases.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Numbers from `least` to `most`, `per_octave` to a doubling, each once.
[[nodiscard]] std::vector<std::int64_t> spread(double least, double most, double per_octave);

/// Chases over each of some numbers of texels, as a curve to show and as points to fit.
struct ChaseRounds {
    ProbeCurve curve;
    std::vector<ChasePoint> points;
};

/// How many choices of texels stand for one number of them: as many as come to `reads` texels, from
/// `least` to `most`; of very many texels (ScatteredChases::many) one.
struct Draws {
    std::int64_t reads = 0;
    int least = 1;
    int most = 1;
};

[[nodiscard]] ChaseRounds chase_rounds(ScatteredChases& chases,
                                       const std::vector<std::int64_t>& counts, const Draws& draws,
                                       const std::string& name);

/// So many times the lines of a cache miss always, whatever its ways; of very many lines it has to
/// do with fewer.
[[nodiscard]] std::int64_t times_missed(std::int64_t lines);

} // namespace texelscope::workbench::probes
