#pragma once

#include "experiments/probes/chases.hpp"
#include "model/curves/rough_levels.hpp"

#include <string>
#include <vector>

namespace texelscope::experiments {

/// Where levels of caches are, roughly.
struct LevelSurvey {
    ProbeCurve curve;
    RoughLevels levels;
    std::vector<std::string> notes;
};

/// Chases over numbers of texels from one on, two to a doubling. Where no second level is seen, or what was read is not several
/// times the last one that is, the image grows as far as the device and the options allow; where it fails after all, that is noted.
[[nodiscard]] LevelSurvey survey_levels(ScatteredChases& chases, const std::string& name);

} // namespace texelscope::experiments
