#pragma once

#include "model/curves/cache_curve.hpp"
#include "workbench/probes/chases.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace texelscope::workbench::probes {

/// Whole numbers from `least` to `most`, `per_octave` of them per doubling, each once.
[[nodiscard]] std::vector<std::int64_t> spread(double least, double most, double per_octave);

/// The latencies of chases over several numbers of texels, both as a curve to show and as points to
/// fit.
struct ChaseRounds {
    ProbeCurve curve;
    std::vector<ChasePoint> points;
};

/// How many random choices of texels are measured for one number of texels: as many as make `reads`
/// texels together, but from `least` to `most`; one for very many texels (ScatteredChases::many).
struct Draws {
    std::int64_t reads = 0;
    int least = 1;
    int most = 1;
};

[[nodiscard]] ChaseRounds chase_rounds(ScatteredChases& chases,
                                       const std::vector<std::int64_t>& counts, const Draws& draws,
                                       const std::string& name);

/// By which factor a chase must exceed a cache of that many lines, so that every read misses
/// whatever the ways. For very many lines a smaller factor has to do.
[[nodiscard]] std::int64_t times_missed(std::int64_t lines);

} // namespace texelscope::workbench::probes
